package jobdriver

import (
	"context"
	"maps"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/sample"
)

// foreign names the objects of another owner.
const foreign = "foreign"

// Decoy creates a foreign Job with the labels and annotations of a Job. Labels don't make a Job belong to a
// SequentialJob: only its controller reference does, and the one of this Job names a ConfigMap. The Job never
// starts, and no controller may touch it.
func (d *Driver) Decoy(ctx context.Context, like *batchv1.Job) (*batchv1.Job, error) {
	labels := maps.Clone(like.Labels)
	for _, own := range kinds.GeneratedLabels {
		delete(labels, own)
	}
	decoy := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: d.namespace, GenerateName: foreign + "-", Labels: labels, Annotations: maps.Clone(like.Annotations),
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "v1", Kind: "ConfigMap", Name: foreign, UID: "00000000-0000-4000-8000-0000000000c0", Controller: new(true),
			}},
		},
		Spec: sample.Step(foreign).JobTemplate.Spec,
	}
	d.log.Stimulate(user, "creates a Job of another owner, with the labels of Job "+like.Name)
	return decoy, d.client.Create(ctx, decoy)
}
