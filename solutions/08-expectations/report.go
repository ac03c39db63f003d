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
		//exercise:begin conflict-report Another client has written to the object, and the cache does not show that yet.
		return r.objectStaleIfConflict(ctx, object, err)
		//exercise:starter return err
		//exercise:end
	}
	//exercise:begin expect-report changed is now as the API server has it. What must the cache show?
	r.expectations.expectObject(changed)
	//exercise:end
	// Where the response to the write is lost, so are its events.
	r.send(object, eventsBetween(&object.Status, &status))
	return nil
}
