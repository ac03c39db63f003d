package jobdriver

import (
	"context"
	"maps"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/kit/sample"
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
		Spec: sample.Step(stranger).JobTemplate.Spec,
	}
	d.log.Stimulate(user, "creates a Job of somebody else, with the labels of Job "+like.Name)
	return decoy, d.client.Create(ctx, decoy)
}
