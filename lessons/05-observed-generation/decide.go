package main

import (
	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// action is the one thing that a reconcile does besides writing the status.
type action string

const (
	doNothing  action = "nothing"
	createJob  action = "create the step's Job"
	suspendJob action = "suspend the step's Job"
	resumeJob  action = "resume the step's Job"
)

// decide says what to do next, and for which step. It is a pure function, so a test can give it any facts.
func decide(seen facts) (action, *v1alpha1.Step) {
	// New in lesson 4.
	if !supported(seen.object) {
		return doNothing, nil
	}
	step := currentStep(ledger(seen.object))
	// New in lesson 5.
	if step == nil {
		return doNothing, nil
	}
	job := seen.jobs[step.Name]
	// TODO(turns): Take spec.suspend into account.
	// While it is set, no step starts, and a Job that has not finished is suspended. Once it is not
	// set any more, that Job is resumed. Never change a finished Job, even if its step is still
	// recorded as Running. A Job that is being deleted can stay as it is: its pods end anyway.
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
