package main

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

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
	//exercise:begin requeue Return the time until the deadline, or until the object expires.
	//exercise:task What is due already needs no requeue: this reconcile has dealt with it, or its own write causes
	//exercise:task the next one. While the clock of the deadline stands still, nothing becomes due.
	left, limited := timeLeft(seen.object, &status, seen.now)
	switch {
	case finished(&status):
		left, limited = timeToLive(seen.object, &status, seen.now)
	case meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionSuspended):
		return 0 // the clock stands still until an event arrives
	}
	if !limited {
		return 0
	}
	return max(0, left)
	//exercise:starter return 0
	//exercise:end
}
