package main

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

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

// liveJob is an API server that has one Job, or none.
type liveJob struct {
	client.Reader
	job *batchv1.Job
}

func (l liveJob) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	if l.job == nil {
		return apierrors.NewNotFound(batchv1.Resource("jobs"), key.Name)
	}
	l.job.DeepCopyInto(object.(*batchv1.Job))
	return nil
}

func TestStaleIfConflict(t *testing.T) {
	jobs := batchv1.Resource("jobs")
	conflict := apierrors.NewConflict(jobs, "web-build", errors.New("the object has been modified"))
	cached, changed, replaced := makeJob("build"), makeJob("build"), makeJob("build")
	cached.ResourceVersion, changed.ResourceVersion = "7", "8"
	replaced.UID, replaced.ResourceVersion = "another", "9"
	going := cached.DeepCopy()
	going.DeletionTimestamp = &noon

	for name, test := range map[string]struct {
		err    error
		live   *batchv1.Job
		want   bool           // a staleError
		until  []*batchv1.Job // what the cache has to show until reconciles go on; nil for no Job
		reason string
	}{
		"no error":          {nil, cached, false, nil, "the write has succeeded"},
		"a conflict":        {conflict, changed, true, []*batchv1.Job{cached, changed}, "until then, the same request would be refused again"},
		"a conflict, named": {fmt.Errorf("stopping Job web-build: %w", conflict), changed, true, []*batchv1.Job{cached, changed}, "an error that says more is still the same error"},
		"going":             {conflict, nil, true, []*batchv1.Job{cached, going}, "the Job is gone by now, and the cache shows first that it goes"},
		"gone":              {conflict, nil, true, []*batchv1.Job{cached, nil}, "or it shows that right away"},
		"replaced":          {conflict, replaced, true, []*batchv1.Job{cached, replaced}, "the Job of that name is another one"},
		"the name is taken": {apierrors.NewAlreadyExists(jobs, "web-build"), cached, false, nil, "it has the same code, but says nothing about the cache"},
		"not found":         {apierrors.NewNotFound(jobs, "web-build"), nil, true, []*batchv1.Job{cached, nil}, "the Job is gone, and the cache does not show that yet"},
		"a webhook's 404":   {apierrors.NewNotFound(jobs, "web-build"), cached, false, nil, "the Job is as the cache shows it"},
		"a webhook's 409":   {conflict, cached, false, nil, "no event would end the wait"},
		"a server error":    {apierrors.NewInternalError(errors.New("no leader")), cached, false, nil, "an error is retried with backoff"},
	} {
		t.Run(name, func(t *testing.T) {
			r, seen := &reconciler{live: liveJob{job: test.live}}, facts{now: noon, object: makeObject()}
			got := r.staleIfConflict(t.Context(), seen, cached, test.err)
			if !test.want {
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
			for i, shown := range test.until {
				var cache []batchv1.Job
				if shown != nil {
					cache = append(cache, *shown)
				}
				if _, stale := r.expectations.jobStale(seen.object, cache); stale != (i < len(test.until)-1) {
					t.Errorf("stale: %t, with %v in the cache: %s", stale, cache, test.reason)
				}
			}
		})
	}
}

// liveObject is an API server that has one SequentialJob, or none.
type liveObject struct {
	client.Reader
	object *v1alpha1.SequentialJob
}

func (l liveObject) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	if l.object == nil {
		return apierrors.NewNotFound(v1alpha1.GroupVersion.WithResource("sequentialjobs").GroupResource(), key.Name)
	}
	l.object.DeepCopyInto(object.(*v1alpha1.SequentialJob))
	return nil
}

func TestObjectStaleIfConflict(t *testing.T) {
	resource := v1alpha1.GroupVersion.WithResource("sequentialjobs").GroupResource()
	conflict := fmt.Errorf("writing the status: %w", apierrors.NewConflict(resource, "web", errors.New("the object has been modified")))
	noLeader := apierrors.NewInternalError(errors.New("no leader"))
	cached, changed := at("7", makeObject()), at("8", makeObject())

	for name, test := range map[string]struct {
		err       error
		live      *v1alpha1.SequentialJob
		want      bool // a staleError
		wantStale bool // whether reconciles wait until the cache shows more than cached
		reason    string
	}{
		"a conflict":      {conflict, changed, true, true, "until then, the same request would be refused again"},
		"a webhook's 409": {conflict, cached, false, false, "no event would end the wait"},
		"gone":            {conflict, nil, true, false, "there is nothing to expect"},
		"replaced":        {conflict, another(at("9", makeObject())), true, false, "what is expected is about one object"},
		"a server error":  {noLeader, changed, false, false, "an error is retried with backoff"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &reconciler{live: liveObject{object: test.live}}
			got := r.objectStaleIfConflict(t.Context(), cached, test.err)
			if isStale(got) != test.want || !test.want && got != test.err {
				t.Errorf("got %v, want a staleError: %t: %s", got, test.want, test.reason)
			}
			if stale := r.expectations.objectStale(cached); stale != test.wantStale {
				t.Errorf("the cached object is stale: %t, want %t: %s", stale, test.wantStale, test.reason)
			}
		})
	}
}
