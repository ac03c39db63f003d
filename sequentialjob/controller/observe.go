package controller

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// cacheGrace is how long a pass waits for the cache to show a Job that this process has written
// before it asks the API server. The cache may never show it: a Job that was deleted while the
// watch was down leaves no trace in it, nor does one whose label somebody took away.
const cacheGrace = 10 * time.Second

// facts are all that decide and assess know.
type facts struct {
	now time.Time

	// object as the cache shows it: the spec, and the status that was recorded last.
	object *v1alpha1.SequentialJob

	// job is the one that bears the current step's Job name and is controlled by object; nil when
	// there is none. After acting it is as acting left it.
	job *batchv1.Job

	// created is the UID of the Job that was created for the current step, if this process knows of
	// one; the status may not tell yet.
	created types.UID

	// unwatched says that job was read from the API server because the cache doesn't have it, so
	// that no event may come of it.
	unwatched bool

	// refusal is why the current step's Job could not be created in this pass.
	refusal *refusal
}

// observe gathers the facts. It returns a *behindError where the cache does not show yet what this
// process has written.
func (r *Reconciler) observe(ctx context.Context, object *v1alpha1.SequentialJob) (facts, error) {
	seen := facts{now: r.Clock.Now(), object: object}
	if r.memory.objectBehind(object) {
		return seen, &behindError{kind: v1alpha1.Kind}
	}
	if finished(&object.Status) {
		r.memory.forget(client.ObjectKeyFromObject(object))
		return seen, nil
	}
	step := currentStep(object.Status.Steps)
	if step == nil || step.JobName == "" {
		return seen, nil
	}

	seen.created = r.memory.createdJob(object, step.JobName)
	key := client.ObjectKey{Namespace: object.Namespace, Name: step.JobName}
	cached, err := readJob(ctx, r.Client, key)
	if err != nil {
		return seen, err
	}
	if since, behind := r.memory.jobBehind(object, cached); behind {
		if wait := since.Add(cacheGrace).Sub(seen.now); wait > 0 {
			return seen, &behindError{kind: "Job", lookAgain: wait}
		}
		cached = nil
	}
	if cached != nil && metav1.IsControlledBy(cached, object) {
		r.memory.jobIsCreated(object, cached)
		seen.job = cached
		return seen, nil
	}

	if decide(seen) == createJob {
		return seen, nil // whether it exists after all, creating it will tell
	}
	live, err := readJob(ctx, r.Live, key)
	if err != nil {
		return seen, err
	}
	if live != nil && metav1.IsControlledBy(live, object) {
		r.memory.jobIsCreated(object, live)
		seen.job, seen.unwatched = live, true
	}
	return seen, nil
}

// confirm makes sure, before this process first acts on an object, that the cache shows it as it
// is: a process that has just started may have been given an old state, and would act on a ledger
// that its predecessor has long written on. Deleting the object needs no such proof, as the request
// itself carries the resourceVersion that it is meant for.
func (r *Reconciler) confirm(ctx context.Context, object *v1alpha1.SequentialJob, next action) error {
	if next == doNothing || next == deleteObject || r.memory.knows(object) {
		return nil
	}
	live := &v1alpha1.SequentialJob{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(object), live); err != nil {
		if apierrors.IsNotFound(err) {
			return &behindError{kind: v1alpha1.Kind}
		}
		return fmt.Errorf("reading SequentialJob %s before acting on it: %w", object.Name, err)
	}
	if live.UID != object.UID {
		return &behindError{kind: v1alpha1.Kind}
	}
	r.memory.objectIsAt(live)
	if r.memory.objectBehind(object) {
		return &behindError{kind: v1alpha1.Kind}
	}
	return nil
}

// confirmJob makes sure, before this process first writes the status of an object, that the cache
// shows its Job as it is, for the same reason: each kind has a cache of its own, so an old Job may
// come with a new object. What is suspended and resumed would otherwise be told once more.
func (r *Reconciler) confirmJob(ctx context.Context, seen facts, status v1alpha1.SequentialJobStatus) error {
	if seen.job == nil || seen.unwatched || r.memory.knows(seen.object) || !changed(&seen.object.Status, &status) {
		return nil
	}
	live, err := readJob(ctx, r.Live, client.ObjectKeyFromObject(seen.job))
	switch {
	case err != nil:
		return err
	case live == nil:
		r.memory.jobIsGoing(seen.object, seen.job, seen.now)
		return &behindError{kind: "Job", lookAgain: cacheGrace}
	case live.ResourceVersion != seen.job.ResourceVersion:
		r.memory.jobIsAt(seen.object, live, seen.now)
		return &behindError{kind: "Job", lookAgain: cacheGrace}
	}
	return nil
}

// readJob returns nil where there is no such Job.
func readJob(ctx context.Context, reader client.Reader, key client.ObjectKey) (*batchv1.Job, error) {
	job := &batchv1.Job{}
	if err := reader.Get(ctx, key, job); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("reading Job %s: %w", key.Name, err)
	}
	return job, nil
}
