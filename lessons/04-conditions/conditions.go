package main

import (
	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// setConditions is the one place that sets conditions.
func setConditions(status *v1alpha1.SequentialJobStatus, run verdict, seen facts) {
	// TODO(conditions): Set Accepted as acceptedCondition returns it, and Succeeded as the verdict says.
	// Each needs its lastTransitionTime too: the time at which its status last changed. Conditions that
	// other controllers have set stay. Suspended comes in lesson 5.
}
