// Package campaign runs a controller through whole scenarios, once for each fault at each request
// that it sends and at each event that it receives, and judges each run.
package campaign

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/subject"
)

// Options tell what to run.
type Options struct {
	Subject subject.Subject // built
	Dir     string          // for logs, pictures and the control planes' data
	Workers int             // how many control planes run at the same time

	Scenarios []string // only these; all when empty
	Plan      *Plan    // only this one, Repeat times
	Repeat    int      // how often each plan is run, at least 1
	Smoke     bool     // a fixed sample of the plans

	// Tally receives the number of plans before they run, and each result.
	Tally Tally
}

// A Tally counts what a campaign has done. Its methods are called one at a time.
type Tally interface {
	Learning(scenarios int)
	Learned(scenario string, plans int)
	Running(plans int)
	Done(Result)
}

// Report is the result of a campaign.
type Report struct {
	Results []Result // in the order of the plans; without histories, except of those with findings
}

// Seconds are the median and the 95th percentile of the plans' durations.
func (r Report) Seconds() (median, late float64) {
	var seconds []float64
	for _, result := range r.Results {
		seconds = append(seconds, result.Seconds)
	}
	slices.Sort(seconds)
	return percentile(seconds, 50), percentile(seconds, 95)
}

// smokeSize is how many plans a smoke run has.
const smokeSize = 60

// Run runs a campaign. The error is the judge's own, or ctx's.
func Run(ctx context.Context, options Options) (Report, error) {
	var report Report
	err := with(ctx, options, func(c *campaign) error {
		plans := c.plans()
		c.Tally.Running(len(c.unfit) + len(plans))
		for _, result := range c.unfit {
			c.Tally.Done(result)
		}
		results, err := c.playAll(ctx, plans)
		report.Results = append(c.unfit, results...)
		return err
	})
	return report, err
}

// campaign is what all plans need: control planes, and something to compare with.
type campaign struct {
	Options
	workers   []*worker
	baselines map[string]Baseline
	order     []string // of the baselines
	unfit     []Result // of scenarios in which the controller fails without faults

	mu sync.Mutex // guards Tally and the like
}

// with records what the controller does without faults, passes that to do, and cleans up.
func with(ctx context.Context, options Options, do func(*campaign) error) (err error) {
	c := &campaign{Options: options, baselines: map[string]Baseline{}}
	scenarios, err := c.scenarios()
	if err != nil {
		return err
	}
	defer func() {
		for _, w := range c.workers {
			if w != nil {
				err = errors.Join(err, w.stop())
			}
		}
	}()
	if err := c.startWorkers(ctx); err != nil {
		return err
	}
	if err := c.learn(ctx, scenarios); err != nil {
		return err
	}
	return do(c)
}

// startWorkers starts the control planes, side by side as far as there are processors: starting is what
// keeps those busy, and an API server that takes too long is given up.
func (c *campaign) startWorkers(ctx context.Context) error {
	c.workers = make([]*worker, c.Workers)
	var group errgroup.Group
	group.SetLimit(runtime.NumCPU())
	for i := range c.workers {
		group.Go(func() (err error) {
			c.workers[i], err = startWorker(ctx, c.Subject, filepath.Join(c.Dir, fmt.Sprint("worker-", i+1)))
			return err
		})
	}
	return group.Wait()
}

// scenarios are those that were asked for.
func (c *campaign) scenarios() ([]scenario, error) {
	names := c.Scenarios
	if c.Plan != nil {
		names = []string{c.Plan.Scenario}
	}
	if len(names) == 0 {
		return slices.DeleteFunc(scenarios(), func(one scenario) bool { return one.store && c.Subject.WorkspaceRoles == "" }), nil
	}
	var chosen []scenario
	for _, name := range names {
		one, err := scenarioNamed(name)
		if err != nil {
			return nil, err
		}
		if one.store && c.Subject.WorkspaceRoles == "" {
			return nil, fmt.Errorf("the scenario %s is about a Workspace, and this controller knows none", name)
		}
		chosen = append(chosen, one)
	}
	return chosen, nil
}

// learn runs every scenario three times without faults. A scenario in which the controller fails
// already then has no baseline, and no plans.
func (c *campaign) learn(ctx context.Context, scenarios []scenario) error {
	const times = 3
	c.Tally.Learning(len(scenarios))
	results := make([]Result, times*len(scenarios))
	err := c.each(ctx, len(results), func(ctx context.Context, w *worker, i int) (err error) {
		plan := Plan{Scenario: scenarios[i/times].name, Kind: NoFault}
		if results[i], err = w.play(ctx, c.Subject.Binary, plan, nil); err != nil {
			return fmt.Errorf("%s: %w", plan, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, one := range scenarios {
		baseline, failed := newBaseline(one, results[i*times:(i+1)*times])
		if failed != nil {
			c.unfit = append(c.unfit, *failed)
			continue
		}
		c.baselines[one.name] = baseline
		c.order = append(c.order, one.name)
		c.Tally.Learned(one.name, len(enumerate(baseline)))
	}
	return nil
}

// plans are the plans to run.
func (c *campaign) plans() []Plan {
	var plans []Plan
	for _, name := range c.order {
		if c.Plan != nil {
			plans = append(plans, *c.Plan)
			continue
		}
		plans = append(plans, enumerate(c.baselines[name])...)
	}
	if c.Smoke {
		plans = share(plans, smokeSize)
	}
	var repeated []Plan
	for _, plan := range plans {
		repeated = append(repeated, slices.Repeat([]Plan{plan}, c.Repeat)...)
	}
	return repeated
}

func (c *campaign) playAll(ctx context.Context, plans []Plan) ([]Result, error) {
	results := make([]Result, len(plans))
	err := c.each(ctx, len(plans), func(ctx context.Context, w *worker, i int) error {
		baseline := c.baselines[plans[i].Scenario]
		result, err := w.play(ctx, c.Subject.Binary, plans[i], &baseline)
		if err != nil {
			return fmt.Errorf("%s: %w", plans[i], err)
		}
		if len(result.Findings) == 0 {
			result.Run = history.Run{} // a thousand of them take a lot of memory, and nothing uses them
		}
		results[i] = result
		c.mu.Lock()
		defer c.mu.Unlock()
		c.Tally.Done(result)
		return nil
	})
	return results, err
}

// each does n things, each on a worker that is free.
func (c *campaign) each(ctx context.Context, n int, do func(context.Context, *worker, int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	next := make(chan int)
	group.Go(func() error {
		defer close(next)
		for i := range n {
			select {
			case next <- i:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	for _, w := range c.workers {
		group.Go(func() error {
			for i := range next {
				if err := do(ctx, w, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}
