package controller

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestObjectStaleIfConflict(t *testing.T) {
	resource := v1alpha1.GroupVersion.WithResource("sequentialjobs").GroupResource()
	conflict := apierrors.NewConflict(resource, "web", errors.New("changed"))
	cached := objectAt("7")
	changed := objectAt("8")
	recreated := objectAt("9")
	recreated.UID = "another"
	for name, test := range map[string]struct {
		err          error
		live         *v1alpha1.SequentialJob
		want         bool // a *staleError
		requeueAfter time.Duration
		cachedStale  bool
		reason       string
	}{
		"changed": {conflict, changed, true, expectationsTimeout, true, "until the cache shows the change, the same request would be refused again"},
		"changed, wrapped": {fmt.Errorf("writing: %w", conflict), changed, true, expectationsTimeout, true,
			"errors say what was being done, and are still what they were"},
		"not changed": {conflict, cached, true, expectationsTimeout, false, "something else refuses with 409, so no event may arrive"},
		"gone":        {conflict, nil, true, 0, false, "its event is on its way"},
		"recreated":   {conflict, recreated, true, 0, false, "what is expected is about one object, not about the next one of that name"},
		"no error":    {nil, cached, false, 0, false, "a write that succeeded is no reason to wait"},
		"name taken":  {apierrors.NewAlreadyExists(resource, "web"), changed, false, 0, false, "it is a 409 too, but says nothing about the cache"},
		"any other":   {errors.New("etcd"), changed, false, 0, false, "an error is returned, so that it is retried with a pause and counted"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Reconciler{Live: &apiServer{object: test.live}}
			got := r.objectStaleIfConflict(t.Context(), cached, test.err)
			if stale, ok := errors.AsType[*staleError](got); ok != test.want || ok && (stale.kind != v1alpha1.Kind || stale.requeueAfter != test.requeueAfter) {
				t.Fatalf("objectStaleIfConflict(%v) = %#v, want stale %t, requeueAfter %v: %s", test.err, got, test.want, test.requeueAfter, test.reason)
			}
			if !test.want && !errors.Is(got, test.err) {
				t.Errorf("objectStaleIfConflict(%v) = %v, want the error itself: %s", test.err, got, test.reason)
			}
			if stale := r.expectations.objectStale(cached); stale != test.cachedStale {
				t.Errorf("stale as it was cached: %t, want %t: %s", stale, test.cachedStale, test.reason)
			}
			if r.expectations.objectStale(changed) {
				t.Errorf("stale as it is now: %s", test.reason)
			}
		})
	}
}

// unreadable is an API server that can't be asked.
type unreadable struct{ client.Reader }

var errUnreadable = errors.New("etcd")

func (unreadable) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return errUnreadable
}

func TestObjectStaleIfConflictUnread(t *testing.T) {
	r, object := &Reconciler{Live: unreadable{}}, makeObject("web").steps("build").obj()
	err := r.objectStaleIfConflict(t.Context(), object, apierrors.NewConflict(batchv1.Resource("sequentialjobs"), "web", errors.New("changed")))
	if isStale(err) || !errors.Is(err, errUnreadable) {
		t.Errorf("err = %v, want %v: what the cache must show is not known, so backoff has to space the attempts", err, errUnreadable)
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
		"missing":  {apierrors.NewNotFound(batchv1.Resource("jobs"), "web-build"), nil, true, nil, "the cache will show that the Job is gone"},
		"webhook":  {missingSaysWebhook(), cached, false, nil, "the Job is there, so no event of its end will arrive"},
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

// missingSaysWebhook is what a webhook makes of a write to an object that exists.
func missingSaysWebhook() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusNotFound, Message: `admission webhook "budgets.example.com" denied the request: no such budget`,
	}}
}

// refusing is an API server that refuses all writes.
type refusing struct {
	client.Client
	err error
}

func (r refusing) Delete(context.Context, client.Object, ...client.DeleteOption) error { return r.err }

func (r refusing) Status() client.SubResourceWriter { return refusingStatus{err: r.err} }

type refusingStatus struct {
	client.SubResourceWriter
	err error
}

func (r refusingStatus) Patch(context.Context, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
	return r.err
}

func TestWritesToWhatIsGone(t *testing.T) {
	seen := facts{now: noon, object: makeObject("web").steps("build").obj(), job: makeJob("build").version("7").obj()}
	for name, write := range map[string]func(*Reconciler) error{
		"report": func(r *Reconciler) error {
			return r.report(t.Context(), seen, v1alpha1.SequentialJobStatus{Progress: "0/1"})
		},
		"stopJob":      func(r *Reconciler) error { return r.stopJob(t.Context(), seen) },
		"deleteObject": func(r *Reconciler) error { return r.deleteObject(t.Context(), seen) },
	} {
		t.Run(name, func(t *testing.T) {
			gone := apierrors.NewNotFound(batchv1.Resource("jobs"), "web-build")
			if err := write(&Reconciler{Client: refusing{err: gone}}); err != nil {
				t.Errorf("err = %v, want none: what is gone needs no write", err)
			}
			denied := missingSaysWebhook()
			if err := write(&Reconciler{Client: refusing{err: denied}}); !errors.Is(err, denied) {
				t.Errorf("err = %v, want %v: what a webhook refuses with 404 is there, and no event brings a retry", err, denied)
			}
		})
	}
}
