package main

import (
	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// action is the one thing that a reconcile does besides writing the status.
type action string

const (
	doNothing action = "nothing"
	createJob action = "create the step's Job"
)

// decide says what to do next, and for which step. It is a pure function, so a test can give it any facts.
func decide(seen facts) (action, *v1alpha1.Step) {
	// New in lesson 4.
	if !supported(seen.object) {
		return doNothing, nil
	}
	// TODO(ledger): Decide from what is recorded, no longer from the Jobs that exist.
	// The current step is the first that is not recorded as finished. It gets a Job only if none
	// was ever recorded for it, and none exists.
	for i := range seen.object.Spec.Steps {
		step := &seen.object.Spec.Steps[i]
		job := seen.jobs[step.Name]
		switch {
		case job == nil:
			return createJob, step
		case !jobComplete(job):
			return doNothing, step // it is running, or it has failed and ends the run
		}
	}
	return doNothing, nil
}

// specOf returns the step's entry in the spec.
func specOf(object *v1alpha1.SequentialJob, step *v1alpha1.StepStatus) *v1alpha1.Step {
	for i := range object.Spec.Steps {
		if object.Spec.Steps[i].Name == step.Name {
			return &object.Spec.Steps[i]
		}
	}
	return nil
}
