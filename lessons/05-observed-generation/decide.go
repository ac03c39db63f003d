package main

import (
	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// action is the one thing that a pass does beside writing the status.
type action string

const (
	doNothing  action = "nothing"
	createJob  action = "create the step's Job"
	suspendJob action = "suspend the step's Job"
	resumeJob  action = "resume the step's Job"
)

// decide says what to do next, and for which step. It calls nobody and changes nothing, so a test can
// show it any situation.
func decide(seen facts) (action, *v1alpha1.Step) {
	step := currentStep(ledger(seen.object))
	if step == nil {
		return doNothing, nil
	}
	job := seen.jobs[step.Name]
	// TODO(turns): Take spec.suspend into account.
	// While it is set nothing starts, and a Job that has not finished is to be suspended; once it
	// is no longer set, such a Job is to be resumed. A Job that has finished is let alone, recorded
	// or not. One that is being deleted may be: its pods go anyway.
	if job == nil && step.State == v1alpha1.StepPending {
		return createJob, specOf(seen.object, step)
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
