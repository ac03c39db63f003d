package main

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// lookAgain is how long a Job without our label may go on before the controller looks at it again.
const lookAgain = 10 * time.Second

// requeueAfter returns when to reconcile the object again even if no event arrives until then; 0 for never. Status
// is the one that this reconcile has written.
func requeueAfter(seen facts, status v1alpha1.SequentialJobStatus) time.Duration {
	next := untilDue(seen, status)
	//exercise:begin unwatched A Job that the cache does not have sends no events: look at it again after lookAgain.
	//exercise:task What is due earlier comes earlier. A finished run has no Job to wait for.
	if seen.unwatched && !finished(&status) {
		next = sooner(next, lookAgain)
	}
	//exercise:end
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
}
