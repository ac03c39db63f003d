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

// expectationsTimeout is how long reconciles wait for the cache to show a Job that this process has
// written, before they read it from the API server. The cache may never show it: a Job that was
// deleted while the watch was down leaves no trace there, nor does a Job that lost its label.
const expectationsTimeout = 5 * time.Second

// facts are everything that decide and assess know.
type facts struct {
	now time.Time

	// object as the cache shows it: the spec, and the status that was last recorded.
	object *v1alpha1.SequentialJob

	// job is the one that has the current step's Job name and is controlled by object; nil when
	// there is none. After acting it is as act left it.
	job *batchv1.Job

	// created is the UID of the Job that was created for the current step, if this process knows of
	// one; the status may not name it yet.
	created types.UID

	// unwatched says that job was read from the API server because the cache doesn't have it, so
	// its events may not arrive.
	unwatched bool

	// refusal is why this reconcile could not create the current step's Job.
	refusal *refusal

	// retryAt is when to try again to create what the API server has refused for now; zero for nothing.
	retryAt time.Time

	// workspace is the one that object uses, or would use if the name is not another owner's; nil when there is none, or
	// object uses none. After acting it is as act left it.
	workspace *v1alpha1.Workspace

	// workspaceUnwatched says that workspace was read from the API server, or created just now. The cache may never have it, so its
	// events may not arrive.
	workspaceUnwatched bool

	// workspaceRefusal is why the API server refused the run's own Workspace in this reconcile; empty when it did not.
	workspaceRefusal string
}

// observe gathers the facts. It returns a *staleError when the cache does not show yet what this
// process has written.
func (r *Reconciler) observe(ctx context.Context, object *v1alpha1.SequentialJob) (facts, error) {
	seen := facts{now: r.Clock.Now(), object: object, retryAt: r.expectations.retryAt(object)}
	if r.expectations.objectStale(object) {
		return seen, &staleError{kind: v1alpha1.Kind}
	}
	if finished(&object.Status) {
		return r.observeLateJob(ctx, seen)
	}
	seen, err := r.observeWorkspace(ctx, seen)
	if err != nil {
		return seen, err
	}
	step := currentStep(object.Status.Steps)
	if step == nil || step.JobName == "" {
		return seen, nil
	}

	seen.created = r.expectations.createdJob(object, step.JobName)
	key := client.ObjectKey{Namespace: object.Namespace, Name: step.JobName}
	cached, err := readJob(ctx, r.Client, key)
	if err != nil {
		return seen, err
	}
	if since, stale := r.expectations.jobStale(object, cached); stale {
		if wait := since.Add(expectationsTimeout).Sub(seen.now); wait > 0 {
			return seen, &staleError{kind: "Job", requeueAfter: wait}
		}
		cached = nil
	}
	if cached != nil && metav1.IsControlledBy(cached, object) {
		r.expectations.recordCreation(object, cached)
		seen.job = cached
		return seen, nil
	}

	if mayCreate(step, seen) {
		return seen, nil // if it exists after all, the create request will say so
	}
	live, err := readJob(ctx, r.Live, key)
	if err != nil {
		return seen, err
	}
	if live != nil && metav1.IsControlledBy(live, object) {
		r.expectations.recordCreation(object, live)
		r.expectations.expectRead(object, live)
		seen.job, seen.unwatched = live, true
	}
	return seen, nil
}

// observeLateJob returns the facts of a finished run with a Job that was created after the run had ended: the request was under way in
// a process that has lost the leadership since. Nothing can exclude that. Once there is none, nothing is expected any more.
func (r *Reconciler) observeLateJob(ctx context.Context, seen facts) (facts, error) {
	waits := false // for the event of a deletion
	for _, step := range seen.object.Status.Steps {
		key := client.ObjectKey{Namespace: seen.object.Namespace, Name: v1alpha1.JobName(seen.object.Name, step.Name)}
		job, err := readJob(ctx, r.Client, key)
		if err != nil {
			return seen, err
		}
		if job == nil || job.UID == step.JobUID || jobFinished(job) || beingDeleted(job) || !metav1.IsControlledBy(job, seen.object) {
			continue
		}
		if r.expectations.behind(seen.object, job) {
			waits = true
			continue
		}
		seen.job = job
	}
	if seen.job == nil && !waits {
		r.expectations.forget(client.ObjectKeyFromObject(seen.object))
	}
	return seen, nil
}

// confirm makes sure, before this process first acts on an object, that the cache shows its current
// state. The initial list of a process that has just started may be stale: it would act on a ledger
// that its predecessor has since written to. Deleting the object needs no such check, because the
// request itself carries the resourceVersion that it is meant for.
func (r *Reconciler) confirm(ctx context.Context, object *v1alpha1.SequentialJob, next action) error {
	if next == doNothing || next == deleteObject || r.expectations.knows(object) {
		return nil
	}
	if err := r.expectCurrent(ctx, object); err != nil {
		return err
	}
	if r.expectations.objectStale(object) {
		return &staleError{kind: v1alpha1.Kind}
	}
	return nil
}

// expectCurrent expects the cache to show the object as the API server has it now. It returns a *staleError when the object is
// gone.
func (r *Reconciler) expectCurrent(ctx context.Context, object *v1alpha1.SequentialJob) error {
	live := &v1alpha1.SequentialJob{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(object), live); apierrors.IsNotFound(err) {
		return &staleError{kind: v1alpha1.Kind}
	} else if err != nil {
		return fmt.Errorf("reading SequentialJob %s as it is now: %w", object.Name, err)
	}
	if live.UID != object.UID {
		return &staleError{kind: v1alpha1.Kind}
	}
	r.expectations.expectObject(live)
	return nil
}

// confirmJob makes sure, before this process first writes a status about a Job, that the cache shows
// the Job's current state, for the same reason. Each kind has its own cache, so a stale Job may
// accompany a current object, also one that confirm has read. The status would then report an old
// suspension once more. A Job that has finished can't run again, so don't read it live.
func (r *Reconciler) confirmJob(ctx context.Context, seen facts, status v1alpha1.SequentialJobStatus) error {
	if seen.job == nil || jobFinished(seen.job) || seen.unwatched || r.expectations.knowsJobOf(seen.object) || !changed(&seen.object.Status, &status) {
		return nil
	}
	live, err := readJob(ctx, r.Live, client.ObjectKeyFromObject(seen.job))
	if err != nil {
		return err
	}
	if live == nil || live.ResourceVersion != seen.job.ResourceVersion {
		return r.expectLive(seen, live)
	}
	r.expectations.confirmJob(seen.object)
	return nil
}

// readJob returns nil when there is no such Job.
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
