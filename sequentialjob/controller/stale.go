package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/sequentialjob/internal/admission"
)

// staleError says that a reconcile must wait because the cache is stale.
type staleError struct {
	kind string // of the object that the cache shows in an old state

	// requeueAfter is when to try again if no event arrives; zero when one is certain to arrive.
	requeueAfter time.Duration
}

func (e *staleError) Error() string {
	return fmt.Sprintf("the cache is stale: it does not show the latest state of the %s yet", e.kind)
}

func isStale(err error) bool {
	_, stale := errors.AsType[*staleError](err)
	return stale
}

// waitIfStale turns a reconcile that failed because of a stale cache into one that waits for the event,
// and counts it. It is no error: retries with backoff would delay the next attempt for nothing.
func waitIfStale(result ctrl.Result, err error) (ctrl.Result, error) {
	stale, ok := errors.AsType[*staleError](err)
	if !ok {
		return result, err
	}
	staleReconciles.WithLabelValues(stale.kind).Inc()
	return ctrl.Result{RequeueAfter: stale.requeueAfter}, nil
}

// objectStaleIfConflict returns err, or a *staleError if it is a conflict: another client has written to the object since. It also
// expects the cache to show the object as it is now. Otherwise each reconcile until then would send the refused request again.
func (r *Reconciler) objectStaleIfConflict(ctx context.Context, object *v1alpha1.SequentialJob, err error) error {
	if !apierrors.IsConflict(err) {
		return err
	}
	if err := r.expectCurrent(ctx, object); err != nil {
		return err
	}
	return &staleError{kind: v1alpha1.Kind, requeueAfter: expectationsTimeout}
}

// jobStaleIfConflict does the same for a write to the current step's Job, also if that is gone.
func (r *Reconciler) jobStaleIfConflict(ctx context.Context, seen facts, err error) error {
	if !apierrors.IsConflict(err) && !admission.Gone(err) {
		return err
	}
	live, readErr := readJob(ctx, r.Live, client.ObjectKeyFromObject(seen.job))
	if readErr != nil {
		return readErr
	}
	return r.expectLive(seen, live)
}

// expectLive expects the cache to show the current step's Job as the API server has it: live, or nil if it
// is gone. It returns the *staleError to wait with.
func (r *Reconciler) expectLive(seen facts, live *batchv1.Job) error {
	if live == nil {
		r.expectations.expectDeletion(seen.object, seen.job, seen.now)
	} else {
		r.expectations.expectJob(seen.object, live, seen.now)
	}
	return &staleError{kind: "Job", requeueAfter: expectationsTimeout}
}
