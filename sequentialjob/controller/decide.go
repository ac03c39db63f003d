package controller

import (
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// action is the one thing that a pass does beside writing the status.
type action string

const (
	doNothing    action = "nothing"
	createJob    action = "create the step's Job"
	suspendJob   action = "suspend the step's Job"
	resumeJob    action = "resume the step's Job"
	stopJob      action = "delete the step's Job"
	deleteObject action = "delete the SequentialJob"
)

// decide says what to do next. It goes by the recorded status only: a Job is created for a step, or
// stopped, when an earlier pass has claimed that in the status.
func decide(seen facts) action {
	object, job := seen.object, seen.job
	if finished(&object.Status) {
		if left, limited := timeToLive(object, &object.Status, seen.now); limited && left <= 0 {
			return deleteObject
		}
		return doNothing
	}
	step := currentStep(object.Status.Steps)
	if step == nil || step.JobName == "" || specOf(object, step) == nil {
		return doNothing
	}

	suspend := ptr.Deref(object.Spec.Suspend, false)
	stopping := stopReason(&object.Status) != ""
	switch {
	case job == nil && step.State == v1alpha1.StepPending && step.JobUID == "" && seen.created == "" && !suspend && !stopping && !deadlineReached(object, &object.Status, seen.now):
		return createJob
	case job == nil, jobFinished(job), beingDeleted(job):
		return doNothing
	case stopping:
		return stopJob
	case suspend && !jobSuspendWanted(job):
		return suspendJob
	case !suspend && jobSuspendWanted(job):
		return resumeJob
	default:
		return doNothing
	}
}

// currentStep returns the first step that is not over; nil when all are.
func currentStep(steps []v1alpha1.StepStatus) *v1alpha1.StepStatus {
	for i := range steps {
		if !stepOver(&steps[i]) {
			return &steps[i]
		}
	}
	return nil
}

func stepOver(step *v1alpha1.StepStatus) bool {
	return step.State != v1alpha1.StepPending && step.State != v1alpha1.StepRunning
}
