package campaign

import (
	"context"
	"fmt"
	"strings"
	"time"

	"example.com/controller-course/tests/kit/canonical"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/stage"
)

// stuck is the finding for a run that does not come to its end.
func (p *performance) stuck(missing string) []finding.Finding {
	run := p.Log.Run()
	if stalled, ok := p.Stalled(run); ok {
		return p.Found(stalled)
	}
	if missing == notFarEnough {
		missing += ". What there was:\n" + fmt.Sprint(p.end(soon))
	} else {
		missing += "."
	}
	return p.Found(finding.Finding{
		Check: finding.CheckLiveness,
		Title: "After every fault the run finishes",
		What:  finding.Waited(run, waited(run, p.Enough(), p.Log.Now())) + missing,
		Why: "Faults pass. A controller that does not continue its work afterwards leaves objects that never " +
			"finish, and each of them wakes up somebody at night.",
		When: finding.Excerpt(run, lastFault(run), 12),
	})
}

// waited is how long the controller had been waited for when it was given up. A controller that retries all along is not waited for as
// long as is enough for one that does nothing.
func waited(run history.Run, enough, now time.Duration) time.Duration {
	last := lastFault(run)
	for _, stimulus := range run.Stimuli {
		last = max(last, stimulus.At)
	}
	return min(enough, now-last)
}

// judge gathers the result.
func (p *performance) judge(ctx context.Context, trouble []finding.Finding) (Result, error) {
	result := Result{Plan: p.plan, Missed: append(p.missed, p.Pending()...)}
	frontier, err := p.Observer.Sync(ctx)
	if err != nil {
		return Result{}, err
	}
	within := atLeisure
	if len(trouble) > 0 {
		within = soon // the store may be down
	}
	result.Run, result.End = p.Log.Run(), p.end(within)
	result.Counts = canonical.CountsOf(result.Run.Changes, frontier)
	stuck := len(trouble) > 0 && trouble[0].Check == finding.CheckLiveness
	if len(trouble) > 0 && !stuck {
		result.Findings = trouble
		return result, nil
	}
	violations, err := invariants.Check(result.Run, frontier, invariants.Options{Only: p.Rules, AtRest: true, Rest: p.rests})
	if err != nil {
		return Result{}, err
	}
	result.Findings = append(trouble, stage.Broken(result.Run, violations)...)
	if stuck {
		return result, nil
	}
	found := func(f finding.Finding) { result.Findings = append(result.Findings, p.Found(f)...) }
	if _, running, _ := p.Current(); running.Outcome().LogFull {
		found(finding.LogFull(running))
	}
	if p.want == nil {
		return result, nil
	}
	if differences := canonical.Diff(p.want.End, result.End); len(differences) > 0 {
		found(finding.Finding{
			Check: finding.CheckLiveness, Title: "A restart changes nothing",
			What: "The restart changed what had finished:\n" + strings.Join(differences, "\n"),
			Why:  "Restarts happen at any time: with every rollout and every drained node.",
		})
	}
	if more := flipsOf(result.Run).more(p.want.flips); len(more) > 0 {
		found(finding.Finding{
			Check: finding.CheckFlapping, Title: "No condition changes more often than without faults",
			What: strings.Join(more, "\n"),
			When: finding.Excerpt(result.Run, lastFault(result.Run), 12),
			Why: "A client that waits for a condition continues as soon as it is set. A condition that is taken back and set again has " +
				"misled the client: the controller reported something that had not happened.",
		})
	}
	if differences := canonical.DiffCounts(p.want.Counts, result.Counts); len(differences) > 0 {
		found(finding.Finding{
			Check: finding.CheckEffort, Title: "The controller creates and deletes as many objects as without faults",
			What: "The final state is right, but the way there was not:\n" + strings.Join(differences, "\n"),
			Why:  "A Job that is created and deleted may have run: the work of a step is done twice, or is interrupted.",
		})
	}
	return result, nil
}

// end is the state of all objects. The store may take so long to tell of its buckets.
func (p *performance) end(within time.Duration) canonical.State {
	return canonical.Of(append(p.Observer.Objects().All(), p.buckets(within)...))
}

// lastFault is the moment of the last thing that was done to the controller.
func lastFault(run history.Run) (at time.Duration) {
	for _, fault := range run.Faults {
		at = max(at, fault.Struck, fault.Healed)
	}
	return at
}
