package workspace

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// action is one thing that a reconcile does apart from writing the status.
type action string

const (
	doNothing       action = "nothing"
	addFinalizer    action = "add the finalizer"
	look            action = "look at the bucket"
	createBucket    action = "create the bucket"
	anchorBucket    action = "anchor the bucket"
	updateBucket    action = "update the bucket"
	retainBucket    action = "mark the bucket as one that stays"
	deleteBucket    action = "delete the bucket"
	createSecret    action = "create the Secret"
	updateSecret    action = "update the Secret"
	removeFinalizer action = "remove the finalizer"
)

// decide says what to do next. After each action it is asked again, with the facts as they are then.
func decide(seen facts) action {
	switch {
	case !seen.store:
		return doNothing
	case beingDeleted(seen.object):
		return decideEnd(seen)
	}
	if next := decideBucket(seen); next != doNothing {
		return next
	}
	return decideSecret(seen)
}

func decideBucket(seen facts) action {
	switch {
	case seen.bucketProblem != nil:
		return doNothing
	case !hasFinalizer(seen.object):
		return addFinalizer // before there is anything outside that only the object knows of
	case lost(seen):
		return doNothing
	case mustLook(seen):
		return look
	case seen.looked && seen.bucket == nil:
		return createBucket
	case seen.looked && !usable(seen.bucket):
		return doNothing
	case seen.looked && len(seen.bucket.differs) > 0:
		if disputed(seen) {
			return doNothing
		}
		return updateBucket
	case seen.looked && !anchored(seen.bucket):
		return anchorBucket // after the update: with other settings, the store may not keep the anchor
	default:
		return doNothing
	}
}

func decideSecret(seen facts) action {
	switch {
	case seen.secretProblem != nil, seen.foreignSecret != nil, seen.now.Before(seen.secretRetry), !hasBucket(seen):
		return doNothing
	case seen.secret == nil:
		return createSecret
	case seen.secretDiffers:
		return updateSecret
	default:
		return doNothing
	}
}

// decideEnd says what to do next for an object that is being deleted. The finalizer goes last: when the store has said that the
// bucket is gone, or that it is not this Workspace's, or when it is to stay.
func decideEnd(seen facts) action {
	retain := seen.object.Spec.DeletionPolicy == v1alpha1.DeletionPolicyRetain
	switch {
	case seen.bucketProblem != nil, !hasFinalizer(seen.object):
		return doNothing
	case !seen.looked:
		return look
	case seen.bucket == nil, !seen.bucket.mine:
		return removeFinalizer
	case retain && !seen.bucket.retained:
		return retainBucket // or it would be swept as an orphan
	case retain:
		return removeFinalizer
	default:
		return deleteBucket
	}
}

// mustLook says whether the status is not enough to know that the bucket is as the spec asks for.
func mustLook(seen facts) bool {
	recorded := seen.object.Status.Bucket
	upToDate := recorded != nil && recorded.Generation == seen.object.Generation && !seen.suspect &&
		meta.IsStatusConditionTrue(seen.object.Status.Conditions, v1alpha1.ConditionBucketReady)
	return !seen.looked && !upToDate
}

// usable says whether the bucket may be the Workspace's.
func usable(bucket *foundBucket) bool {
	return bucket != nil && bucket.mine && len(bucket.locked) == 0
}

// hasBucket says whether the Workspace has a bucket, so far as is known. If it has had one, programs use it also while the store does
// not respond, or refuses a new spec.
func hasBucket(seen facts) bool {
	hadBucket := seen.object.Status.Bucket != nil && (!seen.looked || usable(seen.bucket)) && !lost(seen) && !foundWrong(seen)
	return hadBucket || conveyed(seen)
}

// anchored says whether the bucket has content, so that it shows if somebody removes all of it. One that was emptied before the
// status relied on it has lost nothing of the Workspace's, and is anchored like a new one.
func anchored(bucket *foundBucket) bool {
	return !bucket.blank && !bucket.emptied
}

// lost says whether files of the Workspace are gone: its bucket is, or there is another one in its place, or nothing is left in
// it. That is final, because an empty bucket would pass for the one with the files.
func lost(seen facts) bool {
	return lossOf(seen) != ""
}

// lossOf says what has been lost; empty for nothing.
func lossOf(seen facts) string {
	recorded, bucket := seen.object.Status.Bucket, seen.bucket
	condition := meta.FindStatusCondition(seen.object.Status.Conditions, v1alpha1.ConditionBucketReady)
	switch {
	case condition != nil && condition.Reason == v1alpha1.ReasonContentLost:
		return condition.Message
	case recorded == nil || !seen.looked:
		return ""
	case bucket == nil:
		return "bucket " + recorded.Name + " was deleted" + afterLoss
	case !bucket.mine:
		return "" // somebody has changed its mark: a conflict
	case !bucket.created.Equal(recorded.Created.Time):
		return "bucket " + recorded.Name + " was deleted, and another one created in its place" + afterLoss
	case bucket.emptied, bucket.blank: // a status relies on an anchored bucket only, so the store has lost the anchor too
		return "all files in bucket " + recorded.Name + " were removed" + afterLoss
	}
	return ""
}

// disputed says whether a setting that somebody keeps changing is left as it is for a while. A new spec is conveyed at once.
func disputed(seen facts) bool {
	recorded := seen.object.Status.Bucket
	return recorded != nil && recorded.Generation == seen.object.Generation && seen.now.Before(seen.truce)
}

const afterLoss = "; what was in it is lost, so this Workspace stays unusable: create another one"
