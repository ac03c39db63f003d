package workspace

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/sequentialjob/buckets"
)

// newSecret builds the Workspace's Secret.
func (r *Reconciler) newSecret(object *v1alpha1.Workspace) (*corev1.Secret, error) {
	secret := bindingSecret(object)
	secret.Type = corev1.SecretTypeOpaque
	secret.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(object, v1alpha1.GroupVersion.WithKind(v1alpha1.KindWorkspace)),
	}
	return secret, r.fillSecret(secret, object)
}

// fillSecret sets what a program needs to use the bucket, and the label without which the cache does not have the Secret. Credentials
// are issued only once: those that programs already have must not change. But if they are not the Issuer's, the store refuses them: somebody
// has overwritten them, or the signing key is a new one.
func (r *Reconciler) fillSecret(secret *corev1.Secret, object *v1alpha1.Workspace) error {
	metav1.SetMetaDataLabel(&secret.ObjectMeta, v1alpha1.LabelWorkspace, object.Name)
	if secret.Data == nil {
		secret.Data = map[string][]byte{}
	}
	for name, value := range r.entries(object) {
		secret.Data[name] = []byte(value)
	}
	if r.hasCredentials(secret, object) {
		return nil
	}
	credentials, err := r.Issuer.Issue(v1alpha1.BucketName(object.UID))
	if err != nil {
		return fmt.Errorf("issuing credentials for the bucket: %w", err)
	}
	secret.Data[v1alpha1.BindingCredentials] = credentials
	return nil
}

// entries are those of the Secret that can be made at any time.
func (r *Reconciler) entries(object *v1alpha1.Workspace) map[string]string {
	bucket := v1alpha1.BucketName(object.UID)
	return map[string]string{
		v1alpha1.BindingType:        "nats",
		v1alpha1.BindingURL:         r.Store.URL(),
		v1alpha1.BindingBucket:      bucket,
		v1alpha1.BindingInboxPrefix: buckets.InboxPrefix(bucket),
	}
}

// withSecret returns the facts with the Secret that has the name of the Workspace's; nil for none.
func (r *Reconciler) withSecret(seen facts, secret *corev1.Secret) facts {
	seen.secret, seen.secretDiffers, seen.foreignSecret = nil, false, nil
	switch {
	case secret == nil:
	case !metav1.IsControlledBy(secret, seen.object):
		seen.foreignSecret = secret
	default:
		seen.secret, seen.secretDiffers = secret, r.secretDiffers(secret, seen.object)
	}
	return seen
}

// wayOut says what to do about another owner's Secret that has the name of the Workspace's.
func wayOut(secret *corev1.Secret, object *v1alpha1.Workspace) string {
	if owner := metav1.GetControllerOf(secret); owner != nil && owner.APIVersion == v1alpha1.GroupVersion.String() && owner.Kind == v1alpha1.KindWorkspace && owner.Name == object.Name {
		return "it belongs to an earlier Workspace of this name, and the garbage collector removes it"
	}
	return "delete it, or this Workspace"
}

func (r *Reconciler) secretDiffers(secret *corev1.Secret, object *v1alpha1.Workspace) bool {
	for name, value := range r.entries(object) {
		if string(secret.Data[name]) != value {
			return true
		}
	}
	return secret.Labels[v1alpha1.LabelWorkspace] != object.Name || !r.hasCredentials(secret, object)
}

// hasCredentials says whether a Secret has the credentials that the store asks for.
func (r *Reconciler) hasCredentials(secret *corev1.Secret, object *v1alpha1.Workspace) bool {
	return r.Issuer == nil || r.Issuer.Issued(secret.Data[v1alpha1.BindingCredentials], v1alpha1.BucketName(object.UID))
}
