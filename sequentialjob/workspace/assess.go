package workspace

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// lookAgain is after how long a reconcile looks again at what no event tells of: another owner's bucket or Secret that has a name
// of ours, and settings that can't be put back.
const lookAgain = time.Minute

// assess returns the status that the facts call for.
func assess(seen facts) v1alpha1.WorkspaceStatus {
	status := *seen.object.Status.DeepCopy()
	status.ObservedGeneration = seen.object.Generation
	if conveyed(seen) {
		status.Bucket = &v1alpha1.BucketStatus{
			Name:       v1alpha1.BucketName(seen.object.UID),
			Created:    metav1.NewMicroTime(seen.bucket.created),
			Generation: seen.object.Generation,
		}
	}
	if seen.secret != nil && !seen.secretDiffers {
		status.Binding = &v1alpha1.BindingStatus{Name: seen.secret.Name}
	}
	setConditions(&status, seen)
	return status
}

// conveyed says whether the store has what the spec asks for.
func conveyed(seen facts) bool {
	return seen.looked && !beingDeleted(seen.object) && usable(seen.bucket) && anchored(seen.bucket) && len(seen.bucket.differs) == 0 && !lost(seen)
}

// setConditions is the one place that sets conditions.
func setConditions(status *v1alpha1.WorkspaceStatus, seen facts) {
	bucket, binding := bucketCondition(seen), bindingCondition(seen)
	for _, condition := range []metav1.Condition{bucket, binding, readyCondition(bucket, binding)} {
		condition.ObservedGeneration = status.ObservedGeneration
		condition.LastTransitionTime = metav1.NewTime(seen.now.Truncate(time.Second))
		meta.SetStatusCondition(&status.Conditions, condition)
	}
}

func bucketCondition(seen facts) metav1.Condition {
	is := func(status metav1.ConditionStatus, reason, format string, args ...any) metav1.Condition {
		return metav1.Condition{Type: v1alpha1.ConditionBucketReady, Status: status, Reason: reason, Message: fmt.Sprintf(format, args...)}
	}
	name, bucket := v1alpha1.BucketName(seen.object.UID), seen.bucket
	waiting := ""
	if beingDeleted(seen.object) {
		waiting = "the Workspace can't go yet: "
	}
	switch {
	case !seen.store && !lost(seen):
		return is(metav1.ConditionFalse, v1alpha1.ReasonNoStore, "%sthe operator runs without an object store; set NATS_URL in its environment", waiting)
	case !seen.looked && (unconfirmed(seen) || foundWrong(seen)):
		return *meta.FindStatusCondition(seen.object.Status.Conditions, v1alpha1.ConditionBucketReady)
	case unconfirmed(seen):
		return is(metav1.ConditionTrue, v1alpha1.ReasonDrifted,
			"somebody has changed %s of bucket %s, which could not be put back yet: %s", strings.Join(bucket.differs, ", "), name, seen.bucketProblem.message)
	case seen.bucketProblem != nil:
		status := metav1.ConditionUnknown
		if seen.bucketProblem.reason == v1alpha1.ReasonStoreRefused {
			status = metav1.ConditionFalse
		}
		return is(status, seen.bucketProblem.reason, "%s%s", waiting, seen.bucketProblem.message)
	case beingDeleted(seen.object) && seen.looked && bucket == nil:
		return is(metav1.ConditionFalse, v1alpha1.ReasonDeleted, "bucket %s is gone", name)
	case beingDeleted(seen.object) && seen.looked && bucket.mine && seen.object.Spec.DeletionPolicy == v1alpha1.DeletionPolicyRetain && bucket.retained:
		return is(metav1.ConditionFalse, v1alpha1.ReasonRetained, "bucket %s stays, as spec.deletionPolicy asks for", name)
	case beingDeleted(seen.object) && seen.looked && bucket.mine:
		return is(metav1.ConditionUnknown, v1alpha1.ReasonPending, "%sspec.deletionPolicy is %s, and bucket %s is as it was", waiting, seen.object.Spec.DeletionPolicy, name)
	case lost(seen):
		return is(metav1.ConditionFalse, v1alpha1.ReasonContentLost, "%s", lossOf(seen))
	case !seen.looked:
		return recordedOr(seen, is(metav1.ConditionUnknown, v1alpha1.ReasonPending, "bucket %s has not been looked at yet", name))
	case bucket == nil:
		return is(metav1.ConditionUnknown, v1alpha1.ReasonPending, "bucket %s is about to be created", name)
	case !bucket.mine:
		return is(metav1.ConditionFalse, v1alpha1.ReasonBucketConflict,
			"a bucket named %s exists, and its mark says that it belongs to %s; it is left alone: delete it, or this Workspace", name, bucket.owner)
	case len(bucket.locked) > 0:
		return is(metav1.ConditionFalse, v1alpha1.ReasonCannotRestore,
			"somebody has changed %s of bucket %s, which can't be put back without losing its files: copy them to another Workspace", strings.Join(bucket.locked, ", "), name)
	case len(bucket.differs) > 0 && disputed(seen):
		return is(metav1.ConditionFalse, v1alpha1.ReasonDisputed,
			"somebody keeps changing %s of bucket %s; the operator puts it back again at %s", strings.Join(bucket.differs, ", "), name, seen.truce.UTC().Format(time.TimeOnly))
	case len(bucket.differs) > 0, !anchored(bucket):
		return is(metav1.ConditionUnknown, v1alpha1.ReasonPending, "bucket %s is about to be updated", name)
	case bucket.overfull:
		return is(metav1.ConditionTrue, v1alpha1.ReasonOverfull,
			"bucket %s holds more than spec.capacity: its files stay, and new ones are refused", name)
	default:
		return is(metav1.ConditionTrue, v1alpha1.ReasonReady, "bucket %s is as the spec asks for", name)
	}
}

// unconfirmed says whether the bucket was as it should be when it was last seen so, has or may have other settings since, and the store
// does not respond now. It stays ready: steps must not wait because a single request has failed.
func unconfirmed(seen facts) bool {
	recorded := seen.object.Status.Bucket
	return unavailable(seen) && !beingDeleted(seen.object) && !lost(seen) &&
		(!seen.looked || usable(seen.bucket)) &&
		recorded != nil && recorded.Generation == seen.object.Generation &&
		meta.IsStatusConditionTrue(seen.object.Status.Conditions, v1alpha1.ConditionBucketReady)
}

// foundWrong says whether the last look has found that the bucket can't be used, and the store does not respond now. Then what was
// found is still the best that is known.
func foundWrong(seen facts) bool {
	recorded := meta.FindStatusCondition(seen.object.Status.Conditions, v1alpha1.ConditionBucketReady)
	if recorded == nil || !unavailable(seen) || beingDeleted(seen.object) {
		return false
	}
	switch recorded.Reason {
	case v1alpha1.ReasonBucketConflict, v1alpha1.ReasonCannotRestore:
		return true // a new spec does not change that
	case v1alpha1.ReasonDisputed:
		return recorded.ObservedGeneration == seen.object.Generation
	}
	return false
}

// unavailable says whether the store does not respond now.
func unavailable(seen facts) bool {
	return seen.bucketProblem != nil && seen.bucketProblem.reason == v1alpha1.ReasonStoreUnavailable
}

func bindingCondition(seen facts) metav1.Condition {
	is := func(status metav1.ConditionStatus, reason, format string, args ...any) metav1.Condition {
		return metav1.Condition{Type: v1alpha1.ConditionBindingReady, Status: status, Reason: reason, Message: fmt.Sprintf(format, args...)}
	}
	name := v1alpha1.BindingName(seen.object.Name)
	switch {
	case seen.secretProblem != nil:
		return is(metav1.ConditionFalse, seen.secretProblem.reason, "%s", seen.secretProblem.message)
	case seen.foreignSecret != nil:
		return is(metav1.ConditionFalse, v1alpha1.ReasonSecretConflict, "a Secret named %s exists, and this Workspace does not own it; it is left alone: %s", name, wayOut(seen.foreignSecret, seen.object))
	case seen.secret != nil && !seen.secretDiffers:
		return is(metav1.ConditionTrue, v1alpha1.ReasonReady, "Secret %s has what a program needs", name)
	case beingDeleted(seen.object):
		return recordedOr(seen, is(metav1.ConditionFalse, v1alpha1.ReasonDeleted, "Secret %s goes with the Workspace", name))
	case seen.now.Before(seen.secretRetry):
		return recordedOr(seen, is(metav1.ConditionFalse, v1alpha1.ReasonSecretRefused, "Secret %s was refused", name))
	case !seen.store: // observe has not read the Secret
		return recordedOr(seen, is(metav1.ConditionUnknown, v1alpha1.ReasonPending, "Secret %s comes once the operator has an object store", name))
	case hasBucket(seen):
		return is(metav1.ConditionUnknown, v1alpha1.ReasonPending, "Secret %s is about to be written", name)
	default:
		return is(metav1.ConditionUnknown, v1alpha1.ReasonPending, "Secret %s comes once the bucket is ready", name)
	}
}

// readyCondition is the summary. What is known to be wrong outranks what is not known.
func readyCondition(bucket, binding metav1.Condition) metav1.Condition {
	for _, status := range []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionUnknown} {
		for _, part := range []metav1.Condition{bucket, binding} {
			if part.Status == status {
				return metav1.Condition{Type: v1alpha1.ConditionReady, Status: status, Reason: part.Reason, Message: part.Message}
			}
		}
	}
	return metav1.Condition{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, Reason: bucket.Reason,
		Message: bucket.Message + "; " + binding.Message}
}

// recordedOr is the condition as it is recorded, if it is.
func recordedOr(seen facts, other metav1.Condition) metav1.Condition {
	if recorded := meta.FindStatusCondition(seen.object.Status.Conditions, other.Type); recorded != nil {
		return *recorded
	}
	return other
}

// requeueAfter returns when to reconcile again even if no event arrives until then; 0 for never.
func requeueAfter(seen facts) time.Duration {
	var moments []time.Duration
	switch {
	case beingDeleted(seen.object), !seen.store, lost(seen):
		return 0
	case seen.looked && usable(seen.bucket) && len(seen.bucket.differs) > 0:
		moments = append(moments, max(time.Millisecond, seen.truce.Sub(seen.now)))
	case seen.looked && !usable(seen.bucket), seen.foreignSecret != nil:
		moments = append(moments, lookAgain)
	}
	if seen.now.Before(seen.secretRetry) {
		moments = append(moments, seen.secretRetry.Sub(seen.now))
	}
	if len(moments) == 0 {
		return 0
	}
	return slices.Min(moments)
}
