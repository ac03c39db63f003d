package controller

import (
	"errors"
	"fmt"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func TestConflictIsBehind(t *testing.T) {
	jobs := batchv1.Resource("jobs")
	for name, test := range map[string]struct {
		err           error
		wantBehind    bool
		wantLookAgain time.Duration
		reason        string
	}{
		"no error": {
			err: nil, reason: "a write that succeeded is no reason to wait",
		},
		"conflict": {
			err: apierrors.NewConflict(jobs, "web-build", errors.New("changed")), wantBehind: true, wantLookAgain: cacheGrace,
			reason: "the cache is behind what somebody else wrote, and retrying with it can only fail again",
		},
		"conflict, wrapped": {
			err: fmt.Errorf("suspending: %w", apierrors.NewConflict(jobs, "web-build", errors.New("changed"))), wantBehind: true, wantLookAgain: cacheGrace,
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
			got := conflictIsBehind(test.err, "Job")
			if isBehind(got) != test.wantBehind {
				t.Fatalf("conflictIsBehind(%v) = %v, want behind %t: %s", test.err, got, test.wantBehind, test.reason)
			}
			if !test.wantBehind {
				if !errors.Is(got, test.err) {
					t.Errorf("conflictIsBehind(%v) = %v, want the error itself", test.err, got)
				}
				return
			}
			var behind *behindError
			if !errors.As(got, &behind) || behind.kind != "Job" || behind.lookAgain != test.wantLookAgain {
				t.Errorf("conflictIsBehind(%v) = %#v, want kind Job, lookAgain %v: %s", test.err, got, test.wantLookAgain, test.reason)
			}
		})
	}
}

func TestIsBehind(t *testing.T) {
	behind := &behindError{kind: "Job"}
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"no error": {nil, false},
		"another":  {errors.New("the cache is behind for Job"), false},
		"itself":   {behind, true},
		"wrapped":  {fmt.Errorf("acting: %w", behind), true},
		"joined":   {errors.Join(errors.New("another"), behind), true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := isBehind(test.err); got != test.want {
				t.Errorf("isBehind(%v) = %t, want %t", test.err, got, test.want)
			}
		})
	}
	if got, want := behind.Error(), "the cache is behind for Job"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}
