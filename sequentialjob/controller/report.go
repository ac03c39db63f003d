package controller

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/sequentialjob/internal/admission"
)

// report writes the status if it changed, and then sends events and updates metrics about what it
// says. The patch holds only for the state that was read, so it never overwrites what another client
// has written since.
//
// When the response to the write is lost, so are its events and counts: a later reconcile finds the
// status written and has nothing to report. They are never sent for what is not in the status.
func (r *Reconciler) report(ctx context.Context, seen facts, status v1alpha1.SequentialJobStatus) error {
	before := &seen.object.Status
	if !changed(before, &status) {
		return nil
	}
	// The spec can't differ, so it is left out of the comparison.
	read := &v1alpha1.SequentialJob{ObjectMeta: metav1.ObjectMeta{
		Namespace: seen.object.Namespace, Name: seen.object.Name, ResourceVersion: seen.object.ResourceVersion,
	}, Status: *before}
	object := read.DeepCopy()
	object.Status = status
	patch := client.MergeFromWithOptions(read, client.MergeFromWithOptimisticLock{})
	if err := r.Status().Patch(ctx, object, patch); err != nil {
		if admission.Gone(err) {
			return nil // what is gone needs no status
		}
		return r.objectStaleIfConflict(ctx, seen.object, fmt.Errorf("writing the status of SequentialJob %s: %w", object.Name, err))
	}
	r.expectations.expectObject(object)

	r.sendEvents(object, before)
	r.countSteps(seen, before, &status)
	return nil
}

func changed(before, after *v1alpha1.SequentialJobStatus) bool {
	return !equality.Semantic.DeepEqual(*before, *after)
}
