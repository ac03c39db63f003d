package controller

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// outcome is the state of a run: what the condition Succeeded says.
type outcome struct {
	status  metav1.ConditionStatus
	reason  string
	message string

	// mayClaim says that a later reconcile may create the current step's Job.
	mayClaim bool
}

// outcomeOf returns the state of the run, given the steps as updateStep has left them. The first
// case that applies counts, and the strongest come first. An end is final, so nothing overrides it.
// A finished run has no active Job, so a Job that must stop comes before everything that lets the
// run continue. An obstacle explains why nothing moves, so it comes before normal progress.
func outcomeOf(status *v1alpha1.SequentialJobStatus, seen facts) outcome {
	object, job, recorded := seen.object, seen.job, summary(&seen.object.Status)
	step, failed := currentStep(status.Steps), failedStep(status.Steps, seen)
	active := activeJob(seen) != nil
	stopping := stoppingAtDeadline(object)
	timeIsUp := stopping || deadlineReached(seen)
	starting, lost := step != nil && step.State == v1alpha1.StepPending && job == nil, lostWorkspace(seen)

	switch {
	// The end.
	case failed != nil:
		return outcome{status: metav1.ConditionFalse, reason: runReason(failed, seen), message: failure(failed)}
	case step == nil:
		return completedOutcome(status.Steps)
	case timeIsUp && !active:
		return outcome{status: metav1.ConditionFalse, reason: v1alpha1.ReasonDeadlineExceeded,
			message: fmt.Sprintf("activeDeadlineSeconds had passed before step %q", step.Name)}
	case starting && lost != "":
		return outcome{status: metav1.ConditionFalse, reason: v1alpha1.ReasonWorkspaceLost,
			message: fmt.Sprintf("step %q can't start: %s", step.Name, lost)}

	// A Job that must stop. The reason that was claimed first is kept.
	case active && isReplacement(step, job) && !stopping:
		return unknown(v1alpha1.ReasonJobDeleted, "Job %s was deleted and replaced; stopping the replacement", step.JobName)
	case timeIsUp:
		return unknown(v1alpha1.ReasonDeadlineExceeded, "activeDeadlineSeconds has passed; stopping Job %s", step.JobName)

	// An obstacle.
	case seen.refusal != nil && seen.refusal.reason != v1alpha1.ReasonInvalidJobTemplate:
		return unknown(seen.refusal.reason, "step %q: %s", step.Name, seen.refusal.message)
	case suspendWanted(object) && (!active || jobSuspended(job)):
		return unknown(v1alpha1.ReasonSuspended, "suspended at step %q", step.Name)
	case starting && !workspaceUsable(seen):
		condition := workspaceCondition(seen)
		return unknown(condition.Reason, "step %q has not started: %s", step.Name, condition.Message)
	case job == nil && step.JobName != "" && recorded != nil && standsUntilCreated(recorded.Reason):
		return unknown(recorded.Reason, "%s", recorded.Message)

	// Normal progress.
	case step.State == v1alpha1.StepPending:
		next := unknown(v1alpha1.ReasonRunning, "step %q is about to start", step.Name)
		next.mayClaim = true
		return next
	case beingDeleted(job):
		return unknown(v1alpha1.ReasonRunning, "step %q: waiting until Job %s, which is being deleted, is gone", step.Name, job.Name)
	case jobSuspendWanted(job):
		return unknown(v1alpha1.ReasonRunning, "step %q: Job %s is suspended or about to be", step.Name, job.Name)
	default:
		return unknown(v1alpha1.ReasonRunning, "step %q is running as Job %s", step.Name, job.Name)
	}
}

func unknown(reason, format string, args ...any) outcome {
	return outcome{status: metav1.ConditionUnknown, reason: reason, message: fmt.Sprintf(format, args...)}
}

func completedOutcome(steps []v1alpha1.StepStatus) outcome {
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
		return outcome{status: metav1.ConditionTrue, reason: v1alpha1.ReasonStepsFailed,
			message: fmt.Sprintf("%d succeeded, %d failed with onFailure: Continue, %d skipped", succeeded, failed, skipped)}
	}
	return outcome{status: metav1.ConditionTrue, reason: v1alpha1.ReasonAllStepsSucceeded,
		message: fmt.Sprintf("%d succeeded, %d skipped", succeeded, skipped)}
}

// failedStep returns the step whose failure ends the run; nil when there is none. The steps are
// those of the spec, as ledger returns them. A run that was stopped at its deadline does not
// continue, whatever the step's onFailure says.
func failedStep(steps []v1alpha1.StepStatus, seen facts) *v1alpha1.StepStatus {
	for i := range steps {
		step := &steps[i]
		if step.State != v1alpha1.StepFailed {
			continue
		}
		if spec := specOf(seen.object, step); stoppedAtDeadline(step, seen) || spec.OnFailure != v1alpha1.FailurePolicyContinue {
			return step
		}
	}
	return nil
}

// runReason is the run's reason for the failure of a step: the step's own reason if this controller
// gave it, StepFailed for every reason that a Job can give.
func runReason(step *v1alpha1.StepStatus, seen facts) string {
	if step.Reason == v1alpha1.ReasonJobDeleted || step.Reason == v1alpha1.ReasonInvalidJobTemplate || stoppedAtDeadline(step, seen) {
		return step.Reason
	}
	return v1alpha1.ReasonStepFailed
}

// failure says which step failed, and why.
func failure(step *v1alpha1.StepStatus) string {
	return fmt.Sprintf("step %q failed: %s: %s", step.Name, step.Reason, step.Message)
}

// finished says whether the run has ended.
func finished(status *v1alpha1.SequentialJobStatus) bool {
	recorded := summary(status)
	return recorded != nil && recorded.Status != metav1.ConditionUnknown
}

// stopReason returns why the run's active Job must stop, as an earlier reconcile has claimed; empty
// when it need not.
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
// also in a reconcile that failed before it could try again.
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
