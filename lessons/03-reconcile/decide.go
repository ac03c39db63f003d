package main

import (
	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// action is the one thing that a pass does.
type action string

const (
	doNothing action = "nothing"
	createJob action = "create the step's Job"
)

// decide says what to do next, and for which step. It calls nobody and changes nothing, so a test can
// show it any situation.
func decide(seen facts) (action, *v1alpha1.Step) {
	// TODO(order): Find the step whose turn it is.
	// It gets a Job if it has none; nothing is done as long as its Job runs, and nothing more
	// once a step has failed or all are complete. seen.jobs has the Jobs by their step's name;
	// jobComplete says whether one has done its work.
	return doNothing, nil
}
