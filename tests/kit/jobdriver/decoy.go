package jobdriver

import (
	"context"
	"maps"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// stranger names what is somebody else's.
const stranger = "stranger"

// Decoy creates somebody else's Job that bears the labels and annotations of a Job: they don't make a
// Job a SequentialJob's, its controller reference does, and that of this one names a ConfigMap. It
// never starts, and nobody has anything to do with it.
func (d *Driver) Decoy(ctx context.Context, like *batchv1.Job) (*batchv1.Job, error) {
	labels := maps.Clone(like.Labels)
	for _, own := range []string{batchv1.JobNameLabel, batchv1.ControllerUidLabel, "job-name", "controller-uid"} {
		delete(labels, own) // the API server gives each Job its own
	}
	decoy := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: d.namespace, GenerateName: stranger + "-", Labels: labels, Annotations: maps.Clone(like.Annotations),
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "v1", Kind: "ConfigMap", Name: stranger, UID: "00000000-0000-4000-8000-0000000000c0", Controller: new(true),
			}},
		},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: stranger, Image: "step"}},
		}}},
	}
	d.log.Stimulate(user, "creates a Job of somebody else, with the labels of Job "+like.Name)
	return decoy, d.client.Create(ctx, decoy)
}

// Touched says whether anybody has changed or deleted a decoy.
func (d *Driver) Touched(ctx context.Context, decoy *batchv1.Job) (bool, error) {
	now := &batchv1.Job{}
	if err := d.client.Get(ctx, client.ObjectKeyFromObject(decoy), now); apierrors.IsNotFound(err) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	return now.ResourceVersion != decoy.ResourceVersion, nil
}
