package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// confirm makes sure, before this process first acts on an object, that the cache shows its current state. After a restart, the
// first list may be stale: the process would act on a ledger to which its predecessor has written since. Deleting the object
// needs no such check, because the request holds only for the state that was seen.
func (r *reconciler) confirm(ctx context.Context, seen facts, next action) error {
	if next == doNothing || next == deleteObject || r.expectations.knows(seen.object) {
		return nil
	}
	if err := r.expectCurrent(ctx, seen.object); err != nil {
		return err
	}
	if r.expectations.objectStale(seen.object) {
		return &staleError{of: v1alpha1.Kind}
	}
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
	step := currentStep(ledger(seen.object))
	if step == nil || seen.jobs[step.Name] == nil || jobFinished(seen.jobs[step.Name]) || seen.unwatched || r.expectations.knowsJobOf(seen.object) || equality.Semantic.DeepEqual(seen.object.Status, status) {
		return nil
	}
	cached := seen.jobs[step.Name]
	live, err := r.readJob(ctx, cached.Namespace, cached.Name)
	if err != nil {
		return err
	}
	if live == nil || live.UID != cached.UID || live.ResourceVersion != cached.ResourceVersion {
		return r.expectLive(seen, cached, live)
	}
	r.expectations.confirmJob(seen.object)
	return nil
}
