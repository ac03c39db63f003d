package main

import (
	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// action is the one thing that a reconcile does besides writing the status.
type action string

const (
	doNothing    action = "nothing"
	createJob    action = "create the step's Job"
	suspendJob   action = "suspend the step's Job"
	resumeJob    action = "resume the step's Job"
	stopJob      action = "delete the step's Job"
	deleteObject action = "delete the SequentialJob"
	stopLateJob  action = "delete a Job that was created after the end of the run"
)

// decide says what to do next, and for which step. It is a pure function, so a test can give it any facts.
func decide(seen facts) (action, *v1alpha1.Step) {
	if expired(seen) {
		return deleteObject, nil
	}
	if seen.late != nil {
		return stopLateJob, nil
	}
	step := currentStep(ledger(seen.object))
	if step == nil {
		return doNothing, nil
	}
	job := seen.jobs[step.Name]
	suspend := suspendWanted(seen.object)
	switch {
	case job == nil && step.State == v1alpha1.StepPending && !suspend && !timeIsUp(seen):
		return createJob, specOf(seen.object, step)
	case job == nil, jobFinished(job), beingDeleted(job):
		return doNothing, nil
	case stopping(seen.object):
		return stopJob, specOf(seen.object, step)
	case suspend && !jobSuspendWanted(job):
		return suspendJob, specOf(seen.object, step)
	case !suspend && jobSuspendWanted(job) && !timeIsUp(seen):
		return resumeJob, specOf(seen.object, step)
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
