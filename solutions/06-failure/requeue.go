package main

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// requeueAfter returns when to reconcile the object again even if no event arrives until then; 0 for never. Status
// is the one that this reconcile has written.
func requeueAfter(seen facts, status v1alpha1.SequentialJobStatus) time.Duration {
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
