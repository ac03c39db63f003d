package main

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// act does what was decided.
func (r *reconciler) act(ctx context.Context, seen facts, next action, step *v1alpha1.Step) error {
	switch next {
	case createJob:
		return r.createJob(ctx, seen, step)
	case refuseObject:
		ctrl.LoggerFrom(ctx).Info("refused the object: " + startAtUnsupported)
		return nil
	default:
		return nil
	}
}

func (r *reconciler) createJob(ctx context.Context, seen facts, step *v1alpha1.Step) error {
	job := newJob(seen.object, step)
	if err := r.Create(ctx, job); err != nil {
		return fmt.Errorf("creating the Job of step %s: %w", step.Name, err)
	}
	ctrl.LoggerFrom(ctx).Info("created the step's Job", "step", step.Name, "job", job.Name)
	return nil
}
