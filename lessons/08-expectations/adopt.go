package main

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// nameTakenRetry is how long to wait before the next attempt while another owner's Job has the name. That Job's deletion
// triggers no reconcile of the SequentialJob, because the Job is not its own.
const nameTakenRetry = 5 * time.Second

// TODO(adopt): Write adoptJob.
// It reads the Job that has the name, live. If it is the object's own, an earlier request has created it: the step
// has its Job. If not, the step can't start now. Say why in seen.refusal, what a user can do about it, and when
// to try again. A Job that is being deleted needs no user.

// readJob reads a Job from the API server; nil if there is none.
func (r *reconciler) readJob(ctx context.Context, namespace, name string) (*batchv1.Job, error) {
	job := &batchv1.Job{}
	err := r.live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, job)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("reading Job %s: %w", name, err)
	}
	if err != nil {
		return nil, nil
	}
	return job, nil
}
