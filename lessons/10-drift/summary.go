package main

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// verdict is the outcome of a run so far: the content of the condition Succeeded.
type verdict struct {
	status  metav1.ConditionStatus
	reason  string
	message string
}

// summarize returns the verdict on a run with these steps, as settle has left them. The first case that applies
// counts. An end is final, so it comes before everything else.
func summarize(steps []v1alpha1.StepStatus, seen facts) verdict {
	step, recorded := currentStep(steps), summaryOf(&seen.object.Status)
	if failed := failedStep(steps, seen); failed != nil {
		return verdict{metav1.ConditionFalse, runReason(failed, seen), failure(failed)}
	}
	if step == nil {
		return completed(steps)
	}
	job := seen.jobs[step.Name]
	switch {
	// The run has ended only once nothing of it can run any more.
	case timeIsUp(seen) && job == nil:
		return verdict{metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, fmt.Sprintf("activeDeadlineSeconds had passed before step %q", step.Name)}
	case job == nil && step.State == v1alpha1.StepPending && lostWorkspace(seen) != "":
		return verdict{metav1.ConditionFalse, v1alpha1.ReasonWorkspaceLost, fmt.Sprintf("step %q can't start: %s", step.Name, lostWorkspace(seen))}
	case timeIsUp(seen):
		return unknown(v1alpha1.ReasonDeadlineExceeded, "activeDeadlineSeconds has passed; stopping Job %s", job.Name)
	case seen.refusal != nil && !seen.refusal.final:
		return unknown(seen.refusal.reason, "step %q can't start: %s", step.Name, seen.refusal.message)
	case suspendWanted(seen.object) && !active(step, seen):
		return unknown(v1alpha1.ReasonSuspended, "suspended at step %q", step.Name)
	case job == nil && step.State == v1alpha1.StepPending && !workspaceUsable(seen):
		return unknown(workspaceCondition(seen).Reason, "step %q has not started: %s", step.Name, workspaceCondition(seen).Message)
	// What was refused stays so until an attempt succeeds.
	case job == nil && recorded != nil && standsUntilCreated(recorded.Reason) && step.Name == seen.object.Status.CurrentStep:
		return unknown(recorded.Reason, "%s", recorded.Message)
	case step.State == v1alpha1.StepPending:
		return unknown(v1alpha1.ReasonRunning, "step %q is about to start", step.Name)
	}
	return unknown(v1alpha1.ReasonRunning, "step %q is running as Job %s", step.Name, step.JobName)
}

// standsUntilCreated says whether a reason why a Job could not be created holds until it is, also in a reconcile that failed
// before it could try again.
func standsUntilCreated(reason string) bool {
	return reason == v1alpha1.ReasonJobRefused || reason == v1alpha1.ReasonJobConflict
}

func unknown(reason, format string, args ...any) verdict {
	return verdict{metav1.ConditionUnknown, reason, fmt.Sprintf(format, args...)}
}

// failure says in a sentence which step failed, and why.
func failure(step *v1alpha1.StepStatus) string {
	return fmt.Sprintf("step %q failed: %s: %s", step.Name, step.Reason, step.Message)
}

// failedStep returns the step whose failure ends the run, or nil if there is none.
func failedStep(steps []v1alpha1.StepStatus, seen facts) *v1alpha1.StepStatus {
	for i := range steps {
		step := &steps[i]
		if step.State != v1alpha1.StepFailed {
			continue
		}
		if specOf(seen.object, step).OnFailure != v1alpha1.FailurePolicyContinue || stoppedAtDeadline(step, seen) {
			return step
		}
	}
	return nil
}

// completed is the verdict on a run of which each step has ended, and none of them has ended the run.
func completed(steps []v1alpha1.StepStatus) verdict {
	count := map[v1alpha1.StepState]int{}
	for i := range steps {
		count[steps[i].State]++
	}
	reason := v1alpha1.ReasonAllStepsSucceeded
	if count[v1alpha1.StepFailed] > 0 {
		reason = v1alpha1.ReasonStepsFailed
	}
	return verdict{metav1.ConditionTrue, reason, fmt.Sprintf("%d succeeded, %d failed, %d skipped",
		count[v1alpha1.StepSucceeded], count[v1alpha1.StepFailed], count[v1alpha1.StepSkipped])}
}

// runReason is the run's reason if a step has failed: the step's own reason if it is one of ours,
// StepFailed for any reason that a Job can give.
func runReason(failed *v1alpha1.StepStatus, seen facts) string {
	switch failed.Reason {
	case v1alpha1.ReasonJobDeleted, v1alpha1.ReasonInvalidJobTemplate:
		return failed.Reason
	}
	if stoppedAtDeadline(failed, seen) {
		return failed.Reason
	}
	return v1alpha1.ReasonStepFailed
}
