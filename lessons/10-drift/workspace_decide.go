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
	anchorBucket    workspaceAction = "anchor the bucket"
	updateBucket    workspaceAction = "update the bucket"
	retainBucket    workspaceAction = "mark the bucket as one that stays"
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
	if !hasFinalizer(seen.object) {
		return addFinalizer
	}
	if next := decideBucket(seen); next != nothingToDo && seen.problem == nil {
		return next
	}
	return decideSecret(seen)
}

// decideBucket says what to do next to make the bucket as the spec asks for.
func decideBucket(seen workspaceFacts) workspaceAction {
	switch {
	case isLost(seen):
		return nothingToDo
	case !seen.looked && mustLook(seen):
		return look
	case !seen.looked:
		return nothingToDo
	case seen.bucket == nil:
		return createBucket
	case !isOwn(seen.bucket, seen.object), len(locked(seen)) > 0:
		return nothingToDo
	case disputed(seen):
		return nothingToDo
	case len(differs(seen)) > 0, mustReapply(seen):
		return updateBucket
	case !anchored(seen):
		return anchorBucket // after the update: with other settings, the store may not keep the anchor
	}
	return nothingToDo
}

// anchored says whether the bucket has its anchor. Until the status relies on the bucket, nobody can have lost anything by its removal.
func anchored(seen workspaceFacts) bool {
	return !seen.bucket.blank && (seen.object.Status.Bucket != nil || !seen.bucket.emptied)
}

// mustLook says whether the status is not enough to know that the bucket is as the spec asks for.
func mustLook(seen workspaceFacts) bool {
	// TODO(poll): With --drift=poll and --drift=reapply, each reconcile has to look, whatever the status says: no other part of the
	// process does. lookAgainAfter says when the next reconcile comes.
	return seen.suspect || !upToDate(seen.object)
}

// mustReapply says whether the settings have to be sent although none differs.
func mustReapply(seen workspaceFacts) bool {
	// TODO(reapply): With --drift=reapply, each reconcile sends the settings once. seen.reapplied says that it has done so.
	return false
}

// disputed says whether settings that somebody keeps changing are left as they are for a while. A new spec is conveyed at once.
func disputed(seen workspaceFacts) bool {
	// TODO(dispute): Somebody changes a setting, you put it back, they change it again, and so on, as fast as both can. seen.truce says
	// until when to leave it alone. But a spec that the store does not have yet is conveyed immediately, and a bucket that does not
	// differ is not disputed. bucketCondition reports what you return.
	return false
}

// isLost says whether files of the Workspace are lost, as this reconcile has seen or an earlier one has recorded.
func isLost(seen workspaceFacts) bool {
	return recordedReason(seen.object) == v1alpha1.ReasonContentLost || lossOf(seen) != ""
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
// refused a new spec. They can't use one that the last look has found to be wrong.
func hasBucket(seen workspaceFacts) bool {
	usable := !foundWrong(seen.object)
	if seen.looked {
		usable = seen.bucket != nil && isOwn(seen.bucket, seen.object) && len(locked(seen)) == 0
	}
	return bucketReady(seen) || seen.object.Status.Bucket != nil && usable && !isLost(seen)
}

// decideEnd says what to do next for a Workspace that is being deleted. The finalizer goes last.
func decideEnd(seen workspaceFacts) workspaceAction {
	if !hasFinalizer(seen.object) {
		return nothingToDo
	}
	retain := seen.object.Spec.DeletionPolicy == v1alpha1.DeletionPolicyRetain
	switch {
	case !seen.looked:
		return look
	case seen.bucket == nil, !isOwn(seen.bucket, seen.object):
		return removeFinalizer
	// TODO(retain): Add a case here: once the Workspace is gone, only the mark markRetain can say that the bucket is to stay. If the bucket
	// does not have it yet, retainBucket has to come before the finalizer goes.
	case retain:
		return removeFinalizer
	}
	return deleteBucket
}

// bucketReady says whether this reconcile has seen that the bucket is as the spec asks for.
func bucketReady(seen workspaceFacts) bool {
	return seen.looked && !isLost(seen) && seen.bucket != nil && isOwn(seen.bucket, seen.object) &&
		anchored(seen) && len(differs(seen)) == 0 && len(locked(seen)) == 0
}

func hasFinalizer(object *v1alpha1.Workspace) bool {
	return controllerutil.ContainsFinalizer(object, v1alpha1.FinalizerBucket)
}
