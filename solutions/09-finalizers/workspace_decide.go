package main

import (
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// workspaceAction is one thing that a reconcile does besides writing the status.
type workspaceAction string

const (
	nothingToDo     workspaceAction = "do nothing"
	addFinalizer    workspaceAction = "add the finalizer"
	look            workspaceAction = "look at the bucket"
	createBucket    workspaceAction = "create the bucket"
	updateBucket    workspaceAction = "update the bucket"
	deleteBucket    workspaceAction = "delete the bucket"
	createSecret    workspaceAction = "create the Secret"
	updateSecret    workspaceAction = "update the Secret"
	removeFinalizer workspaceAction = "remove the finalizer"
)

// decideWorkspace says what to do next. It is a pure function. After each action it is asked again, with the facts as they are then.
func decideWorkspace(seen workspaceFacts) workspaceAction {
	if beingDeleted(seen.object) {
		if seen.problem != nil {
			return nothingToDo
		}
		return decideEnd(seen)
	}
	//exercise:begin finalizer From when on must the API server keep the object until you have cleaned up?
	if !hasFinalizer(seen.object) {
		return addFinalizer
	}
	//exercise:end
	if next := decideBucket(seen); next != nothingToDo && seen.problem == nil {
		return next
	}
	return decideSecret(seen)
}

// decideBucket says what to do next to make the bucket as the spec asks for.
func decideBucket(seen workspaceFacts) workspaceAction {
	//exercise:begin ensure Look before you change something, but only if upToDate says that the store may not have the spec. Leave a
	//exercise:task bucket alone that is not the Workspace's, and create none in place of one that is lost. If the bucket is as it should
	//exercise:task be, there is nothing to do. changeBucket looks again after a change.
	wanted := wantedBucket(seen.object)
	switch {
	case !seen.looked && !upToDate(seen.object):
		return look
	case !seen.looked, lossOf(seen) != "":
		return nothingToDo
	case seen.bucket == nil:
		return createBucket
	case isOwn(seen.bucket, seen.object) && seen.bucket.capacity != wanted.capacity:
		return updateBucket
	}
	//exercise:end
	return nothingToDo
}

// decideSecret says what to do next to make the Secret, once the bucket is there.
func decideSecret(seen workspaceFacts) workspaceAction {
	switch {
	case seen.secretRefusal != "", seen.now.Before(&seen.retryAt), !hasBucket(seen):
		return nothingToDo
	case seen.secret == nil:
		return createSecret
	case ownsSecret(seen) && secretDiffers(seen):
		return updateSecret
	}
	return nothingToDo
}

// hasBucket says whether the Workspace has a bucket, as far as is known. Programs use it also while the store does not respond, or has
// refused a new spec.
func hasBucket(seen workspaceFacts) bool {
	usable := !seen.looked || seen.bucket != nil && isOwn(seen.bucket, seen.object) && lossOf(seen) == ""
	return bucketReady(seen) || seen.object.Status.Bucket != nil && usable
}

// decideEnd says what to do next for a Workspace that is being deleted. The finalizer goes last.
func decideEnd(seen workspaceFacts) workspaceAction {
	if !hasFinalizer(seen.object) {
		return nothingToDo
	}
	//exercise:begin finalize What has to be known before the finalizer may go? Think of a bucket that is gone, of one that is not the
	//exercise:task Workspace's, and of spec.deletionPolicy. If the store has not responded, decideWorkspace decides to do nothing.
	switch {
	case seen.object.Spec.DeletionPolicy == v1alpha1.DeletionPolicyRetain:
		return removeFinalizer
	case !seen.looked:
		return look
	case seen.bucket == nil, !isOwn(seen.bucket, seen.object):
		return removeFinalizer
	}
	return deleteBucket
	//exercise:starter return removeFinalizer
	//exercise:end
}

// bucketReady says whether this reconcile has seen that the bucket is as the spec asks for.
func bucketReady(seen workspaceFacts) bool {
	return seen.looked && lossOf(seen) == "" && seen.bucket != nil && isOwn(seen.bucket, seen.object) &&
		seen.bucket.capacity == wantedBucket(seen.object).capacity
}

func hasFinalizer(object *v1alpha1.Workspace) bool {
	return controllerutil.ContainsFinalizer(object, v1alpha1.FinalizerBucket)
}
