package main

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// facts are everything that decide and assess know.
type facts struct {
	now metav1.Time

	// object is the SequentialJob as the cache shows it: the spec, and the status that was recorded last.
	object *v1alpha1.SequentialJob

	// jobs are the Jobs of object, by the name of their step. One that this reconcile created is among them.
	jobs map[string]*batchv1.Job

	// unwatched says that the running step's Job was read from the API server, because the cache does not have it. Its
	// events may never arrive.
	unwatched bool

	// late is a Job that was created after the run had ended; nil if there is none.
	late *batchv1.Job

	// refusal is why the API server refused the Job that this reconcile tried to create. It is nil if the
	// API server did not.
	refusal *refusal

	// retryAt is when to ask again for a Job that the API server has refused for now; zero if it has refused none.
	retryAt metav1.Time
}

// observe gathers the facts, from the cache.
func (r *reconciler) observe(ctx context.Context, object *v1alpha1.SequentialJob) (facts, error) {
	seen := facts{now: metav1.Now(), object: object, jobs: map[string]*batchv1.Job{}, retryAt: r.retries.due(object)}
	jobs, err := r.listJobs(ctx, object)
	if err != nil {
		return seen, err
	}
	for i := range jobs {
		job := &jobs[i]
		// TODO(pods): Keep the reason of a failure in the status, and get rid of the pods.
		// The status still has to say why a step has failed. What says so, if nobody looks at its pods?
		if err := r.addExitCode(ctx, job); err != nil {
			return seen, err
		}
		if step := stepOf(object, job); step != "" {
			seen.jobs[step] = job
		}
		if isLate(object, job) {
			seen.late = job
		}
	}
	return r.confirmRunning(ctx, seen)
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

// confirmRunning reads the Job of the running step from the API server if the cache does not show it. The SequentialJob and
// its Jobs arrive by different watches, so the status may name a Job before the cache has it. And a Job that has lost its
// label leaves the cache, as if it had been deleted. To take it for deleted would fail the run, which can't be undone.
func (r *reconciler) confirmRunning(ctx context.Context, seen facts) (facts, error) {
	step := currentStep(ledger(seen.object))
	if step == nil || step.State != v1alpha1.StepRunning || seen.jobs[step.Name] != nil {
		return seen, nil
	}
	job := &batchv1.Job{}
	err := r.live.Get(ctx, client.ObjectKey{Namespace: seen.object.Namespace, Name: step.JobName}, job)
	if client.IgnoreNotFound(err) != nil {
		return seen, fmt.Errorf("reading Job %s: %w", step.JobName, err)
	}
	if err == nil && job.UID == step.JobUID {
		seen.jobs[step.Name], seen.unwatched = job, true
	}
	return seen, nil
}

// TODO(exit-code): This needs a watch of all pods of the cluster. Remove it, and the permission too.
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch

// addExitCode adds the exit code of its last pod to the message of a failed Job.
func (r *reconciler) addExitCode(ctx context.Context, job *batchv1.Job) error {
	failed := jobCondition(job, batchv1.JobFailed)
	if failed == nil {
		return nil
	}
	pods := &corev1.PodList{}
	if err := r.List(ctx, pods, client.InNamespace(job.Namespace), client.MatchingLabels{batchv1.JobNameLabel: job.Name}); err != nil {
		return fmt.Errorf("listing the pods of Job %s: %w", job.Name, err)
	}
	for _, pod := range pods.Items {
		for _, container := range pod.Status.ContainerStatuses {
			if ended := container.State.Terminated; ended != nil {
				failed.Message += fmt.Sprintf(" (exit code %d)", ended.ExitCode)
			}
		}
	}
	return nil
}
