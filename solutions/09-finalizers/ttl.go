package main

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// timeToLive returns how much longer a finished SequentialJob is kept, given its status, and whether that is limited.
func timeToLive(object *v1alpha1.SequentialJob, status *v1alpha1.SequentialJobStatus, now metav1.Time) (left time.Duration, limited bool) {
	if object.Spec.TTLSecondsAfterFinished == nil || status.CompletionTime == nil {
		return 0, false
	}
	ttl := time.Duration(*object.Spec.TTLSecondsAfterFinished) * time.Second
	return status.CompletionTime.Add(ttl).Sub(now.Time), true
}

// expired says whether the object has been kept for as long as its user wants.
func expired(seen facts) bool {
	left, limited := timeToLive(seen.object, &seen.object.Status, seen.now)
	return limited && left <= 0 && finished(&seen.object.Status)
}

// deleteObject deletes a SequentialJob. The garbage collector then deletes its Jobs, because of their owner references.
func (r *reconciler) deleteObject(ctx context.Context, object *v1alpha1.SequentialJob) error {
	err := r.Delete(ctx, object, exactly(object), client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err != nil && !gone(err) {
		return r.objectStaleIfConflict(ctx, object, fmt.Errorf("deleting SequentialJob %s after its ttlSecondsAfterFinished: %w", object.Name, err))
	}
	return nil
}
