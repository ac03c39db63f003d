package main

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// nameTakenRetry is how long to wait before the next attempt while another owner's Job has the name. That Job's deletion
// triggers no reconcile of the SequentialJob, because the Job is not its own. The same holds for what a Workspace needs.
const nameTakenRetry = 5 * time.Second

// adoptJob finds out whose Job has the name of the step's Job. It is the object's own if an earlier request created it: the
// response was lost, or the process crashed, or the cache does not show it yet.
func (r *reconciler) adoptJob(ctx context.Context, seen facts, step *v1alpha1.Step, name string) (facts, error) {
	job, err := r.readJob(ctx, seen.object.Namespace, name)
	switch {
	case err != nil:
		return seen, err
	case job == nil:
		return seen, fmt.Errorf("creating Job %s: another Job had that name, and is gone now", name)
	case metav1.IsControlledBy(job, seen.object):
		r.expectations.expectCreated(seen, step.Name, job)
		seen.jobs[step.Name] = job
	case beingDeleted(job):
		seen.refusal = &refusal{
			reason:       v1alpha1.ReasonRunning,
			message:      fmt.Sprintf("waiting until another Job named %s, which is being deleted, is gone", name),
			requeueAfter: nameTakenRetry,
		}
	default:
		seen.refusal = &refusal{
			reason:       v1alpha1.ReasonJobConflict,
			message:      fmt.Sprintf("a Job named %s exists, and belongs to %s; %s", name, ownerOf(job), wayOut(job, seen.object)),
			requeueAfter: nameTakenRetry,
		}
	}
	return seen, nil
}

// ownerOf says in words who controls a Job.
func ownerOf(job *batchv1.Job) string {
	owner := metav1.GetControllerOf(job)
	if owner == nil {
		return "nobody"
	}
	return fmt.Sprintf("%s %s (UID %s)", owner.Kind, owner.Name, owner.UID)
}

// wayOut says what to do about a Job of another owner that has the name of a step's Job.
func wayOut(job *batchv1.Job, object *v1alpha1.SequentialJob) string {
	if owner := metav1.GetControllerOf(job); owner != nil && owner.APIVersion == v1alpha1.GroupVersion.String() && owner.Kind == v1alpha1.Kind && owner.Name == object.Name {
		return "that is an earlier SequentialJob of this name, and the garbage collector removes its Jobs"
	}
	return "delete that Job, or delete this SequentialJob and create it under another name"
}

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
