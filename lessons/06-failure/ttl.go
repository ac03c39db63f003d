package main

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// timeToLive returns how much longer a finished SequentialJob is kept, given its status, and whether that is limited.
func timeToLive(object *v1alpha1.SequentialJob, status *v1alpha1.SequentialJobStatus, now metav1.Time) (left time.Duration, limited bool) {
	// TODO(ttl): Calculate how much longer the object is kept.
	// spec.ttlSecondsAfterFinished counts from the end of the run. Without it, the object is kept.
	return 0, false
}

// expired says whether the object has been kept for as long as its user wants.
func expired(seen facts) bool {
	left, limited := timeToLive(seen.object, &seen.object.Status, seen.now)
	return limited && left <= 0 && finished(&seen.object.Status)
}

// deleteObject deletes a SequentialJob. The garbage collector then deletes its Jobs, because of their owner references.
func (r *reconciler) deleteObject(ctx context.Context, object *v1alpha1.SequentialJob) error {
	// TODO(delete-object): Delete this object, and no other one.
	// What the cache shows may be stale: somebody may have created another object of this name since, or
	// changed ttlSecondsAfterFinished.
	return nil
}
