package main

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestWaitIfStale(t *testing.T) {
	object := &staleError{of: v1alpha1.Kind}
	job := &staleError{of: "Job", requeueAfter: 7 * time.Second}
	quota := errors.New("exceeded quota")
	hour, soon := ctrl.Result{RequeueAfter: time.Hour}, ctrl.Result{RequeueAfter: 7 * time.Second}

	for name, test := range map[string]struct {
		result    ctrl.Result
		err       error
		want      ctrl.Result
		wantErr   error
		wantStale bool
		reason    string
	}{
		"no error":          {hour, nil, hour, nil, false, "the reconcile has said when the next one is"},
		"another error":     {ctrl.Result{}, quota, ctrl.Result{}, quota, false, "an error is retried with backoff"},
		"a stale object":    {ctrl.Result{}, object, ctrl.Result{}, nil, true, "its event is certain to arrive"},
		"a stale Job":       {ctrl.Result{}, job, soon, nil, true, "its event may never arrive"},
		"wrapped":           {ctrl.Result{}, fmt.Errorf("observing: %w", job), soon, nil, true, "an error that says more is still the same error"},
		"joined":            {ctrl.Result{}, errors.Join(quota, job), soon, nil, true, "the next reconcile, with a current cache, tries both again"},
		"joined, no error":  {ctrl.Result{}, errors.Join(nil, object), ctrl.Result{}, nil, true, "acting succeeded, and the report must wait"},
		"joined and nested": {ctrl.Result{}, fmt.Errorf("acting: %w", errors.Join(quota, job)), soon, nil, true, "it may be anywhere in the tree"},
		"a result as well":  {hour, job, soon, nil, true, "a reconcile that did not finish knows no better time"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := waitIfStale(test.result, test.err)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("result (-want +got): %s%s", test.reason, diff)
			}
			if !errors.Is(err, test.wantErr) {
				t.Errorf("error %v, want %v: %s", err, test.wantErr, test.reason)
			}
			if stale := isStale(test.err); stale != test.wantStale {
				t.Errorf("stale: %t, want %t: %s", stale, test.wantStale, test.reason)
			}
		})
	}
}

func TestStaleIfConflict(t *testing.T) {
	jobs := batchv1.Resource("jobs")
	conflict := apierrors.NewConflict(jobs, "web-build", errors.New("the object has been modified"))
	for name, test := range map[string]struct {
		err       error
		wantStale bool
		reason    string
	}{
		"no error":          {nil, false, "the write has succeeded"},
		"a conflict":        {conflict, true, "a retry with the same cached Job fails again"},
		"a conflict, named": {fmt.Errorf("stopping Job web-build: %w", conflict), true, "an error that says more is still the same error"},
		"the name is taken": {apierrors.NewAlreadyExists(jobs, "web-build"), false, "it has the same code, but says nothing about the cache"},
		"gone":              {apierrors.NewNotFound(jobs, "web-build"), false, "that is not a conflict"},
		"a server error":    {apierrors.NewInternalError(errors.New("no leader")), false, "an error is retried with backoff"},
	} {
		t.Run(name, func(t *testing.T) {
			got := staleIfConflict(test.err)
			if !test.wantStale {
				if got != test.err {
					t.Errorf("got %v, want the error itself: %s", got, test.reason)
				}
				return
			}
			stale, is := errors.AsType[*staleError](got)
			if !is {
				t.Fatalf("got %v, want a staleError: %s", got, test.reason)
			}
			if stale.of != "Job" || stale.requeueAfter != expectationsTimeout {
				t.Errorf("a stale %s, requeued after %s; want Job, %s: its event may never arrive", stale.of, stale.requeueAfter, expectationsTimeout)
			}
		})
	}
}
