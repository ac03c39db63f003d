package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// report writes the status if it changed, and then sends events about what it says now.
func (r *reconciler) report(ctx context.Context, object *v1alpha1.SequentialJob, status v1alpha1.SequentialJobStatus) error {
	if equality.Semantic.DeepEqual(object.Status, status) {
		return nil
	}
	changed := object.DeepCopy()
	changed.Status = status
	patch := client.MergeFromWithOptions(object, client.MergeFromWithOptimisticLock{})
	if err := r.Status().Patch(ctx, changed, patch); err != nil {
		if gone(err) {
			return nil // an object that is gone needs no status
		}
		err = fmt.Errorf("writing the status of SequentialJob %s: %w", object.Name, err)
		return r.objectStaleIfConflict(ctx, object, err)
	}
	r.expectations.expectObject(changed)
	// Where the response to the write is lost, so are its events.
	r.send(object, eventsBetween(&object.Status, &status))
	return nil
}
