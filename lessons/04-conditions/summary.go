package main

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// verdict is where a run stands: what the condition Succeeded is to say.
type verdict struct {
	status  metav1.ConditionStatus
	reason  string
	message string
}

// judge says where the run stands, given the steps as the facts have settled them.
func judge(steps []v1alpha1.StepStatus, seen facts) verdict {
	// TODO(summary): Sum the run up: False once a step has failed, True once all have succeeded, else Unknown.
	// The message of a failure names the step and passes on the step's own reason and message.
	// While the run goes on it says what the run is at; a refusal is told in the server's words.
	return unknown(v1alpha1.ReasonRunning, "nobody has summed it up yet")
}

func unknown(reason, format string, args ...any) verdict {
	return verdict{metav1.ConditionUnknown, reason, fmt.Sprintf(format, args...)}
}

// runReason is the run's reason for the failure of a step: the step's own if it is one of ours,
// StepFailed for all those that a Job can give.
func runReason(failed *v1alpha1.StepStatus) string {
	if failed.Reason == v1alpha1.ReasonJobDeleted {
		return failed.Reason
	}
	return v1alpha1.ReasonStepFailed
}
