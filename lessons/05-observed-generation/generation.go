package main

import (
	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// stampGeneration records which generation of the spec the status and each of our conditions are about.
// Each reconcile computes all of them again, so all are about the same one.
func stampGeneration(status *v1alpha1.SequentialJobStatus, seen facts) {
	// TODO(generation): Record the generation in the status, and in each condition that this controller sets.
	// It is the generation that this reconcile has read, and never a later one.
}
