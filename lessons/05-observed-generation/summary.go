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

// summarize returns the verdict on a run with these steps, as settle has left them.
func summarize(steps []v1alpha1.StepStatus, seen facts) verdict {
	for i := range steps {
		if failed := &steps[i]; failed.State == v1alpha1.StepFailed {
			return verdict{metav1.ConditionFalse, runReason(failed), fmt.Sprintf("step %q failed: %s: %s", failed.Name, failed.Reason, failed.Message)}
		}
	}
	step := currentStep(steps)
	switch {
	case step == nil:
		return verdict{metav1.ConditionTrue, v1alpha1.ReasonAllStepsSucceeded, fmt.Sprintf("%d succeeded", len(steps))}
	case seen.refusal != "":
		return unknown(v1alpha1.ReasonJobRefused, "step %q can't start: %s", step.Name, seen.refusal)
	// New in lesson 5.
	case suspendWanted(seen.object) && !active(step, seen):
		return unknown(v1alpha1.ReasonSuspended, "suspended at step %q", step.Name)
	case step.State == v1alpha1.StepPending:
		return unknown(v1alpha1.ReasonRunning, "step %q is about to start", step.Name)
	}
	return unknown(v1alpha1.ReasonRunning, "step %q is running as Job %s", step.Name, step.JobName)
}

func unknown(reason, format string, args ...any) verdict {
	return verdict{metav1.ConditionUnknown, reason, fmt.Sprintf(format, args...)}
}

// runReason is the run's reason if a step has failed: the step's own reason if it is one of ours,
// StepFailed for any reason that a Job can give.
func runReason(failed *v1alpha1.StepStatus) string {
	if failed.Reason == v1alpha1.ReasonJobDeleted {
		return failed.Reason
	}
	return v1alpha1.ReasonStepFailed
}
