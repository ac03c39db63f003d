package main

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// facts are everything that decide knows.
type facts struct {
	object *v1alpha1.SequentialJob

	// jobs are the Jobs of object, by the name of their step.
	jobs map[string]*batchv1.Job
}

// observe gathers the facts, from the cache.
func (r *reconciler) observe(ctx context.Context, object *v1alpha1.SequentialJob) (facts, error) {
	seen := facts{object: object, jobs: map[string]*batchv1.Job{}}
	list := &batchv1.JobList{}
	if err := r.List(ctx, list, client.InNamespace(object.Namespace)); err != nil {
		return seen, fmt.Errorf("listing the Jobs of SequentialJob %s: %w", object.Name, err)
	}
	for i := range list.Items {
		job := &list.Items[i]
		// TODO(ours): Ignore every Job that this object does not control.
		// Any user can copy our labels. An earlier object may have had the same name.
		seen.jobs[job.Labels[v1alpha1.LabelStep]] = job
	}
	return seen, nil
}
