package main

import (
	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// setConditions is the one place that sets conditions.
func setConditions(status *v1alpha1.SequentialJobStatus, run verdict, seen facts) {
	// TODO(conditions): Set the conditions Accepted, which is True so far, and Succeeded, as the verdict says.
	// Each needs a reason: ReasonAccepted, and the verdict's. A transition time says when the
	// condition's status changed last. Conditions of others stay. Suspended comes in lesson 5.
}
