package main

import (
	"time"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// requeueAfter returns when to reconcile the object again even if no event arrives until then; 0 for never. Status
// is the one that this reconcile has written.
func requeueAfter(seen facts, status v1alpha1.SequentialJobStatus) time.Duration {
	// TODO(requeue): Return the time until the deadline, or until the object expires.
	// What is due already needs no requeue: this reconcile has dealt with it, or its own write causes
	// the next one. While the clock of the deadline stands still, nothing becomes due.
	return 0
}
