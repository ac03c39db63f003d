package main

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// stampGeneration records which generation of the spec the status and each of our conditions are about.
// Each reconcile computes all of them again, so all are about the same one.
func stampGeneration(status *v1alpha1.SequentialJobStatus, seen facts) {
	status.ObservedGeneration = seen.object.Generation
	for _, conditionType := range []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionSuspended, v1alpha1.ConditionWorkspaceReady, v1alpha1.ConditionSucceeded} {
		if condition := meta.FindStatusCondition(status.Conditions, conditionType); condition != nil {
			condition.ObservedGeneration = seen.object.Generation
		}
	}
}
