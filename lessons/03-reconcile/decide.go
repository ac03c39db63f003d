package main

import (
	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// action is the one thing that a reconcile does.
type action string

const (
	doNothing    action = "nothing"
	createJob    action = "create the step's Job"
	refuseObject action = "refuse the object"
)

// decide says what to do next, and for which step. It is a pure function, so a test can give it any facts.
func decide(seen facts) (action, *v1alpha1.Step) {
	switch {
	case !managedByUs(seen.object):
		return doNothing, nil
	case !supported(seen.object):
		return refuseObject, nil
	}
	// TODO(order): Decide which step's turn it is, and whether it needs a Job.
	// Each step gets one Job, and only when the Jobs of all steps before it are complete.
	// A step that has failed ends the run: nothing starts after it.
	return doNothing, nil
}
