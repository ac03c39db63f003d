package main

import (
	"cmp"
	"context"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// facts are everything that decide and assess know.
type facts struct {
	now metav1.Time

	// object is the SequentialJob as the cache shows it: the spec, and the status that was recorded last.
	object *v1alpha1.SequentialJob

	// jobs are the Jobs of object, by the name of their step. One that this reconcile created is among them.
	jobs map[string]*batchv1.Job

	// created is the UID of the Job that the current step has had, as this process knows. The status may not name it yet.
	created types.UID

	// unwatched says that the current step's Job was read from the API server, because the cache does not have it. Its
	// events may never arrive.
	unwatched bool

	// workspace is the Workspace that has the name of the object's; nil if there is none. A workspaceRefusal is why the object's
	// own could not be created.
	workspace        *v1alpha1.Workspace
	workspaceRefusal string

	// late is a Job that was created after the run had ended; nil if there is none.
	late *batchv1.Job

	// refusal is why this reconcile could not create the current step's Job; nil if it could, or did not try.
	refusal *refusal

	// retryAt is when to ask again for a Job that the API server has refused for now; zero if it has refused none.
	retryAt metav1.Time
}

// observe gathers the facts, from the cache. It returns a staleError if the cache does not show yet what this process has
// written.
func (r *reconciler) observe(ctx context.Context, object *v1alpha1.SequentialJob) (facts, error) {
	seen := facts{now: metav1.Now(), object: object, jobs: map[string]*batchv1.Job{}, retryAt: r.retries.due(object)}
	if r.expectations.objectStale(object) {
		return seen, &staleError{of: v1alpha1.Kind}
	}
	jobs, err := r.listJobs(ctx, object)
	if err != nil {
		return seen, err
	}
	step := currentStep(ledger(object))
	if step == nil || finished(&object.Status) {
		for i := range jobs {
			if isLate(object, &jobs[i]) && !r.expectations.behind(object, &jobs[i]) {
				seen.late = &jobs[i]
			}
		}
		return seen, nil // nothing is expected any more
	}
	if seen.workspace, err = r.observeWorkspace(ctx, object); err != nil {
		return seen, err
	}
	seen.created = r.expectations.createdFor(object, step.Name)
	if since, stale := r.expectations.jobStale(object, jobs); stale {
		if left := since.Add(expectationsTimeout).Sub(seen.now.Time); left > 0 {
			return seen, &staleError{of: "Job", requeueAfter: left}
		}
		return r.readMissing(ctx, seen, step)
	}
	for i := range jobs {
		job := &jobs[i]
		if stepOf(object, job) == step.Name && isJobOf(step, seen.created, job) {
			r.expectations.recordCreated(object, step.Name, job)
			seen.jobs[step.Name] = job
		}
	}
	return r.readMissing(ctx, seen, step)
}

// stepOf returns the step that one of the object's Jobs belongs to; empty if none. What is recorded counts more than the label,
// which a user can change. So a step's Job stays the recorded one, even if a user replaces it.
func stepOf(object *v1alpha1.SequentialJob, job *batchv1.Job) string {
	for _, step := range object.Status.Steps {
		if step.JobUID == job.UID {
			return step.Name
		}
	}
	step := job.Labels[v1alpha1.LabelStep]
	if recorded(object, step).JobUID != "" {
		return ""
	}
	return step
}

// isLate says whether a Job of the object was created after the run had ended, and still runs: the status does not know it. A process that
// has lost the leadership may have sent that request before. Nothing can exclude that.
func isLate(object *v1alpha1.SequentialJob, job *batchv1.Job) bool {
	for _, step := range object.Status.Steps {
		if step.JobUID == job.UID {
			return false
		}
	}
	return finished(&object.Status) && !jobFinished(job) && !beingDeleted(job)
}

// isJobOf says whether a Job, which the object controls, is the step's: the recorded one, or the one that this process has
// created or seen. It stays so even if a user replaces it by another one of its name.
func isJobOf(step *v1alpha1.StepStatus, created types.UID, job *batchv1.Job) bool {
	return cmp.Or(step.JobUID, created, job.UID) == job.UID
}

// readMissing reads the current step's Job from the API server if the step may have one, and the cache does not show it. The
// SequentialJob and its Jobs arrive by different watches, so the status may name a Job before the cache has it. And a Job that
// has lost its label leaves the cache, as if it had been deleted. To take it for deleted would fail the run, which can't be
// undone. If the Job is about to be created, the response to that says whether it exists.
func (r *reconciler) readMissing(ctx context.Context, seen facts, step *v1alpha1.StepStatus) (facts, error) {
	if seen.jobs[step.Name] != nil || step.JobName == "" {
		return seen, nil
	}
	if next, _ := decide(seen); next == createJob {
		return seen, nil
	}
	job, err := r.readJob(ctx, seen.object.Namespace, step.JobName)
	if err != nil {
		return seen, err
	}
	if job != nil && metav1.IsControlledBy(job, seen.object) && isJobOf(step, seen.created, job) {
		r.expectations.recordCreated(seen.object, step.Name, job)
		r.expectations.expectRead(seen.object, job)
		seen.jobs[step.Name], seen.unwatched = job, true
	}
	return seen, nil
}
