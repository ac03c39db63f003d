package hunt

import (
	"context"
	"fmt"
	"slices"

	"example.com/controller-course/tests/campaign"
	"example.com/controller-course/tests/mutants"
)

// OperatorCatch is the result of trying a wrong version of the finished operator.
type OperatorCatch struct {
	Mutant mutants.Mutant
	Result campaign.Result // of the plan that has to catch it
}

// Caught says whether one of the findings is of the rule that is named for the mutant.
func (c OperatorCatch) Caught() bool { return slices.Contains(c.Found(), c.Mutant.CaughtBy.Finding) }

// Outcomes say that the campaign has judged it, and whether it has failed there.
func (c OperatorCatch) Outcomes() map[string]bool { return map[string]bool{byCampaign: c.Caught()} }

// Found are the rules of the findings; none when the mutant survived.
func (c OperatorCatch) Found() []string {
	var rules []string
	for _, one := range c.Result.Findings {
		rules = append(rules, string(one.Check))
	}
	return rules
}

// Operator runs each wrong version of the finished operator through the plan that is named for it. Options has the
// finished operator as its subject. Done receives each, one at a time.
func Operator(ctx context.Context, options campaign.Options, wrong []mutants.Mutant, done func(OperatorCatch)) error {
	var attempts []campaign.Attempt
	for _, mutant := range wrong {
		plan, err := campaign.ParsePlan(mutant.CaughtBy.Plan)
		if err != nil {
			return fmt.Errorf("%s: %w", mutant, err)
		}
		attempts = append(attempts, campaign.Attempt{Name: mutant.Slug, Plan: plan, Build: mutant.Build})
	}
	return campaign.Try(ctx, options, attempts, func(i int, result campaign.Result) {
		done(OperatorCatch{Mutant: wrong[i], Result: result})
	})
}
