package campaign

import (
	"context"
	"time"

	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/stage"
)

// patience is how long a controller may need for what it has to do, after the last thing that happened
// to it: more than its longest wait before a retry.
var patience = 30 * time.Second

// performance is one run of a plan.
type performance struct {
	*stage.Stage
	scenario scenario
	plan     Plan
	want     *Baseline // nil when the baseline has to be measured

	next   int // of the scenario's acts
	rests  []invariants.Interval
	missed []proxy.Fault // that had found nothing to strike when the run had come to its end
}

func (w *worker) open(ctx context.Context, binary string, plan Plan, want *Baseline) (*performance, error) {
	scenario, err := scenarioNamed(plan.Scenario)
	if err != nil {
		return nil, err
	}
	controller := w.controller
	controller.Binary = binary
	options := stage.Options{Controller: controller, Patience: patience}
	if scenario.store {
		options.WithStore, options.Kinds, options.Args = true, withWorkspaces, []string{"--drift-interval=" + interval.String()}
	}
	if plan.Kind == native {
		options.Native, options.Rules = true, []invariants.ID{}
	}
	opened, err := w.ground.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	opened.Inject(plan.Faults...)
	return &performance{Stage: opened, scenario: scenario, plan: plan, want: want}, nil
}
