package campaign

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Attempt is a program that is tried by one plan.
type Attempt struct {
	Name  string // for a file's name
	Plan  Plan
	Build func(ctx context.Context, binary string) error
}

// Try tries each program by its plan, and compares its run with those of options.Subject without faults. Done
// receives each result with the attempt's place, one at a time.
func Try(ctx context.Context, options Options, attempts []Attempt, done func(int, Result)) error {
	for _, one := range scenarios() {
		if slices.ContainsFunc(attempts, func(a Attempt) bool { return a.Plan.Scenario == one.name }) {
			options.Scenarios = append(options.Scenarios, one.name)
		}
	}
	return with(ctx, options, func(c *campaign) error {
		if len(c.unfit) > 0 { // a comparison with nothing would find something in each attempt
			failed := c.unfit[0]
			return fmt.Errorf("%s: nothing can be compared with the finished operator, because it has findings itself: %s", failed.Plan, failed.Findings[0].What)
		}
		var building sync.Mutex // go build uses all processors by itself
		return c.each(ctx, len(attempts), func(ctx context.Context, w *worker, i int) error {
			attempt := attempts[i]
			binary := filepath.Join(options.Dir, "attempts", attempt.Name)
			building.Lock()
			err := attempt.Build(ctx, binary)
			building.Unlock()
			if err != nil {
				return err
			}
			defer os.Remove(binary) // each is some 40 MB
			baseline := c.baselines[attempt.Plan.Scenario]
			result, err := w.play(ctx, binary, attempt.Plan, &baseline)
			if err != nil {
				return fmt.Errorf("%s: %w", attempt.Name, err)
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			done(i, result)
			return nil
		})
	})
}
