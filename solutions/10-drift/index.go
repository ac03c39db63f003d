package main

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// controllerUID is the name of the index of Jobs by their controller.
const controllerUID = "metadata.controllerUID"

// indexJobs adds the index to the cache.
func indexJobs(ctx context.Context, indexer client.FieldIndexer) error {
	byController := func(job client.Object) []string {
		controller := metav1.GetControllerOf(job)
		if controller == nil {
			return nil
		}
		return []string{string(controller.UID)}
	}
	if err := indexer.IndexField(ctx, &batchv1.Job{}, controllerUID, byController); err != nil {
		return fmt.Errorf("indexing Jobs by their controller: %w", err)
	}
	return nil
}

// listJobs returns the Jobs that a SequentialJob controls.
func (r *reconciler) listJobs(ctx context.Context, object *v1alpha1.SequentialJob) ([]batchv1.Job, error) {
	list := &batchv1.JobList{}
	jobsOf := client.MatchingFields{controllerUID: string(object.UID)}
	if err := r.List(ctx, list, client.InNamespace(object.Namespace), jobsOf); err != nil {
		return nil, fmt.Errorf("listing the Jobs of SequentialJob %s: %w", object.Name, err)
	}
	return list.Items, nil
}
