package main

import (
	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// stampGeneration says which generation of the spec the status speaks of, and each of our conditions.
// All of them are worked out anew in every pass, so they speak of the same one.
func stampGeneration(status *v1alpha1.SequentialJobStatus, seen facts) {
	// TODO(generation): Write it into observedGeneration, the status's own and that of each condition of ours.
	// It has to be the generation that this pass has read, and no later one.
}
