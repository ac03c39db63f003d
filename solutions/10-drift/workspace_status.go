package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// assessWorkspace returns the status that follows from the facts. Like decideWorkspace, it is a pure function.
func assessWorkspace(seen workspaceFacts) v1alpha1.WorkspaceStatus {
	status := *seen.object.Status.DeepCopy()
	status.ObservedGeneration = seen.object.Generation
	if bucketReady(seen) {
		status.Bucket = &v1alpha1.BucketStatus{
			Name: seen.bucket.name, Created: metav1.NewMicroTime(seen.bucket.created), Generation: seen.object.Generation,
		}
	}
	if ownsSecret(seen) && !secretDiffers(seen) {
		status.Binding = &v1alpha1.BindingStatus{Name: seen.secret.Name}
	}
	bucket, binding := bucketCondition(seen), bindingCondition(seen)
	for _, condition := range []metav1.Condition{bucket, binding, readyCondition(bucket, binding)} {
		condition.ObservedGeneration = seen.object.Generation
		condition.LastTransitionTime = seen.now
		meta.SetStatusCondition(&status.Conditions, condition)
	}
	return status
}

// bucketCondition is the condition BucketReady. The first case that applies counts.
func bucketCondition(seen workspaceFacts) metav1.Condition {
	is := func(status metav1.ConditionStatus, reason, format string, args ...any) metav1.Condition {
		return metav1.Condition{Type: v1alpha1.ConditionBucketReady, Status: status, Reason: reason, Message: fmt.Sprintf(format, args...)}
	}
	name, loss := v1alpha1.BucketName(seen.object.UID), lossOf(seen)
	recorded := meta.FindStatusCondition(seen.object.Status.Conditions, v1alpha1.ConditionBucketReady)
	switch {
	case beingDeleted(seen.object) && seen.problem != nil:
		return is(metav1.ConditionUnknown, seen.problem.reason, "the Workspace can't go yet: %s", seen.problem.message)
	case beingDeleted(seen.object) && seen.object.Spec.DeletionPolicy == v1alpha1.DeletionPolicyRetain:
		return is(metav1.ConditionFalse, v1alpha1.ReasonRetained, "the Workspace is being deleted, and spec.deletionPolicy is Retain")
	case beingDeleted(seen.object):
		return is(metav1.ConditionFalse, v1alpha1.ReasonDeleted, "the Workspace is being deleted")
	case recorded != nil && recorded.Reason == v1alpha1.ReasonContentLost:
		return *recorded // what is lost stays lost
	case loss != "":
		return is(metav1.ConditionFalse, v1alpha1.ReasonContentLost, "%s", loss)
	case recorded != nil && seen.problem != nil && seen.problem.reason == v1alpha1.ReasonStoreUnavailable && (conveyed(seen.object) || foundWrong(seen.object)):
		return *recorded // a store that does not respond says nothing about the bucket
	case seen.problem != nil:
		return is(metav1.ConditionUnknown, seen.problem.reason, "%s", seen.problem.message)
	case seen.looked && seen.bucket != nil && !isOwn(seen.bucket, seen.object):
		return is(metav1.ConditionFalse, v1alpha1.ReasonBucketConflict, "a bucket named %s exists, and it is not this Workspace's; delete it, or this Workspace", name)
	//exercise:begin locked Somebody has changed settings that the store never changes back: locked returns them. Report BucketReady=False
	//exercise:task with v1alpha1.ReasonCannotRestore, with their names and what a user can do.
	case seen.looked && seen.bucket != nil && len(locked(seen)) > 0:
		return is(metav1.ConditionFalse, v1alpha1.ReasonCannotRestore,
			"somebody has changed %s of bucket %s, which the store never changes back; copy the files to another Workspace", strings.Join(locked(seen), ", "), name)
	//exercise:end
	case seen.looked && seen.bucket != nil && disputed(seen):
		return is(metav1.ConditionFalse, v1alpha1.ReasonDisputed,
			"somebody keeps changing %s of bucket %s; they are put back at %s", strings.Join(differs(seen), ", "), name, seen.truce.UTC().Format(time.TimeOnly))
	case bucketReady(seen), !seen.looked && upToDate(seen.object):
		return is(metav1.ConditionTrue, v1alpha1.ReasonReady, "bucket %s is as the spec asks for", name)
	case recorded != nil && recorded.Status == metav1.ConditionTrue && seen.reapplied && conveyed(seen.object):
		return *recorded // somebody has changed a setting again since it was put back, and the retry comes soon
	}
	return is(metav1.ConditionUnknown, v1alpha1.ReasonPending, "bucket %s is not ready yet", name)
}

// bindingCondition is the condition BindingReady.
func bindingCondition(seen workspaceFacts) metav1.Condition {
	is := func(status metav1.ConditionStatus, reason, format string, args ...any) metav1.Condition {
		return metav1.Condition{Type: v1alpha1.ConditionBindingReady, Status: status, Reason: reason, Message: fmt.Sprintf(format, args...)}
	}
	name := v1alpha1.BindingName(seen.object.Name)
	recorded := meta.FindStatusCondition(seen.object.Status.Conditions, v1alpha1.ConditionBindingReady)
	switch {
	case beingDeleted(seen.object) && recorded != nil:
		return *recorded // the garbage collector removes the Secret later, so the summary tells of the bucket
	case seen.secretRefusal != "":
		return is(metav1.ConditionFalse, v1alpha1.ReasonSecretRefused, "%s", seen.secretRefusal)
	case ownsSecret(seen) && !secretDiffers(seen):
		return is(metav1.ConditionTrue, v1alpha1.ReasonReady, "Secret %s has what a program needs", name)
	case seen.secret != nil && !ownsSecret(seen):
		return is(metav1.ConditionFalse, v1alpha1.ReasonSecretConflict, "a Secret named %s exists, and this Workspace does not own it; delete it, or this Workspace", name)
	case recorded != nil && recorded.Reason == v1alpha1.ReasonSecretRefused:
		return *recorded // what was refused stays so until an attempt succeeds
	}
	return is(metav1.ConditionUnknown, v1alpha1.ReasonPending, "Secret %s comes once the bucket is ready", name)
}

// readyCondition is the summary of both. What is known to be wrong outranks what is not known.
func readyCondition(parts ...metav1.Condition) metav1.Condition {
	for _, status := range []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionUnknown} {
		for _, part := range parts {
			if part.Status == status {
				return metav1.Condition{Type: v1alpha1.ConditionReady, Status: status, Reason: part.Reason, Message: part.Message}
			}
		}
	}
	return metav1.Condition{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonReady, Message: "the bucket and the Secret are ready"}
}

// lookAgainAfter returns when to reconcile again even if no event arrives until then; 0 for never. No event tells when another
// owner's bucket or Secret goes, which has the name of the Workspace's.
func lookAgainAfter(seen workspaceFacts) (next time.Duration) {
	if beingDeleted(seen.object) {
		return 0
	}
	//exercise:begin poll-again With --drift=poll and --drift=reapply, when does the next reconcile have to come? seen.drift.pause returns a time. A
	//exercise:task Workspace whose files are lost stays as it is.
	if seen.drift.byReconcile() && !isLost(seen) {
		next = seen.drift.pause()
	}
	//exercise:end
	foreignBucket := seen.looked && seen.bucket != nil && !isOwn(seen.bucket, seen.object)
	foreignSecret := seen.secret != nil && !ownsSecret(seen)
	if foreignBucket || foreignSecret {
		next = sooner(next, nameTakenRetry)
	}
	if seen.looked && seen.bucket != nil && disputed(seen) {
		next = sooner(next, seen.truce.Sub(seen.now.Time))
	}
	if seen.now.Before(&seen.retryAt) {
		next = sooner(next, seen.retryAt.Sub(seen.now.Time))
	}
	return next
}

// report writes the status if it has changed.
func (r *workspaceReconciler) report(ctx context.Context, seen workspaceFacts, status v1alpha1.WorkspaceStatus) error {
	gone := beingDeleted(seen.object) && len(seen.object.Finalizers) == 0
	if gone || equality.Semantic.DeepEqual(seen.object.Status, status) {
		return nil
	}
	changed := seen.object.DeepCopy()
	changed.Status = status
	patch := client.MergeFromWithOptions(seen.object, client.MergeFromWithOptimisticLock{})
	if err := r.Status().Patch(ctx, changed, patch); err != nil {
		return staleIfChanged(fmt.Errorf("writing the status of Workspace %s: %w", changed.Name, err))
	}
	r.versions.expect(changed)
	return nil
}
