package main

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// stampGeneration says which generation of the spec the status speaks of, and each of our conditions.
// All of them are worked out anew in every pass, so they speak of the same one.
func stampGeneration(status *v1alpha1.SequentialJobStatus, seen facts) {
	//exercise:begin generation Write it into observedGeneration, the status's own and that of each condition of ours.
	//exercise:task It has to be the generation that this pass has read, and no later one.
	status.ObservedGeneration = seen.object.Generation
	for _, conditionType := range []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionSuspended, v1alpha1.ConditionSucceeded} {
		if condition := meta.FindStatusCondition(status.Conditions, conditionType); condition != nil {
			condition.ObservedGeneration = seen.object.Generation
		}
	}
	//exercise:end
}
