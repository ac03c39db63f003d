package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// setConditions is the one place that sets conditions.
func setConditions(status *v1alpha1.SequentialJobStatus, run verdict, seen facts) {
	suspended := suspendedCondition(status.Steps, run, seen)
	before := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSuspended)
	countSuspension(status, before, suspended.Status, seen.now)

	conditions := []metav1.Condition{
		acceptedCondition(status.Steps),
		suspended,
		{Type: v1alpha1.ConditionSucceeded, Status: run.status, Reason: run.reason, Message: run.message},
	}
	if workspaceName(seen.object) != "" {
		conditions = append(conditions, workspaceCondition(seen))
	}
	for _, condition := range conditions {
		condition.LastTransitionTime = seen.now
		meta.SetStatusCondition(&status.Conditions, condition)
	}
}

// acceptedCondition is the condition Accepted of a run with these steps: whether the API server accepts their Jobs.
func acceptedCondition(steps []v1alpha1.StepStatus) metav1.Condition {
	for _, step := range steps {
		if step.Reason == v1alpha1.ReasonInvalidJobTemplate {
			return metav1.Condition{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionFalse, Reason: step.Reason, Message: fmt.Sprintf("step %q: %s", step.Name, step.Message)}
		}
	}
	return metav1.Condition{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAccepted, Message: "the spec is accepted"}
}
