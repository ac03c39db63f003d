package controller

import (
	"errors"
	"fmt"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func TestStaleIfConflict(t *testing.T) {
	jobs := batchv1.Resource("jobs")
	for name, test := range map[string]struct {
		err              error
		wantStale        bool
		wantRequeueAfter time.Duration
		reason           string
	}{
		"no error": {
			err: nil, reason: "a write that succeeded is no reason to wait",
		},
		"conflict": {
			err: apierrors.NewConflict(jobs, "web-build", errors.New("changed")), wantStale: true, wantRequeueAfter: expectationsTimeout,
			reason: "the cache does not show what another client wrote, and a retry with it can only fail again",
		},
		"conflict, wrapped": {
			err: fmt.Errorf("suspending: %w", apierrors.NewConflict(jobs, "web-build", errors.New("changed"))), wantStale: true, wantRequeueAfter: expectationsTimeout,
			reason: "errors say what was being done, and are still what they were",
		},
		"name taken": {
			err: apierrors.NewAlreadyExists(jobs, "web-build"), reason: "it is a 409 too, but says nothing about the cache",
		},
		"any other": {
			err: apierrors.NewInternalError(errors.New("etcd")), reason: "an error is returned, so that it is retried with a pause and counted",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := staleIfConflict(test.err, "Job")
			if isStale(got) != test.wantStale {
				t.Fatalf("staleIfConflict(%v) = %v, want stale %t: %s", test.err, got, test.wantStale, test.reason)
			}
			if !test.wantStale {
				if !errors.Is(got, test.err) {
					t.Errorf("staleIfConflict(%v) = %v, want the error itself", test.err, got)
				}
				return
			}
			stale, ok := errors.AsType[*staleError](got)
			if !ok || stale.kind != "Job" || stale.requeueAfter != test.wantRequeueAfter {
				t.Errorf("staleIfConflict(%v) = %#v, want kind Job, requeueAfter %v: %s", test.err, got, test.wantRequeueAfter, test.reason)
			}
		})
	}
}

func TestJobStaleIfConflict(t *testing.T) {
	conflict := fmt.Errorf("stopping: %w", apierrors.NewConflict(batchv1.Resource("jobs"), "web-build", errors.New("changed")))
	cached := makeJob("build").version("7").obj()
	changed := makeJob("build").version("8").obj()
	for name, test := range map[string]struct {
		err    error
		live   *batchv1.Job
		want   bool         // a *staleError, until the cache shows
		until  *batchv1.Job // this
		reason string
	}{
		"changed":  {conflict, changed, true, changed, "until then, the same request would be refused again"},
		"going":    {conflict, nil, true, makeJob("build").version("8").deleting().obj(), "the Job is gone by now, and the cache shows first that it goes"},
		"gone":     {conflict, nil, true, nil, "or it shows that right away"},
		"no error": {nil, cached, false, nil, "the write has succeeded"},
		"another":  {errors.New("etcd"), cached, false, nil, "an error is retried with backoff"},
	} {
		t.Run(name, func(t *testing.T) {
			r, seen := &Reconciler{Live: &oneJob{job: test.live}}, facts{now: noon, object: makeObject("web").steps("build").obj(), job: cached}
			got := r.jobStaleIfConflict(t.Context(), seen, test.err)
			if isStale(got) != test.want || !test.want && !errors.Is(got, test.err) {
				t.Fatalf("jobStaleIfConflict(%v) = %v: %s", test.err, got, test.reason)
			}
			if !test.want {
				return
			}
			if _, stale := r.expectations.jobStale(seen.object, cached); !stale {
				t.Errorf("the Job as it was is not stale: %s", test.reason)
			}
			if _, stale := r.expectations.jobStale(seen.object, test.until); stale {
				t.Errorf("%v is stale: %s", test.until, test.reason)
			}
		})
	}
}

func TestIsStale(t *testing.T) {
	stale := &staleError{kind: "Job"}
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"no error": {nil, false},
		"another":  {errors.New("the cache is stale"), false},
		"itself":   {stale, true},
		"wrapped":  {fmt.Errorf("acting: %w", stale), true},
		"joined":   {errors.Join(errors.New("another"), stale), true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := isStale(test.err); got != test.want {
				t.Errorf("isStale(%v) = %t, want %t", test.err, got, test.want)
			}
		})
	}
	if got, want := stale.Error(), "the cache is stale: it does not show the latest state of the Job yet"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}
