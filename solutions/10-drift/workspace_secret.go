package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// writeSecret creates the Secret, or puts back what is in it.
func (r *workspaceReconciler) writeSecret(ctx context.Context, seen workspaceFacts) (workspaceFacts, error) {
	write := r.createSecret
	if seen.secret != nil {
		write = r.updateSecret
	}
	secret, err := write(ctx, seen)
	if refused := refusalOf(err); refused != nil { // the status says why, in words that may differ each time: see retryLater
		seen.secretRefusal, seen.retryAt = refused.message, r.retries.add(seen.object, seen.now)
		ctrl.LoggerFrom(ctx).Info("the API server refuses a Secret for now", "error", err.Error(), "retryAt", seen.retryAt)
		return seen, nil
	}
	if err != nil {
		return seen, err
	}
	r.retries.forget(client.ObjectKeyFromObject(seen.object))
	seen.secret = secret
	return seen, nil
}

// createSecret returns the Secret that has the name afterwards. After any error it looks whether one does, which a quota's refusal does not
// say: the response to an earlier request may have been lost, or the cache may be stale.
func (r *workspaceReconciler) createSecret(ctx context.Context, seen workspaceFacts) (*corev1.Secret, error) {
	secret := newSecret(seen.object, r.store.url)
	err := r.Create(ctx, secret)
	if err == nil {
		return secret, nil
	}
	existing, readErr := readSecret(ctx, r.live, seen.object)
	if existing != nil || readErr != nil {
		return existing, readErr
	}
	return nil, fmt.Errorf("creating Secret %s: %w", secret.Name, err)
}

// updateSecret puts back what is in the Secret, and the label without which the cache does not have it. Without the label, no event tells
// that the Secret has changed or is gone.
func (r *workspaceReconciler) updateSecret(ctx context.Context, seen workspaceFacts) (*corev1.Secret, error) {
	secret := seen.secret.DeepCopy()
	if secret.Data == nil {
		secret.Data = map[string][]byte{}
	}
	maps.Copy(secret.Data, entries(seen.object, r.store.url)) // what others have added stays
	metav1.SetMetaDataLabel(&secret.ObjectMeta, v1alpha1.LabelWorkspace, seen.object.Name)
	err := r.Patch(ctx, secret, client.MergeFromWithOptions(seen.secret, client.MergeFromWithOptimisticLock{}))
	if err == nil {
		return secret, nil
	}
	err = fmt.Errorf("updating Secret %s: %w", secret.Name, err)
	if _, cached := seen.secret.Labels[v1alpha1.LabelWorkspace]; cached {
		return nil, staleIfChanged(err)
	}
	return nil, err
}

// newSecret builds the Workspace's Secret.
func newSecret(object *v1alpha1.Workspace, url string) *corev1.Secret {
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = object.Namespace, v1alpha1.BindingName(object.Name)
	secret.Labels = map[string]string{v1alpha1.LabelWorkspace: object.Name}
	secret.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(object, v1alpha1.GroupVersion.WithKind(v1alpha1.KindWorkspace)),
	}
	secret.Data = entries(object, url)
	return secret
}

// entries are what a program needs to use the bucket.
func entries(object *v1alpha1.Workspace, url string) map[string][]byte {
	return map[string][]byte{
		v1alpha1.BindingType:   []byte("nats"),
		v1alpha1.BindingURL:    []byte(url),
		v1alpha1.BindingBucket: []byte(v1alpha1.BucketName(object.UID)),
	}
}

// ownsSecret says whether the Secret that has the name of the Workspace's is its own.
func ownsSecret(seen workspaceFacts) bool {
	return seen.secret != nil && metav1.IsControlledBy(seen.secret, seen.object)
}

// secretDiffers says whether somebody has changed the Workspace's entries in the Secret, or its label, without which the cache does not have it.
func secretDiffers(seen workspaceFacts) bool {
	for name, value := range entries(seen.object, seen.url) {
		if !bytes.Equal(seen.secret.Data[name], value) {
			return true
		}
	}
	return seen.secret.Labels[v1alpha1.LabelWorkspace] != seen.object.Name
}
