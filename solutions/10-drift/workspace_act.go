package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// act does what decideWorkspace has chosen, and returns the facts as they are afterwards.
func (r *workspaceReconciler) act(ctx context.Context, seen workspaceFacts, next workspaceAction) (workspaceFacts, error) {
	switch next {
	case addFinalizer, removeFinalizer:
		return r.setFinalizer(ctx, seen, next == addFinalizer)
	case look:
		return r.look(ctx, seen)
	case createBucket, anchorBucket, updateBucket, retainBucket, deleteBucket:
		return r.changeBucket(ctx, seen, next)
	default:
		return r.writeSecret(ctx, seen)
	}
}

// setFinalizer adds or removes our finalizer. Others may have finalizers of their own on the object.
func (r *workspaceReconciler) setFinalizer(ctx context.Context, seen workspaceFacts, present bool) (workspaceFacts, error) {
	object := seen.object.DeepCopy()
	if present {
		controllerutil.AddFinalizer(object, v1alpha1.FinalizerBucket)
	} else {
		controllerutil.RemoveFinalizer(object, v1alpha1.FinalizerBucket)
	}
	patch := client.MergeFromWithOptions(seen.object, client.MergeFromWithOptimisticLock{})
	if err := r.Patch(ctx, object, patch); err != nil {
		return seen, staleIfChanged(fmt.Errorf("setting the finalizer of Workspace %s: %w", object.Name, err))
	}
	r.versions.expect(object)
	seen.object = object
	return seen, nil
}

// look asks the store for the bucket.
func (r *workspaceReconciler) look(ctx context.Context, seen workspaceFacts) (workspaceFacts, error) {
	r.suspects.remove(seen.object.UID) // what is suspected from here on leads to another look
	found, err := r.store.look(ctx, v1alpha1.BucketName(seen.object.UID))
	if err != nil {
		// Whatever the store responds, it has not refused what the spec asks for.
		seen.problem = &problem{v1alpha1.ReasonStoreUnavailable, shorten(err.Error())}
		return seen, err
	}
	seen.looked, seen.bucket = true, found
	return seen, nil
}

// changeBucket changes the bucket, and looks what has become of it: that is for the store to say.
func (r *workspaceReconciler) changeBucket(ctx context.Context, seen workspaceFacts, next workspaceAction) (workspaceFacts, error) {
	if err := r.confirm(ctx, seen.object, next); err != nil {
		return seen, err
	}
	wanted := wanted(seen)
	var err error
	switch next {
	case createBucket:
		err = r.store.create(ctx, wanted)
	case anchorBucket:
		err = r.store.anchor(ctx, wanted.name)
	case updateBucket:
		seen, err = r.updateBucket(ctx, seen, wanted)
	case retainBucket:
		err = r.store.retain(ctx, seen.bucket)
	default:
		err = r.store.delete(ctx, wanted.name)
	}
	if err != nil {
		return storeFailed(seen, err)
	}
	return r.look(ctx, seen)
}

// updateBucket sends the settings. If they differ although the spec was conveyed, somebody has changed them.
func (r *workspaceReconciler) updateBucket(ctx context.Context, seen workspaceFacts, wanted wantedBucket) (workspaceFacts, error) {
	changed := conveyed(seen.object) && len(differs(seen)) > 0
	seen.reapplied = true
	err := r.store.update(ctx, wanted)
	if err == nil && changed {
		r.disputes.restored(seen.object.UID, seen.now.Time)
		seen.truce = r.disputes.truce(seen.object.UID)
		ctrl.LoggerFrom(ctx).Info("put back the settings of a bucket", "bucket", wanted.name, "settings", differs(seen))
	}
	return seen, err
}

// confirm makes sure that the cache shows the object's current state: before this process first changes anything in the store for the
// object, because the first list after a start may be stale, and before each creation and deletion, because a watch may be late. The
// store has no precondition that would refuse a bucket for an object that is gone, or the deletion of one that is to stay.
func (r *workspaceReconciler) confirm(ctx context.Context, object *v1alpha1.Workspace, next workspaceAction) error {
	if r.versions.knows(object) && next != createBucket && next != deleteBucket {
		return nil
	}
	live := &v1alpha1.Workspace{}
	err := r.live.Get(ctx, client.ObjectKeyFromObject(object), live)
	switch {
	case apierrors.IsNotFound(err), err == nil && live.UID != object.UID:
		return &staleError{of: v1alpha1.KindWorkspace}
	case err != nil:
		return fmt.Errorf("reading Workspace %s before changing its bucket: %w", object.Name, err)
	}
	r.versions.expect(live)
	if r.versions.stale(object) {
		return &staleError{of: v1alpha1.KindWorkspace}
	}
	return nil
}

// storeFailed turns an error of the store into what the status says. The error itself leads to a retry.
func storeFailed(seen workspaceFacts, err error) (workspaceFacts, error) {
	reason := v1alpha1.ReasonStoreUnavailable
	if refusedByStore(err) {
		reason = v1alpha1.ReasonStoreRefused
	}
	seen.problem = &problem{reason, shorten(err.Error())}
	return seen, err
}

// staleIfChanged returns a staleError if a write was refused because the object has changed, or is gone: its event is certain to arrive.
// A webhook may refuse a write with the same codes, and then none does.
func staleIfChanged(err error) error {
	if refusalOf(err) == nil && (apierrors.IsConflict(err) || apierrors.IsNotFound(err)) {
		return &staleError{of: v1alpha1.KindWorkspace}
	}
	return err
}
