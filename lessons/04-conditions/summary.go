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
	// TODO(summary): Summarize the run: False once a step has failed, True once all have succeeded, else Unknown.
	// After a failure the message names the step, with the step's own reason and message. Until the run
	// ends, it says what the run is doing, or in the API server's words why it refuses the Job.
	return unknown(v1alpha1.ReasonRunning, "the run has no summary yet")
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
