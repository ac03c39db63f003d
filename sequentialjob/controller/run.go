package controller

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// verdict is where a run stands: what the condition Succeeded is to say.
type verdict struct {
	status  metav1.ConditionStatus
	reason  string
	message string

	// mayClaim says that the current step's Job may be created in a later pass.
	mayClaim bool
}

// judgeRun says where the run stands, given the steps as the facts have settled them. The run has
// not failed as long as anything of it is active.
func judgeRun(status *v1alpha1.SequentialJobStatus, seen facts) verdict {
	object, job := seen.object, seen.job
	step := currentStep(status.Steps)
	active := activeJob(seen) != nil

	if failed := failedStep(object, status.Steps); failed != nil {
		return verdict{status: metav1.ConditionFalse, reason: runReason(object, failed), message: failure(failed)}
	}
	if step == nil {
		return judgeCompleted(status.Steps)
	}
	stoppedForTime := stopReason(&object.Status) == v1alpha1.ReasonDeadlineExceeded
	if active && isStray(step, job) && !stoppedForTime {
		return unknown(v1alpha1.ReasonJobDeleted, "Job %s was deleted and another one put in its place; stopping that one", step.JobName)
	}
	if stoppedForTime || deadlineReached(object, &object.Status, seen.now) {
		if active {
			return unknown(v1alpha1.ReasonDeadlineExceeded, "activeDeadlineSeconds has passed; stopping Job %s", step.JobName)
		}
		return verdict{status: metav1.ConditionFalse, reason: v1alpha1.ReasonDeadlineExceeded,
			message: fmt.Sprintf("activeDeadlineSeconds had passed before step %q", step.Name)}
	}
	if seen.refusal != nil && seen.refusal.reason != v1alpha1.ReasonInvalidJobTemplate {
		return unknown(seen.refusal.reason, "step %q: %s", step.Name, seen.refusal.message)
	}
	if ptr.Deref(object.Spec.Suspend, false) && (!active || jobSuspended(job)) {
		return unknown(v1alpha1.ReasonSuspended, "suspended at step %q", step.Name)
	}
	if recorded := summary(&object.Status); job == nil && step.JobName != "" && recorded != nil && standsUntilCreated(recorded.Reason) {
		return unknown(recorded.Reason, "%s", recorded.Message)
	}
	switch {
	case step.State == v1alpha1.StepPending:
		starting := unknown(v1alpha1.ReasonRunning, "step %q is about to start", step.Name)
		starting.mayClaim = true
		return starting
	case beingDeleted(job):
		return unknown(v1alpha1.ReasonRunning, "step %q: waiting for Job %s, which is being deleted, to be gone", step.Name, job.Name)
	case jobSuspendWanted(job):
		return unknown(v1alpha1.ReasonRunning, "step %q: Job %s is suspended or about to be", step.Name, job.Name)
	default:
		return unknown(v1alpha1.ReasonRunning, "step %q is running as Job %s", step.Name, job.Name)
	}
}

func unknown(reason, format string, args ...any) verdict {
	return verdict{status: metav1.ConditionUnknown, reason: reason, message: fmt.Sprintf(format, args...)}
}

func judgeCompleted(steps []v1alpha1.StepStatus) verdict {
	succeeded, failed, skipped := 0, 0, 0
	for _, step := range steps {
		switch step.State {
		case v1alpha1.StepSucceeded:
			succeeded++
		case v1alpha1.StepFailed:
			failed++
		case v1alpha1.StepSkipped:
			skipped++
		}
	}
	if failed > 0 {
		return verdict{status: metav1.ConditionTrue, reason: v1alpha1.ReasonStepsFailed,
			message: fmt.Sprintf("%d succeeded, %d failed with onFailure: Continue, %d skipped", succeeded, failed, skipped)}
	}
	return verdict{status: metav1.ConditionTrue, reason: v1alpha1.ReasonAllStepsSucceeded,
		message: fmt.Sprintf("%d succeeded, %d skipped", succeeded, skipped)}
}

// failedStep returns the step whose failure ends the run; nil when there is none. The steps are
// those of the spec, as ledger returns them. Whatever a step's
// onFailure says, a run that has been stopped at its deadline does not go on.
func failedStep(object *v1alpha1.SequentialJob, steps []v1alpha1.StepStatus) *v1alpha1.StepStatus {
	for i := range steps {
		step := &steps[i]
		if step.State != v1alpha1.StepFailed {
			continue
		}
		if spec := specOf(object, step); stoppedAtDeadline(object, step) || spec.OnFailure != v1alpha1.FailurePolicyContinue {
			return step
		}
	}
	return nil
}

// runReason is the run's reason for the failure of a step: the step's own if it is one of ours,
// StepFailed for all those that a Job can give.
func runReason(object *v1alpha1.SequentialJob, step *v1alpha1.StepStatus) string {
	switch {
	case step.Reason == v1alpha1.ReasonJobDeleted, step.Reason == v1alpha1.ReasonInvalidJobTemplate, stoppedAtDeadline(object, step):
		return step.Reason
	}
	return v1alpha1.ReasonStepFailed
}

// stoppedAtDeadline says whether the step is the one that was to be stopped at the run's deadline.
// A Job that fails at its own deadline bears the same reason.
func stoppedAtDeadline(object *v1alpha1.SequentialJob, step *v1alpha1.StepStatus) bool {
	return step.Name == object.Status.CurrentStep && step.Reason == v1alpha1.ReasonDeadlineExceeded &&
		stopReason(&object.Status) == v1alpha1.ReasonDeadlineExceeded
}

// failure tells people that and why the step failed.
func failure(step *v1alpha1.StepStatus) string {
	return fmt.Sprintf("step %q failed: %s: %s", step.Name, step.Reason, step.Message)
}

// finished says whether the run has ended.
func finished(status *v1alpha1.SequentialJobStatus) bool {
	recorded := summary(status)
	return recorded != nil && recorded.Status != metav1.ConditionUnknown
}

// stopReason returns why the run's active Job is to be stopped, as an earlier pass has claimed;
// empty when it isn't.
func stopReason(status *v1alpha1.SequentialJobStatus) string {
	recorded := summary(status)
	if recorded == nil || recorded.Status != metav1.ConditionUnknown {
		return ""
	}
	switch recorded.Reason {
	case v1alpha1.ReasonDeadlineExceeded, v1alpha1.ReasonJobDeleted:
		return recorded.Reason
	}
	return ""
}

// standsUntilCreated says whether a reason for not having created a Job holds until there is one,
// also in a pass that failed to try again.
func standsUntilCreated(reason string) bool {
	return reason == v1alpha1.ReasonJobConflict || reason == v1alpha1.ReasonJobRefused
}

func summary(status *v1alpha1.SequentialJobStatus) *metav1.Condition {
	return meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded)
}

// activeJob returns the Job that keeps the run active; nil when there is none.
func activeJob(seen facts) *batchv1.Job {
	if seen.job == nil || jobFinished(seen.job) {
		return nil
	}
	return seen.job
}
