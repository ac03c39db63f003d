package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// workspaceFacts are everything that decideWorkspace and assessWorkspace know. Acting changes them.
type workspaceFacts struct {
	now metav1.Time

	// object is the Workspace as the cache shows it, or as this reconcile has written it.
	object *v1alpha1.Workspace

	// drift says how to notice drift, and suspect that the bucket may have changed since the status was written.
	drift   drift
	suspect bool

	// looked says that bucket is what the store has: nil for none. Before, nothing is known but the status.
	looked bool
	bucket *bucket

	// reapplied says that this reconcile has sent the settings.
	reapplied bool

	// truce is until when settings are left as they are that others keep changing; zero if nobody does.
	truce time.Time

	// url is where the store is, and cluster what the marks call this cluster.
	url, cluster string

	// secret is the Secret that has the name of the Workspace's; nil for none. It may be another owner's.
	secret *corev1.Secret

	// problem is why the store has not done what this reconcile asked for; nil if it has.
	problem *problem

	// secretRefusal is why the API server has refused the Secret in this reconcile; empty if it has not. retryAt is when to ask again;
	// zero if it has refused none.
	secretRefusal string
	retryAt       metav1.Time
}

// problem is why the condition BucketReady can't become True now.
type problem struct {
	reason  string
	message string
}

// facts are what this process knows of a Workspace.
func (r *workspaceReconciler) facts(object *v1alpha1.Workspace) workspaceFacts {
	return workspaceFacts{
		now: metav1.Now(), object: object, url: r.store.url, cluster: r.cluster, drift: r.drift,
		suspect: r.suspects.has(object.UID), truce: r.disputes.truce(object.UID), retryAt: r.retries.due(object),
	}
}

// observe gathers what is known without asking the store.
func (r *workspaceReconciler) observe(ctx context.Context, object *v1alpha1.Workspace) (workspaceFacts, error) {
	seen := r.facts(object)
	if r.versions.stale(object) {
		return seen, &staleError{of: v1alpha1.KindWorkspace}
	}
	if beingDeleted(object) {
		return seen, nil // the garbage collector removes the Secret
	}
	var err error
	seen.secret, err = readSecret(ctx, r.Client, object)
	if err == nil && seen.secret == nil && object.Status.Binding != nil { // it is gone, or the cache is stale
		seen.secret, err = readSecret(ctx, r.live, object)
	}
	return seen, err
}

// readSecret returns the Secret that has the name of a Workspace's; nil if there is none.
func readSecret(ctx context.Context, reader client.Reader, object *v1alpha1.Workspace) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	name := v1alpha1.BindingName(object.Name)
	err := reader.Get(ctx, client.ObjectKey{Namespace: object.Namespace, Name: name}, secret)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("reading Secret %s: %w", name, err)
	}
	if err != nil {
		return nil, nil
	}
	return secret, nil
}

// wanted is the bucket that a Workspace asks for.
func wanted(seen workspaceFacts) wantedBucket {
	object := seen.object
	marks := map[string]string{
		markUID: string(object.UID), markWorkspace: object.Namespace + "/" + object.Name, markCluster: seen.cluster,
	}
	if object.Spec.DeletionPolicy == v1alpha1.DeletionPolicyRetain {
		marks[markRetain] = "true"
	}
	return wantedBucket{name: v1alpha1.BucketName(object.UID), capacity: object.Spec.Capacity.Value(), marks: marks}
}

// differs are the names of the settings that somebody has changed, or that the spec has changed since. An update puts them back.
func differs(seen workspaceFacts) []string {
	return differing(seen.bucket.settings, configOf(wanted(seen)), false)
}

// locked are the names of the settings that somebody has changed, and that the store never changes back. It refuses an update then.
func locked(seen workspaceFacts) []string {
	return differing(seen.bucket.settings, configOf(wanted(seen)), true)
}

// isOwn says whether a bucket is the Workspace's.
func isOwn(found *bucket, object *v1alpha1.Workspace) bool {
	return found.settings.Metadata[markUID] == string(object.UID)
}

// conveyed says whether the store has been told what the spec asks for.
func conveyed(object *v1alpha1.Workspace) bool {
	return object.Status.Bucket != nil && object.Status.Bucket.Generation == object.Generation
}

// upToDate says whether the store has what the spec asks for, as far as the status knows.
func upToDate(object *v1alpha1.Workspace) bool {
	return conveyed(object) && recordedReason(object) == v1alpha1.ReasonReady
}

// foundWrong says whether the last look has found that the bucket can't be used. A new spec does not change that.
func foundWrong(object *v1alpha1.Workspace) bool {
	reason := recordedReason(object)
	return reason == v1alpha1.ReasonBucketConflict || reason == v1alpha1.ReasonCannotRestore
}

// recordedReason is the reason of the condition BucketReady in the status; empty if there is none yet.
func recordedReason(object *v1alpha1.Workspace) string {
	if condition := meta.FindStatusCondition(object.Status.Conditions, v1alpha1.ConditionBucketReady); condition != nil {
		return condition.Reason
	}
	return ""
}

// lossOf says in words that files are lost on which the status relies; empty if not. That is final: an empty bucket would look like
// the one with the files.
func lossOf(seen workspaceFacts) string {
	recorded := seen.object.Status.Bucket
	switch {
	case recorded == nil || !seen.looked:
		return ""
	case seen.bucket == nil:
		return fmt.Sprintf("bucket %s was deleted, and its files are lost: create another Workspace", recorded.Name)
	case !isOwn(seen.bucket, seen.object):
		return "" // a conflict: it may be that only the mark has changed
	case !seen.bucket.created.Equal(recorded.Created.Time):
		return fmt.Sprintf("bucket %s was deleted and created again, and its files are lost: create another Workspace", recorded.Name)
		// TODO(emptied): A bucket can lose its files and still be the same one: seen.bucket.emptied says so. The status relies on a bucket
		// only once that has its anchor. So what does it mean if seen.bucket.blank says that nothing was ever stored in it?
	}
	return ""
}
