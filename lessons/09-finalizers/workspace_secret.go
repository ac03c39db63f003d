package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// writeSecret creates the Secret, or puts back what is in it.
func (r *workspaceReconciler) writeSecret(ctx context.Context, seen workspaceFacts) (workspaceFacts, error) {
	secret := newSecret(seen.object, r.store.url)
	var err error
	if seen.secret == nil {
		err = r.Create(ctx, secret)
	} else {
		changed := seen.secret.DeepCopy()
		changed.Data, secret = secret.Data, changed
		metav1.SetMetaDataLabel(&secret.ObjectMeta, v1alpha1.LabelWorkspace, seen.object.Name)
		err = r.Patch(ctx, secret, client.MergeFromWithOptions(seen.secret, client.MergeFromWithOptimisticLock{}))
	}
	switch {
	case err == nil:
		seen.secret = secret
		return seen, nil
	case apierrors.IsAlreadyExists(err):
		seen.secret, err = readSecret(ctx, r.live, seen.object)
		return seen, err
	case apierrors.IsForbidden(err) || apierrors.IsInvalid(err):
		seen.problem = &problem{v1alpha1.ConditionBindingReady, v1alpha1.ReasonSecretRefused, shorten(err.Error())}
	}
	return seen, staleIfChanged(fmt.Errorf("writing Secret %s: %w", secret.Name, err))
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

// secretDiffers says whether somebody has changed what is in the Secret, or its label, without which the cache does not have it.
func secretDiffers(seen workspaceFacts) bool {
	labelled := seen.secret.Labels[v1alpha1.LabelWorkspace] == seen.object.Name
	return !labelled || !maps.EqualFunc(seen.secret.Data, entries(seen.object, seen.url), bytes.Equal)
}
