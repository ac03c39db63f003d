package main

import (
	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// settle records what the facts say about the current step. Its state only moves forward.
func settle(step *v1alpha1.StepStatus, seen facts) {
	// TODO(settle): Record the step's state, and what users will ask about the step.
	// A step with a Job is running until its Job has completed or failed. Set jobName and jobUID.
	// Record when the Job was created, when it finished and, in the Job's own words, why it failed.
	// A step that is recorded as running, but whose Job no longer exists, has failed with the reason
	// JobDeleted: nobody knows what it has done.
}
