package main

import (
	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// settle records what the facts say about the current step. Its state only moves forward.
func settle(step *v1alpha1.StepStatus, seen facts) {
	// TODO(settle): Record where the step stands, and all that people will ask about it.
	// A step that has a Job is running, or else it has succeeded or failed, as its Job tells.
	// With it go JobName and JobUID, StartTime (when the Job was created) and CompletionTime, and
	// for a failure Reason and Message, as the Job's condition gives them. A step that is recorded
	// as running and whose Job is gone has failed (ReasonJobDeleted): nobody knows what it has done.
}
