package controller

import (
	"time"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// timeToLive returns how long a finished object is still to be kept, and whether there is a limit.
func timeToLive(object *v1alpha1.SequentialJob, status *v1alpha1.SequentialJobStatus, now time.Time) (time.Duration, bool) {
	if object.Spec.TTLSecondsAfterFinished == nil || status.CompletionTime == nil {
		return 0, false
	}
	ttl := time.Duration(*object.Spec.TTLSecondsAfterFinished) * time.Second
	return status.CompletionTime.Add(ttl).Sub(now), true
}
