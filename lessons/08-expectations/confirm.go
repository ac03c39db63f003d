package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// confirm makes sure, before this process first acts on an object, that the cache shows its current state. After a restart, the
// first list may be stale: the process would act on a ledger to which its predecessor has written since. Deleting the object
// needs no such check, because the request holds only for the state that was seen.
func (r *reconciler) confirm(ctx context.Context, seen facts, next action) error {
	// TODO(confirm): Read the object live, once, if this process does not know it yet and next is to act on it: expectCurrent does that.
	// If the cache shows an older state, wait. If not, this process knows the object from now on.
	return nil
}

// expectCurrent expects the cache to show the object as the API server has it now. It returns a staleError if the object is gone, or if
// another one has its name.
func (r *reconciler) expectCurrent(ctx context.Context, object *v1alpha1.SequentialJob) error {
	live := &v1alpha1.SequentialJob{}
	err := r.live.Get(ctx, client.ObjectKeyFromObject(object), live)
	switch {
	case apierrors.IsNotFound(err), err == nil && live.UID != object.UID:
		return &staleError{of: v1alpha1.Kind}
	case err != nil:
		return fmt.Errorf("reading SequentialJob %s as it is now: %w", object.Name, err)
	}
	r.expectations.expectObject(live)
	return nil
}

// confirmJob makes sure, before this process first writes a status about a Job, that the cache shows the Job's current state. Each
// kind has its own watch, so the object may be current, even if confirm has read it, and its Job stale: the status would report
// a suspension that is over. A Job that has ended can't run again, so don't read it live.
func (r *reconciler) confirmJob(ctx context.Context, seen facts, status v1alpha1.SequentialJobStatus) error {
	// TODO(confirm-job): Read the current step's Job live, once, if it comes from the cache and the status is about to be written.
	// If it is not as the cache shows it, wait, but not without a limit. From then on, this process knows it.
	return nil
}
