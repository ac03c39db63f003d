package main

import (
	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// action is the one thing that a pass does beside writing the status.
type action string

const (
	doNothing action = "nothing"
	createJob action = "create the step's Job"
)

// decide says what to do next, and for which step. It calls nobody and changes nothing, so a test can
// show it any situation.
func decide(seen facts) (action, *v1alpha1.Step) {
	// TODO(ledger): Go by what is recorded, no longer by the Jobs that are there.
	// The step whose turn it is is the first that the ledger does not know to be over. It gets a
	// Job only if none was ever recorded for it and none is there.
	for i := range seen.object.Spec.Steps {
		step := &seen.object.Spec.Steps[i]
		job := seen.jobs[step.Name]
		switch {
		case job == nil:
			return createJob, step
		case !jobComplete(job):
			return doNothing, step // it runs, or it has failed and ends the run
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
