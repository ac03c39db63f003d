package controller

import "example.com/controller-course/sequentialjob/api/v1alpha1"

// action is the one thing that a reconcile does apart from writing the status.
type action string

const (
	doNothing       action = "nothing"
	createWorkspace action = "create the run's Workspace"
	createJob       action = "create the step's Job"
	suspendJob      action = "suspend the step's Job"
	resumeJob       action = "resume the step's Job"
	stopJob         action = "delete the step's Job"
	deleteObject    action = "delete the SequentialJob"
)

// decide says what to do next. It relies on the recorded status only: a Job is created or stopped
// when an earlier reconcile has claimed that in the status.
func decide(seen facts) action {
	object, job := seen.object, seen.job
	if finished(&object.Status) {
		if left, limited := timeToLive(object, &object.Status, seen.now); limited && left <= 0 {
			return deleteObject
		}
		if seen.job != nil {
			return stopJob
		}
		return doNothing
	}
	if mayCreateWorkspace(seen) && !waitsToRetry(seen) {
		return createWorkspace
	}
	step := currentStep(object.Status.Steps)
	if step == nil || step.JobName == "" || specOf(object, step) == nil {
		return doNothing
	}

	switch {
	case mayCreate(step, seen) && waitsToRetry(seen):
		return doNothing
	case mayCreate(step, seen):
		return createJob
	case job == nil, jobFinished(job), beingDeleted(job):
		return doNothing
	case stopReason(&object.Status) != "":
		return stopJob
	case suspendWanted(object) && !jobSuspendWanted(job):
		return suspendJob
	case !suspendWanted(object) && jobSuspendWanted(job) && !deadlineReached(seen):
		return resumeJob
	default:
		return doNothing
	}
}

// mayCreate says whether the claimed step may have its Job now: it has not had one, as far as the
// status and this process know, and the run may continue.
func mayCreate(step *v1alpha1.StepStatus, seen facts) bool {
	hadNone := seen.job == nil && step.State == v1alpha1.StepPending && step.JobUID == "" && seen.created == ""
	return hadNone && !halted(seen) && workspaceUsable(seen)
}

// halted says whether nothing new may start.
func halted(seen facts) bool {
	return suspendWanted(seen.object) || stopReason(&seen.object.Status) != "" || deadlineReached(seen)
}

// waitsToRetry says whether it is too early to ask again for what the API server has refused.
func waitsToRetry(seen facts) bool { return seen.now.Before(seen.retryAt) }

// suspendWanted says whether the user wants the run suspended.
func suspendWanted(object *v1alpha1.SequentialJob) bool {
	return object.Spec.Suspend != nil && *object.Spec.Suspend
}

// currentStep returns the first step that is not finished; nil when all are.
func currentStep(steps []v1alpha1.StepStatus) *v1alpha1.StepStatus {
	for i := range steps {
		if !stepFinished(&steps[i]) {
			return &steps[i]
		}
	}
	return nil
}

func stepFinished(step *v1alpha1.StepStatus) bool {
	return step.State != v1alpha1.StepPending && step.State != v1alpha1.StepRunning
}
