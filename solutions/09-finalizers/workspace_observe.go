package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// workspaceFacts are everything that decideWorkspace and assessWorkspace know. Acting changes them.
type workspaceFacts struct {
	now metav1.Time

	// object is the Workspace as the cache shows it, or as this reconcile has written it.
	object *v1alpha1.Workspace

	// looked says that bucket is what the store has: nil for none. Before, nothing is known but the status.
	looked bool
	bucket *bucket

	// url is where the store is.
	url string

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

// observe gathers what is known without asking the store.
func (r *workspaceReconciler) observe(ctx context.Context, object *v1alpha1.Workspace) (workspaceFacts, error) {
	seen := workspaceFacts{now: metav1.Now(), object: object, url: r.store.url, retryAt: r.retries.due(object)}
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

// wantedBucket is the bucket that a Workspace asks for.
func wantedBucket(object *v1alpha1.Workspace) bucket {
	return bucket{
		name:     v1alpha1.BucketName(object.UID),
		capacity: object.Spec.Capacity.Value(),
		owner:    string(object.UID),
	}
}

// isOwn says whether a bucket is the Workspace's.
func isOwn(found *bucket, object *v1alpha1.Workspace) bool {
	//exercise:begin not-ours The name says little: anybody can create a bucket of that name. What says whose it is?
	return found.owner == string(object.UID)
	//exercise:starter return true
	//exercise:end
}

// upToDate says whether the store has what the spec asks for, as far as the status knows.
func upToDate(object *v1alpha1.Workspace) bool {
	//exercise:begin conveyed If the spec has been conveyed to the store already, a reconcile need not ask the store. Which field of the
	//exercise:task status says that? observedGeneration does not: the status can be about a generation that the store does not know yet.
	return object.Status.Bucket != nil && object.Status.Bucket.Generation == object.Generation
	//exercise:starter return false
	//exercise:end
}

// lossOf says in words that the bucket on which the status relies is gone, or that another one is in its place; empty if not.
// That is final: an empty bucket would look like the one with the files.
func lossOf(seen workspaceFacts) string {
	recorded := seen.object.Status.Bucket
	switch {
	case recorded == nil || !seen.looked:
		return ""
	case seen.bucket == nil:
		return fmt.Sprintf("bucket %s was deleted, and its files are lost: create another Workspace", recorded.Name)
	case isOwn(seen.bucket, seen.object) && !seen.bucket.created.Equal(recorded.Created.Time):
		return fmt.Sprintf("bucket %s was deleted and created again, and its files are lost: create another Workspace", recorded.Name)
	}
	return ""
}
