package campaign

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"example.com/controller-course/tests/mutants"
)

// Catch says whether the judge noticed a wrong version of the finished operator where it has to.
type Catch struct {
	Mutant mutants.Mutant
	Result Result // of the plan that is to catch it
}

// Caught says whether one of the findings is of the check that is named for the mutant.
func (c Catch) Caught() bool { return slices.Contains(c.Found(), c.Mutant.CaughtBy.Finding) }

// Found are the checks of the findings; none when the mutant survived.
func (c Catch) Found() []string {
	var checks []string
	for _, one := range c.Result.Findings {
		checks = append(checks, string(one.Check))
	}
	return checks
}

// Hunt runs every mutant through the plan that is named for it. Its runs are compared with those of
// the finished operator, which is options.Subject.
func Hunt(ctx context.Context, options Options, wrong []mutants.Mutant, done func(Catch)) ([]Catch, error) {
	plans := make([]Plan, len(wrong))
	needed := map[string]bool{}
	for i, mutant := range wrong {
		plan, err := ParsePlan(mutant.CaughtBy.Plan)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", mutant, err)
		}
		plans[i] = plan
		needed[plan.Scenario] = true
	}
	for _, one := range scenarios() {
		if needed[one.name] {
			options.Scenarios = append(options.Scenarios, one.name)
		}
	}
	catches := make([]Catch, len(wrong))
	err := with(ctx, options, func(c *campaign) error {
		var building sync.Mutex // go build uses all cores by itself
		return c.each(ctx, len(wrong), func(ctx context.Context, w *worker, i int) error {
			binary := filepath.Join(options.Dir, "mutants", wrong[i].Slug)
			building.Lock()
			err := wrong[i].Build(ctx, binary)
			building.Unlock()
			if err != nil {
				return err
			}
			defer os.Remove(binary) // each is some 40 MB
			baseline := c.baselines[plans[i].Scenario]
			result, err := w.play(ctx, binary, plans[i], &baseline)
			if err != nil {
				return fmt.Errorf("%s: %w", wrong[i], err)
			}
			catches[i] = Catch{Mutant: wrong[i], Result: result}
			c.mu.Lock()
			defer c.mu.Unlock()
			done(catches[i])
			return nil
		})
	})
	return catches, err
}
