package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// expectationsTimeout is how long reconciles wait for the cache to show a Job that this process has written. The cache may
// never show it: a Job that was deleted while the watch was interrupted leaves no trace there.
const expectationsTimeout = 5 * time.Second

// staleError says that a reconcile must wait because the cache is stale.
type staleError struct {
	of           string        // the kind of which the cache shows an old state
	requeueAfter time.Duration // when to try again even if no event arrives; 0 if one is certain to arrive
}

func (e *staleError) Error() string {
	return fmt.Sprintf("the cache is stale: it does not show the latest state of the %s yet", e.of)
}

func isStale(err error) bool {
	_, is := errors.AsType[*staleError](err)
	return is
}

// waitIfStale turns a reconcile that failed because of a stale cache into one that waits for the event. It is not an error:
// nothing has failed, and a retry with backoff would come too early or too late.
func waitIfStale(result ctrl.Result, err error) (ctrl.Result, error) {
	if stale, is := errors.AsType[*staleError](err); is {
		return ctrl.Result{RequeueAfter: stale.requeueAfter}, nil
	}
	return result, err
}

// staleIfConflict returns err, or a staleError if a write to a Job was refused because the Job is not as the cache shows it, or is gone.
// Then it expects the cache to show the Job as it is now. Otherwise each reconcile until then would send the refused request again.
func (r *reconciler) staleIfConflict(ctx context.Context, seen facts, job *batchv1.Job, err error) error {
	if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
		return err
	}
	live, readErr := r.readJob(ctx, job.Namespace, job.Name)
	switch {
	case readErr != nil:
		return readErr
	case live != nil && live.ResourceVersion == job.ResourceVersion: // a webhook has refused the write, with such a code
		return err
	}
	return r.expectLive(seen, job, live)
}

// objectStaleIfConflict does the same if a write to the object was refused: another client has written to it. The event of that write is
// certain to arrive.
func (r *reconciler) objectStaleIfConflict(ctx context.Context, object *v1alpha1.SequentialJob, err error) error {
	if !apierrors.IsConflict(err) {
		return err
	}
	if err := r.expectCurrent(ctx, object); err != nil {
		return err
	}
	if !r.expectations.objectStale(object) { // a webhook has refused the write, with that code
		return err
	}
	return &staleError{of: v1alpha1.Kind}
}

// expectLive expects the cache, which has shown a Job, to show it as the API server has it: live, or nil if it is gone. It returns
// the staleError to wait with.
func (r *reconciler) expectLive(seen facts, cached, live *batchv1.Job) error {
	if live == nil || live.UID != cached.UID {
		r.expectations.expectDeletion(seen, cached)
	} else {
		r.expectations.expectJob(seen, live)
	}
	return &staleError{of: "Job", requeueAfter: expectationsTimeout}
}
