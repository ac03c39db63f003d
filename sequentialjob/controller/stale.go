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

// requeueIfStale turns a reconcile that failed because of a stale cache into one that is requeued,
// and counts it. It is no error: retries with backoff would delay the next attempt for nothing.
func requeueIfStale(result ctrl.Result, err error) (ctrl.Result, error) {
	stale, ok := errors.AsType[*staleError](err)
	if !ok {
		return result, err
	}
	staleReconciles.WithLabelValues(stale.kind).Inc()
	return ctrl.Result{RequeueAfter: stale.requeueAfter}, nil
}

// staleIfConflict returns err, or a *staleError if it is a conflict: another client has written to
// the object since, and the cache will show that soon.
func staleIfConflict(err error, kind string) error {
	if apierrors.IsConflict(err) {
		return &staleError{kind: kind, requeueAfter: expectationsTimeout}
	}
	return err
}

// jobStaleIfConflict is staleIfConflict for a write to the current step's Job. It also expects the cache
// to show the Job as it is now. Otherwise each reconcile until then would send the refused request again.
func (r *Reconciler) jobStaleIfConflict(ctx context.Context, seen facts, err error) error {
	if !apierrors.IsConflict(err) {
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
