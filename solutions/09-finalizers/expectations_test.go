package main

import (
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// api makes the object api, which has nothing in common with web but the namespace.
func api() *v1alpha1.SequentialJob {
	object := makeObject()
	object.Name, object.UID = "api", "uid-of-api"
	return object
}

// cached returns Jobs as the cache does.
func cached(jobs ...*batchv1.Job) []batchv1.Job {
	var list []batchv1.Job
	for _, job := range jobs {
		list = append(list, *job)
	}
	return list
}

// factsOf returns the facts of a reconcile at noon, as far as expectations need them.
func factsOf(object *v1alpha1.SequentialJob) facts { return facts{now: noon, object: object} }

func TestObjectStale(t *testing.T) {
	written := func(e *expectations) { e.expectObject(at("100", makeObject())) }
	for name, test := range map[string]struct {
		did       func(*expectations)
		cached    *v1alpha1.SequentialJob
		want      bool
		wantKnown bool
		reason    string
	}{
		"nothing written":              {func(*expectations) {}, at("5", makeObject()), false, false, "a new process expects nothing"},
		"not shown yet":                {written, at("98", makeObject()), true, true, "the status that this process wrote is missing"},
		"not shown yet, fewer digits":  {written, at("99", makeObject()), true, true, "99 is less than 100, although it sorts after it as text"},
		"shown":                        {written, at("100", makeObject()), false, true, "the cache is current"},
		"newer":                        {written, at("101", makeObject()), false, true, "another client has written since"},
		"newer, more digits":           {written, at("1000", makeObject()), false, true, "another client has written since"},
		"not comparable":               {written, at("abc", makeObject()), false, true, "a version that can't be compared must not delay a reconcile"},
		"another object of the name":   {written, another(at("50", makeObject())), false, false, "the write was to the object before it"},
		"another name":                 {written, at("50", api()), false, false, "each name has its own entry"},
		"written twice":                {func(e *expectations) { written(e); e.expectObject(at("110", makeObject())) }, at("105", makeObject()), true, true, "the last write counts"},
		"only a Job written":           {func(e *expectations) { e.expectJob(factsOf(makeObject()), makeJob("build")) }, at("5", makeObject()), false, false, "a Job says nothing about the state of the object"},
		"a Job written after it":       {func(e *expectations) { written(e); e.expectJob(factsOf(makeObject()), makeJob("build")) }, at("98", makeObject()), true, true, "both are expected"},
		"another of the name, written": {func(e *expectations) { written(e); e.expectObject(another(at("200", makeObject()))) }, at("98", makeObject()), false, false, "the first one is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			e := &expectations{}
			test.did(e)
			if got := e.objectStale(test.cached); got != test.want {
				t.Errorf("stale: %t, want %t: %s", got, test.want, test.reason)
			}
			if got := e.knows(test.cached); got != test.wantKnown {
				t.Errorf("known: %t, want %t: %s", got, test.wantKnown, test.reason)
			}
		})
	}
}

func TestJobStale(t *testing.T) {
	object := makeObject()
	created := func(e *expectations) {
		e.expectCreated(factsOf(object), object.Spec.Steps[0].Name, at("200", makeJob("build")))
	}
	changed := func(e *expectations) { e.expectJob(factsOf(object), at("200", makeJob("build"))) }
	deleted := func(e *expectations) { e.expectDeletion(factsOf(object), at("200", makeJob("build"))) }
	for name, test := range map[string]struct {
		did    func(*expectations)
		object *v1alpha1.SequentialJob // web if nil
		cached []batchv1.Job
		want   bool
		reason string
	}{
		"nothing done, no Job": {
			did:    func(*expectations) {},
			want:   false,
			reason: "a new process expects nothing",
		},
		"nothing done, a Job": {
			did: func(*expectations) {}, cached: cached(makeJob("build")),
			want:   false,
			reason: "a new process expects nothing",
		},
		"only the object written": {
			did:    func(e *expectations) { e.expectObject(object) },
			want:   false,
			reason: "the status says nothing about the cached Jobs",
		},

		"created, missing": {
			did:    created,
			want:   true,
			reason: "the step has a Job, which would look deleted",
		},
		"created, shown": {
			did: created, cached: cached(at("200", makeJob("build"))),
			want:   false,
			reason: "the cache is current",
		},
		"created, newer": {
			did: created, cached: cached(at("201", makeJob("build"))),
			want:   false,
			reason: "the Job controller has written since",
		},
		"created, being deleted": {
			did: created, cached: cached(deleting(at("201", makeJob("build")))),
			want:   false,
			reason: "a user has deleted it since, and the cache shows that",
		},
		"changed, being deleted before": {
			did: changed, cached: cached(deleting(at("199", makeJob("build")))),
			want:   true,
			reason: "a user has deleted it, and it was read later: the status must not go back",
		},
		"created, only another one of its name": {
			did: created, cached: cached(another(at("300", makeJob("build")))),
			want:   true,
			reason: "that is not the Job that this process created",
		},
		"created, only the Job of another step": {
			did: created, cached: cached(at("300", makeJob("test"))),
			want:   true,
			reason: "that is not the Job that this process created",
		},
		"created, shown among others": {
			did: created, cached: cached(at("100", makeJob("release")), at("200", makeJob("build")), at("100", makeJob("test"))),
			want:   false,
			reason: "only the expected Job counts",
		},

		"changed, missing": {
			did:    changed,
			want:   true,
			reason: "what left the cache may still exist: a Job without its label does",
		},
		"changed, not shown yet": {
			did: changed, cached: cached(at("199", makeJob("build"))),
			want:   true,
			reason: "the Job would be suspended again",
		},
		"changed, not shown yet, fewer digits": {
			did: changed, cached: cached(at("99", makeJob("build"))),
			want:   true,
			reason: "99 is less than 200, although it sorts after it as text",
		},
		"changed, shown": {
			did: changed, cached: cached(at("200", makeJob("build"))),
			want:   false,
			reason: "the cache is current",
		},
		"changed, newer": {
			did: changed, cached: cached(at("201", makeJob("build"))),
			want:   false,
			reason: "the Job controller has written since",
		},
		"changed, not shown yet, and another Job is newer": {
			did: changed, cached: cached(at("199", makeJob("build")), at("201", makeJob("test"))),
			want:   true,
			reason: "only the expected Job counts",
		},
		"changed, not comparable": {
			did: changed, cached: cached(at("abc", makeJob("build"))),
			want:   false,
			reason: "a version that can't be compared must not delay a reconcile",
		},

		"deleted, missing": {
			did:    deleted,
			want:   false,
			reason: "it is gone",
		},
		"deleted, not shown yet": {
			did: deleted, cached: cached(at("200", makeJob("build"))),
			want:   true,
			reason: "the Job would be deleted again",
		},
		"deleted, newer": {
			did: deleted, cached: cached(at("201", makeJob("build"))),
			want:   true,
			reason: "the Job controller wrote this before the deletion",
		},
		"deleted, and complete before": {
			did: deleted, cached: cached(at("201", makeJob("build", batchv1.JobComplete))),
			want:   false,
			reason: "if its deletion were awaited, its success would never be seen",
		},
		"deleted, not comparable": {
			did: deleted, cached: cached(at("abc", makeJob("build"))),
			want:   true,
			reason: "a deletion needs no comparison",
		},
		"deleted, being deleted": {
			did: deleted, cached: cached(deleting(at("201", makeJob("build")))),
			want:   false,
			reason: "a Job that is deleted in the foreground stays for a while",
		},
		"deleted, only another one of its name": {
			did: deleted, cached: cached(another(at("300", makeJob("build")))),
			want:   false,
			reason: "the other one could be created only once this one was gone",
		},

		"created, then deleted, missing": {
			did:    func(e *expectations) { created(e); deleted(e) },
			want:   false,
			reason: "the last write counts",
		},
		"deleted, then changed, missing": {
			did:    func(e *expectations) { deleted(e); changed(e) },
			want:   true,
			reason: "the last write counts",
		},
		"done for the object before": {
			did: created, object: another(makeObject()),
			want:   false,
			reason: "the next object of that name has Jobs of its own",
		},
		"done for an object of another name": {
			did: created, object: api(),
			want:   false,
			reason: "each name has its own entry",
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := &expectations{}
			test.did(e)
			of := object
			if test.object != nil {
				of = test.object
			}
			for range 2 { // a second call returns the same
				since, stale := e.jobStale(of, test.cached)
				if stale != test.want {
					t.Fatalf("stale: %t, want %t: %s", stale, test.want, test.reason)
				}
				if stale && !since.Equal(noon.Time) {
					t.Errorf("since %s, want %s: the wait starts with the write", since, noon)
				}
			}
		})
	}
}

func TestEachWriteStartsTheWaitAgain(t *testing.T) {
	e, seen := &expectations{}, factsOf(makeObject())
	e.expectJob(seen, makeJob("build"))
	seen.now.Time = noon.Add(time.Second)
	e.expectDeletion(seen, makeJob("build"))
	if since, _ := e.jobStale(seen.object, cached(makeJob("build"))); !since.Equal(noon.Add(time.Second)) {
		t.Errorf("since %s, want one second later than %s: the cache can't show a deletion before it is requested", since, noon)
	}
}

func TestNothingWaitsForWhatWasRead(t *testing.T) {
	e, object := &expectations{}, makeObject()
	e.expectRead(object, at("200", makeJob("build")))
	if since, stale := e.jobStale(object, cached(at("100", makeJob("build")))); !stale || !since.IsZero() {
		t.Errorf("stale: %t, since %s, want the cache to be stale, and the wait to be over", stale, since)
	}
	if _, stale := e.jobStale(object, cached(at("200", makeJob("build")))); stale {
		t.Error("stale, although the cache shows what was read")
	}
}

func TestWhatWasShownIsNotExpected(t *testing.T) {
	e, object := &expectations{}, makeObject()
	e.expectCreated(factsOf(object), object.Spec.Steps[0].Name, makeJob("build"))
	if _, stale := e.jobStale(object, cached(makeJob("build"))); stale {
		t.Fatal("the cache shows the Job")
	}
	if _, stale := e.jobStale(object, nil); stale {
		t.Error("the Job was there and is missing now: it is gone, and there is nothing to wait for")
	}
	if got := e.createdFor(object, "build"); got != "uid-of-build" {
		t.Errorf("created %q, want uid-of-build: the status may not name the Job yet", got)
	}
}

func TestBehind(t *testing.T) {
	object, job := makeObject(), at("200", makeJob("build"))
	var e expectations
	if e.behind(object, job) {
		t.Error("a new process expects nothing")
	}
	e.expectDeletion(factsOf(object), job)
	for _, test := range []struct {
		cached *batchv1.Job
		want   bool
		reason string
	}{
		{job, true, "its deletion is not shown yet"},
		{deleting(at("201", makeJob("build"))), false, "its deletion is shown"},
		{another(makeJob("build")), false, "nothing was done to that Job"},
	} {
		if got := e.behind(object, test.cached); got != test.want {
			t.Errorf("got %t, want %t: %s", got, test.want, test.reason)
		}
	}
}

func TestCreatedFor(t *testing.T) {
	object := makeObject()
	creates := func(e *expectations) { e.expectCreated(factsOf(object), object.Spec.Steps[0].Name, makeJob("build")) }
	createsNext := func(e *expectations) { e.expectCreated(factsOf(object), object.Spec.Steps[1].Name, makeJob("test")) }
	for name, test := range map[string]struct {
		did    func(*expectations)
		object *v1alpha1.SequentialJob // web if nil
		step   string
		want   types.UID
		reason string
	}{
		"nothing": {
			did: func(*expectations) {}, step: "build",
			want: "", reason: "a new process has created nothing",
		},
		"created": {
			did: creates, step: "build",
			want: "uid-of-build", reason: "the status may not name it yet",
		},
		"another step": {
			did: creates, step: "test",
			want: "", reason: "each step has its own Job",
		},
		"the step after it": {
			did:  func(e *expectations) { creates(e); createsNext(e) },
			step: "test",
			want: "uid-of-test", reason: "only the current step's Job matters",
		},
		"the step before it": {
			did:  func(e *expectations) { creates(e); createsNext(e) },
			step: "build",
			want: "", reason: "the status names that Job: otherwise the next step would not be claimed",
		},
		"suspended": {
			did:  func(e *expectations) { creates(e); e.expectJob(factsOf(object), at("201", makeJob("build"))) },
			step: "build",
			want: "uid-of-build", reason: "it is the same Job",
		},
		"stopped": {
			did:  func(e *expectations) { creates(e); e.expectDeletion(factsOf(object), makeJob("build")) },
			step: "build",
			want: "uid-of-build", reason: "a Job that was stopped has existed",
		},
		"only suspended": {
			did:  func(e *expectations) { e.expectJob(factsOf(object), makeJob("build")) },
			step: "build",
			want: "", reason: "this process did not create it",
		},
		"the status is written": {
			did:  func(e *expectations) { creates(e); e.expectObject(at("101", makeObject())) },
			step: "build",
			want: "uid-of-build", reason: "that write may not have named the Job",
		},
		"another object of the name": {
			did: creates, object: another(makeObject()), step: "build",
			want: "", reason: "the next object of that name has Jobs of its own",
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := &expectations{}
			test.did(e)
			of := object
			if test.object != nil {
				of = test.object
			}
			if got := e.createdFor(of, test.step); got != test.want {
				t.Errorf("created %q, want %q: %s", got, test.want, test.reason)
			}
		})
	}
}

func TestKnowsAJobThatItHasWrittenOrConfirmed(t *testing.T) {
	object := makeObject()
	for name, test := range map[string]struct {
		did  func(*expectations)
		want bool
	}{
		"nothing":                  {func(*expectations) {}, false},
		"has confirmed the object": {func(e *expectations) { e.expectObject(at("10", makeObject())) }, false},
		"has seen its Job":         {func(e *expectations) { e.recordCreated(object, "build", makeJob("build")) }, false},
		"has confirmed its Job":    {func(e *expectations) { e.confirmJob(object) }, true},
		"has written its Job":      {func(e *expectations) { e.expectJob(factsOf(object), makeJob("build")) }, true},
		"has deleted its Job":      {func(e *expectations) { e.expectDeletion(factsOf(object), makeJob("build")) }, true},
	} {
		e := &expectations{}
		test.did(e)
		if got := e.knowsJobOf(object); got != test.want {
			t.Errorf("%s: knowsJobOf() = %t, want %t", name, got, test.want)
		}
	}
}

func TestForget(t *testing.T) {
	e, object := &expectations{}, at("100", makeObject())
	key := client.ObjectKeyFromObject(object)
	e.forget(key) // there is nothing to forget
	e.expectObject(object)
	e.expectCreated(factsOf(object), object.Spec.Steps[0].Name, makeJob("build"))

	e.forget(client.ObjectKeyFromObject(api()))
	if !e.knows(object) {
		t.Fatal("web is unknown, and only api is gone")
	}
	e.forget(key)
	if len(e.entries) > 0 {
		t.Errorf("%d entries are left: memory grows with each object that is gone", len(e.entries))
	}
	_, jobStale := e.jobStale(object, nil)
	if jobStale || e.objectStale(at("1", makeObject())) || e.knows(object) || e.createdFor(object, "build") != "" {
		t.Error("something of web is still expected")
	}
}

func TestNextObjectOfTheName(t *testing.T) {
	e, object := &expectations{}, makeObject()
	e.expectObject(object)
	e.expectCreated(factsOf(object), object.Spec.Steps[0].Name, makeJob("build"))

	next := another(makeObject())
	e.expectObject(next)
	if _, stale := e.jobStale(next, nil); stale || e.createdFor(next, "build") != "" {
		t.Error("the Job of the object before is expected of the next one")
	}
	if len(e.entries) != 1 {
		t.Errorf("there are %d entries, want 1: one name has one object", len(e.entries))
	}
}

// Several workers may share the expectations. With -race, this test finds an access without the lock.
func TestSharedExpectations(t *testing.T) {
	e := &expectations{}
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			object := makeObject()
			for range 100 {
				e.expectObject(object)
				e.expectCreated(factsOf(object), object.Spec.Steps[0].Name, makeJob("build"))
				e.jobStale(object, cached(makeJob("build")))
				e.createdFor(object, "build")
				e.objectStale(object)
				e.knows(object)
				e.forget(client.ObjectKeyFromObject(api()))
			}
		})
	}
	workers.Wait()
	if !e.knows(makeObject()) {
		t.Error("web is unknown, and was written to")
	}
}

func TestOlder(t *testing.T) {
	for name, test := range map[string]struct {
		a, b   string
		want   bool
		reason string
	}{
		"less":                {"1", "2", true, "it comes first"},
		"equal":               {"2", "2", false, "it is the same state"},
		"greater":             {"3", "2", false, "it comes later"},
		"fewer digits":        {"9", "10", true, "versions are compared as numbers"},
		"more digits":         {"10", "9", false, "versions are compared as numbers"},
		"beyond 64 bits":      {"18446744073709551616", "18446744073709551617", true, "a version has no largest value"},
		"the first is empty":  {"", "2", false, "it can't be compared"},
		"the second is empty": {"1", "", false, "it can't be compared"},
		"not a number":        {"a", "b", false, "it can't be compared"},
		"a leading zero":      {"01", "2", false, "it can't be compared"},
		"negative":            {"-1", "2", false, "it can't be compared"},
	} {
		if got := older(test.a, test.b); got != test.want {
			t.Errorf("%s: older(%q, %q) is %t, want %t: %s", name, test.a, test.b, got, test.want, test.reason)
		}
	}
}
