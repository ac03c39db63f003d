// Package inventory tells what there is of all that a controller of SequentialJobs deals with.
package inventory

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// Of returns what is in a namespace, in no order: "SequentialJob run", "Job run-one", "Pod run-one-x2x4z".
func Of(ctx context.Context, server client.Reader, namespace string) ([]string, error) {
	var names []string
	for kind, list := range map[string]client.ObjectList{
		"SequentialJob": &v1alpha1.SequentialJobList{}, "Job": &batchv1.JobList{}, "Pod": &corev1.PodList{},
	} {
		if err := server.List(ctx, list, client.InNamespace(namespace)); err != nil {
			return nil, err
		}
		if err := meta.EachListItem(list, func(object runtime.Object) error {
			names = append(names, kind+" "+object.(client.Object).GetName())
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return names, nil
}
