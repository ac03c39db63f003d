package main

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// setConditions is the one place that sets conditions.
func setConditions(status *v1alpha1.SequentialJobStatus, run verdict, seen facts) {
	for _, condition := range []metav1.Condition{
		acceptedCondition(seen.object),
		suspendedCondition(status.Steps, run, seen),
		{Type: v1alpha1.ConditionSucceeded, Status: run.status, Reason: run.reason, Message: run.message},
	} {
		condition.LastTransitionTime = seen.now
		meta.SetStatusCondition(&status.Conditions, condition)
	}
}
