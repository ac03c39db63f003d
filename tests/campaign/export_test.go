package campaign

import (
	"context"
	"fmt"
	"time"

	"example.com/controller-course/tests/subject"
)

// What only the specs use.

const SmokeSize = smokeSize

type Worker struct{ *worker }

func StartWorker(ctx context.Context, controller subject.Subject, dir string) (Worker, error) {
	w, err := startWorker(ctx, controller, dir)
	return Worker{w}, err
}

// Play plays a plan. Nothing is compared with if want is nil.
func (w Worker) Play(ctx context.Context, binary string, plan Plan, want *Baseline) (Result, error) {
	return w.play(ctx, binary, plan, want)
}

// Learn returns what runs of a scenario are compared with.
func (w Worker) Learn(ctx context.Context, binary, scenario string) (*Baseline, error) {
	one, err := scenarioNamed(scenario)
	if err != nil {
		return nil, err
	}
	var results []Result
	for range 3 {
		result, err := w.play(ctx, binary, Plan{Scenario: scenario, Kind: NoFault}, nil)
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	baseline, failed := newBaseline(one, results)
	if failed != nil {
		return nil, fmt.Errorf("%s: %s", scenario, failed.Findings[0].What)
	}
	return &baseline, nil
}

func (w Worker) Stop() error { return w.stop() }

func SetPatience(time time.Duration) (before time.Duration) {
	before, patience = patience, time
	return before
}

// WithoutStore are the names of the scenarios without an object store.
func WithoutStore() (names []string) {
	for _, one := range scenarios() {
		if !one.store {
			names = append(names, one.name)
		}
	}
	return names
}
