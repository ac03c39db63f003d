package observer_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/must"
)

func TestHistory(t *testing.T) {
	w := newWorld(t)
	o := w.observe()

	object := w.sequence("web")
	job := w.job("web-build")
	job.Labels = map[string]string{"seen": "yes"}
	w.do(admin.Update(w.ctx, job))
	object.Status.Progress = "1/1"
	w.do(admin.Status().Update(w.ctx, object))
	w.delete(job)
	w.delete(object)

	frontier := w.sync(o)
	want := []string{
		"ADDED sequentialjobs web", "ADDED jobs web-build", "MODIFIED jobs web-build", "MODIFIED sequentialjobs web",
		"DELETED jobs web-build", "DELETED sequentialjobs web",
	}
	assert.Equal(t, "changes", w.lines(frontier), want)
	changes := w.log.Run().Changes
	for _, change := range changes {
		version := strconv.FormatUint(change.ResourceVersion, 10)
		assert.Equal(t, change.Type+" "+change.Resource, version, change.Object.GetResourceVersion())
		if change.Seen <= 0 {
			t.Errorf("%s %s: seen at %s, want a time", change.Type, change.Resource, change.Seen)
		}
	}
	if !slices.IsSortedFunc(changes, func(a, b history.Change) int { return int(a.ResourceVersion) - int(b.ResourceVersion) }) {
		t.Error("the changes are not in the order of their resourceVersions")
	}
	if objects := o.Objects(); len(objects.All()) != 0 {
		t.Errorf("objects = %v, want none", objects)
	}
}

func TestInitialState(t *testing.T) {
	w := newWorld(t)
	w.sequence("web")
	old := w.job("old", "example.com/held")
	w.delete(old)
	o := w.observe()
	want := []string{"ADDED sequentialjobs web (initial)", "ADDED jobs old (initial)"}
	assert.Equal(t, "changes before anything happened", w.lines(^uint64(0)), want)
	if o.Objects()["jobs"]["old"].GetDeletionTimestamp() == nil {
		t.Error("the Job that is being deleted does not say so")
	}

	w.do(admin.Get(w.ctx, client.ObjectKeyFromObject(old), old))
	old.Finalizers = nil
	w.do(admin.Update(w.ctx, old))
	lines := w.lines(w.sync(o))
	assert.Equal(t, "the last change", lines[len(lines)-1], "DELETED jobs old")
}

// Objects that come and go between two events of the watch are in neither the list nor the store.
func TestSyncSeesWhatWasShortLived(t *testing.T) {
	w := newWorld(t)
	o := w.observe()
	for i := range 30 {
		job := w.job(fmt.Sprint("short-", i))
		w.log.Write(func(run *history.Run) {
			run.Requests = append(run.Requests, history.Request{
				ID: i + 1, Call: history.Call{Verb: "create", Resource: "jobs"}, Object: history.Name{Namespace: w.namespace},
				UID: string(job.UID), Code: 201, ResourceVersion: 1,
			})
		})
		w.delete(job)
		if lines := w.lines(w.sync(o)); len(lines) != 2*(i+1) {
			t.Fatalf("%d changes after %d Jobs came and went, want %d", len(lines), i+1, 2*(i+1))
		}
	}
}

// Writers that never pause must not keep Sync from returning.
func TestSyncWhileObjectsChange(t *testing.T) {
	w := newWorld(t)
	o := w.observe()
	job := w.job("busy")
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			job.Labels = map[string]string{"round": strconv.Itoa(i)}
			if err := admin.Update(w.ctx, job); err != nil {
				t.Error(err)
				return
			}
		}
	})
	var before uint64
	for range 5 {
		frontier := w.sync(o)
		if frontier < before {
			t.Errorf("frontier %d after %d", frontier, before)
		}
		before = frontier
	}
	close(stop)
	writer.Wait()
	written, err := strconv.ParseUint(job.ResourceVersion, 10, 64)
	w.do(err)
	if last := w.sync(o); last < written {
		t.Errorf("frontier %d, want at least %d, which was written before", last, written)
	}
	assert.Equal(t, "the Job's resourceVersion", o.Objects()["jobs"]["busy"].GetResourceVersion(), job.ResourceVersion)
}

func TestWhole(t *testing.T) {
	w := newWorld(t)
	before := w.job("before")
	o := w.observe()
	after := w.job("after")
	for _, job := range []*batchv1.Job{before, after} {
		w.delete(job)
		if seen := o.Whole(w.ctx, "jobs", job.UID); seen == nil || seen.GetUID() != job.UID {
			t.Errorf("of Job %s there is %v", job.Name, seen)
		}
	}
	if seen := o.Whole(w.ctx, "configmaps", after.UID); seen != nil {
		t.Errorf("of a resource that is not observed there is %v", seen)
	}
	ctx, cancel := context.WithCancel(w.ctx)
	cancel()
	if seen := o.Whole(ctx, "jobs", "unknown"); seen != nil {
		t.Errorf("of an object that nobody has seen there is %v", seen)
	}
}

func TestStopIsNoGap(t *testing.T) {
	w := newWorld(t)
	o := w.observe()
	o.Stop()
	o.Stop()
	must.Succeed(t, o.Err())
}
