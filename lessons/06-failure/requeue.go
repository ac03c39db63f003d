package main

import (
	"time"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// requeueAfter returns when to reconcile the object again even if no event arrives until then; 0 for never. Status
// is the one that this reconcile has written.
func requeueAfter(seen facts, status v1alpha1.SequentialJobStatus) time.Duration {
	next := untilDue(seen, status)
	if waitsToRetry(seen) && !finished(&status) {
		next = sooner(next, seen.retryAt.Sub(seen.now.Time))
	}
	return next
}

// sooner returns the shorter of two times, of which 0 stands for never.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return a + b
	}
	return min(a, b)
}

// untilDue returns the time until the deadline, or until the object expires; 0 where there is neither.
func untilDue(seen facts, status v1alpha1.SequentialJobStatus) time.Duration {
	// TODO(requeue): Return the time until the deadline, or until the object expires.
	// What is due already needs no requeue: this reconcile has dealt with it, or its own write causes
	// the next one. While the clock of the deadline stands still, nothing becomes due.
	return 0
}
