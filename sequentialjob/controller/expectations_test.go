package controller

import (
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func objectAt(resourceVersion string) *v1alpha1.SequentialJob {
	object := makeObject("web").obj()
	object.ResourceVersion = resourceVersion
	return object
}

func TestObjectStale(t *testing.T) {
	successor := objectAt("5")
	successor.UID = "another"
	neighbour := makeObject("api").obj()
	neighbour.UID, neighbour.ResourceVersion = "uid-of-web", "5"

	for name, test := range map[string]struct {
		known     string // "" for nothing
		cached    *v1alpha1.SequentialJob
		wantStale bool
		wantKnown bool
		reason    string
	}{
		"nothing known":       {"", objectAt("5"), false, false, "a process that has just started has nothing to wait for"},
		"older":               {"10", objectAt("9"), true, true, "the cache doesn't show the write yet, though 9 sorts after 10 as text"},
		"the same":            {"10", objectAt("10"), false, true, "the cache has caught up"},
		"newer":               {"10", objectAt("11"), false, true, "another client wrote since"},
		"another of its name": {"10", successor, false, false, "what is known of an object says nothing of the next one of that name"},
		"another object":      {"10", neighbour, false, false, "each object has an entry of its own"},
		"not comparable":      {"10", objectAt("abc"), false, true, "what can't be compared must not be waited for"},
	} {
		t.Run(name, func(t *testing.T) {
			expectations := &expectations{}
			if test.known != "" {
				expectations.expectObject(objectAt(test.known))
			}
			if got := expectations.objectStale(test.cached); got != test.wantStale {
				t.Errorf("objectStale() = %t, want %t: %s", got, test.wantStale, test.reason)
			}
			if got := expectations.knows(test.cached); got != test.wantKnown {
				t.Errorf("knows() = %t, want %t: %s", got, test.wantKnown, test.reason)
			}
		})
	}
}

func TestKnowsOnlyTheObjectItself(t *testing.T) {
	expectations := &expectations{}
	expectations.expectJob(objectAt("10"), makeJob("build").obj(), noon)
	if expectations.knows(objectAt("10")) {
		t.Error("knowing a Job is not knowing how the API server has the object")
	}
	if expectations.objectStale(objectAt("1")) {
		t.Error("an object whose state isn't known can't be stale")
	}
}

func TestJobStale(t *testing.T) {
	wrote := func(e *expectations) { e.expectJob(objectAt("10"), makeJob("build").version("200").obj(), noon) }
	deleted := func(e *expectations) { e.expectDeletion(objectAt("10"), makeJob("build").version("200").obj(), noon) }
	for name, test := range map[string]struct {
		did    func(*expectations)
		cached *jobBuilder // nil for none
		want   bool
		reason string
	}{
		"nothing done, no Job":               {func(*expectations) {}, nil, false, "nothing is expected"},
		"nothing done, a Job":                {func(*expectations) {}, makeJob("build"), false, "nothing is expected"},
		"written, not there":                 {wrote, nil, true, "else the Job would be taken for deleted, or be created again"},
		"written, older":                     {wrote, makeJob("build").version("199"), true, "the cache shows it as it was before"},
		"written, shorter version":           {wrote, makeJob("build").version("99"), true, "99 is older than 200, though it sorts after it as text"},
		"written, shown":                     {wrote, makeJob("build").version("200"), false, "the cache has caught up"},
		"written, newer":                     {wrote, makeJob("build").version("201"), false, "the Job controller wrote since"},
		"written, newer one of its name":     {wrote, makeJob("build").uid("other").version("201"), false, "ours must have gone before this one came"},
		"written, older one of its name":     {wrote, makeJob("build").uid("other").version("199"), true, "ours came after this one"},
		"deleted, still there":               {deleted, makeJob("build").version("200"), true, "else it would be deleted twice"},
		"deleted, changed, but not by us":    {deleted, makeJob("build").version("201"), true, "only the deletion is what was asked for"},
		"deleted, complete before":           {deleted, makeJob("build").version("201").complete(), false, "if its deletion were awaited, its success would never be seen"},
		"deleted, is being deleted":          {deleted, makeJob("build").version("201").deleting(), false, "the cache has caught up"},
		"deleted, gone":                      {deleted, nil, false, "the cache has caught up"},
		"deleted, newer one of its name":     {deleted, makeJob("build").uid("other").version("201"), false, "ours must have gone before this one came"},
		"deleted, older one of its name":     {deleted, makeJob("build").uid("other").version("199"), true, "ours came after this one"},
		"written after a delete, not there":  {func(e *expectations) { deleted(e); wrote(e) }, nil, true, "the last write counts"},
		"deleted after a write, not there":   {func(e *expectations) { wrote(e); deleted(e) }, nil, false, "the last write counts"},
		"done for the object before, no Job": {wroteForPredecessor, nil, false, "what was done for an object says nothing of the next one of that name"},
	} {
		t.Run(name, func(t *testing.T) {
			expectations := &expectations{}
			test.did(expectations)
			var cached *batchv1.Job
			if test.cached != nil {
				cached = test.cached.obj()
			}
			since, stale := expectations.jobStale(objectAt("10"), cached)
			if stale != test.want {
				t.Fatalf("jobStale() = %t, want %t: %s", stale, test.want, test.reason)
			}
			if stale && !since.Equal(noon) {
				t.Errorf("since = %v, want %v: the API server is read %v after that", since, noon, expectationsTimeout)
			}
			if again, stillStale := expectations.jobStale(objectAt("10"), cached); again != since || stillStale != stale {
				t.Errorf("asked again, jobStale() = %v, %t instead of %v, %t", again, stillStale, since, stale)
			}
		})
	}
}

func wroteForPredecessor(e *expectations) {
	predecessor := objectAt("10")
	predecessor.UID = "another"
	e.expectJob(predecessor, makeJob("build").obj(), noon)
}

func createdForPredecessor(e *expectations) {
	predecessor := objectAt("10")
	predecessor.UID = "another"
	e.recordCreation(predecessor, makeJob("build").obj())
}

func TestCreatedJob(t *testing.T) {
	const created = types.UID("uid-of-web-build")
	object, build, other := objectAt("10"), makeJob("build").obj(), makeJob("build").uid("other").obj()
	web := types.NamespacedName{Namespace: "default", Name: "web"}
	creates := func(e *expectations) { e.recordCreation(object, build) }
	for name, test := range map[string]struct {
		did     func(*expectations)
		jobName string
		want    types.UID
		reason  string
	}{
		"nothing":                 {func(*expectations) {}, "web-build", "", "a process that has just started has created nothing"},
		"created":                 {creates, "web-build", created, "the status may not name it yet"},
		"another step":            {creates, "web-test", "", "a Job says nothing of another step"},
		"the step before":         {func(e *expectations) { creates(e); e.recordCreation(object, makeJob("test").obj()) }, "web-build", "", "the status names it, or the next step would not be claimed"},
		"shown, then gone":        {func(e *expectations) { creates(e); e.jobStale(object, build) }, "web-build", created, "a cache that has caught up says nothing of the status"},
		"being deleted":           {func(e *expectations) { creates(e); e.expectDeletion(object, build, noon) }, "web-build", created, "a stopped Job has existed"},
		"replacement deleted":     {func(e *expectations) { creates(e); e.expectDeletion(object, other, noon) }, "web-build", created, "stopping another Job doesn't make it the step's"},
		"status written":          {func(e *expectations) { creates(e); e.expectObject(objectAt("11")) }, "web-build", created, "the status makes it unimportant, not its write"},
		"written to again":        {func(e *expectations) { creates(e); e.expectJob(object, build, noon) }, "web-build", created, "it is the same Job"},
		"replacement written to":  {func(e *expectations) { creates(e); e.expectJob(object, other, noon) }, "web-build", created, "writing to another Job doesn't make it the step's"},
		"replacement seen":        {func(e *expectations) { creates(e); e.recordCreation(object, other) }, "web-build", created, "the first one is the step's"},
		"created for predecessor": {createdForPredecessor, "web-build", "", "what was done for an object says nothing of the next one of that name"},
		"forgotten":               {func(e *expectations) { creates(e); e.forget(web) }, "web-build", "", "expectations must not grow with every object that ever was"},
	} {
		t.Run(name, func(t *testing.T) {
			expectations := &expectations{}
			test.did(expectations)
			for range 2 {
				if got := expectations.createdJob(objectAt("10"), test.jobName); got != test.want {
					t.Errorf("createdJob(%s) = %q, want %q: %s", test.jobName, got, test.want, test.reason)
				}
			}
		})
	}
}

func TestExpectationEndsOnceMet(t *testing.T) {
	expectations := &expectations{}
	expectations.expectJob(objectAt("10"), makeJob("build").version("200").obj(), noon)
	if _, stale := expectations.jobStale(objectAt("10"), makeJob("build").version("200").obj()); stale {
		t.Fatal("the cache shows the Job")
	}
	if _, stale := expectations.jobStale(objectAt("10"), nil); stale {
		t.Error("once the cache has shown the Job, its absence is an event, not a delay")
	}
}

func TestKnowsAJobThatItHasWrittenOrConfirmed(t *testing.T) {
	for name, test := range map[string]struct {
		did  func(*expectations)
		want bool
	}{
		"nothing":                  {func(*expectations) {}, false},
		"has confirmed the object": {func(e *expectations) { e.expectObject(objectAt("10")) }, false},
		"has seen its Job":         {func(e *expectations) { e.recordCreation(objectAt("10"), makeJob("build").obj()) }, false},
		"has confirmed its Job":    {func(e *expectations) { e.confirmJob(objectAt("10")) }, true},
		"has written its Job":      {func(e *expectations) { e.expectJob(objectAt("10"), makeJob("build").obj(), noon) }, true},
		"has deleted its Job":      {func(e *expectations) { e.expectDeletion(objectAt("10"), makeJob("build").obj(), noon) }, true},
		"the cache has shown it": {func(e *expectations) {
			e.expectJob(objectAt("10"), makeJob("build").obj(), noon)
			e.jobStale(objectAt("10"), makeJob("build").obj())
		}, true},
		"the object is another one": {func(e *expectations) {
			e.confirmJob(objectAt("10"))
			other := objectAt("20")
			other.UID = "other"
			e.expectObject(other)
		}, false},
	} {
		e := &expectations{}
		test.did(e)
		if got := e.knowsJobOf(objectAt("10")); got != test.want {
			t.Errorf("%s: knowsJobOf() = %t, want %t", name, got, test.want)
		}
	}
}

func TestForget(t *testing.T) {
	expectations := &expectations{}
	object := objectAt("10")
	expectations.forget(types.NamespacedName{Namespace: "default", Name: "web"}) // of nothing
	expectations.expectObject(object)
	expectations.expectJob(object, makeJob("build").obj(), noon)
	expectations.recordStepEnd(object, noon)

	expectations.forget(types.NamespacedName{Namespace: "default", Name: "api"})
	if !expectations.knows(object) {
		t.Fatal("forgetting another object must not touch this one")
	}
	expectations.forget(types.NamespacedName{Namespace: "default", Name: "web"})
	if len(expectations.entries) != 0 {
		t.Errorf("%d entries left: expectations must not grow with every object that ever was", len(expectations.entries))
	}
	if _, stale := expectations.jobStale(object, nil); stale || expectations.knows(object) || expectations.objectStale(objectAt("1")) {
		t.Error("what is forgotten must not hold anything up")
	}
}

func TestSuccessorReplacesTheEntry(t *testing.T) {
	expectations := &expectations{}
	expectations.expectObject(objectAt("10"))
	expectations.expectJob(objectAt("10"), makeJob("build").obj(), noon)
	successor := objectAt("20")
	successor.UID = "another"
	expectations.expectObject(successor)
	if _, stale := expectations.jobStale(successor, nil); stale || expectations.createdJob(successor, "web-build") != "" {
		t.Error("the predecessor's Job is not the successor's")
	}
	if expectations.knows(objectAt("10")) {
		t.Error("the predecessor is gone")
	}
}

func TestStepEndIsTakenOnce(t *testing.T) {
	expectations := &expectations{}
	object := objectAt("10")
	if at := expectations.takeStepEnd(object); !at.IsZero() {
		t.Errorf("takeStepEnd() = %v, want zero: no claim is open", at)
	}
	expectations.recordStepEnd(object, noon.Add(time.Second))
	if at := expectations.takeStepEnd(object); !at.Equal(noon.Add(time.Second)) {
		t.Errorf("takeStepEnd() = %v, want when the step ended", at)
	}
	if at := expectations.takeStepEnd(object); !at.IsZero() {
		t.Errorf("taken again, takeStepEnd() = %v, want zero: each transition is measured once", at)
	}
}

// Ten workers share the expectations; the race detector judges.
func TestExpectationsAreShared(t *testing.T) {
	expectations := &expectations{}
	var workers sync.WaitGroup
	for range 10 {
		workers.Go(func() {
			for range 100 {
				expectations.expectObject(objectAt("10"))
				expectations.expectJob(objectAt("10"), makeJob("build").obj(), noon)
				expectations.recordCreation(objectAt("10"), makeJob("build").obj())
				expectations.jobStale(objectAt("10"), makeJob("build").obj())
				expectations.createdJob(objectAt("10"), "web-build")
				expectations.recordStepEnd(objectAt("10"), noon)
				expectations.takeStepEnd(objectAt("10"))
				expectations.forget(types.NamespacedName{Namespace: "default", Name: "other"})
			}
		})
	}
	workers.Wait()
	if !expectations.knows(objectAt("10")) || expectations.objectStale(objectAt("10")) {
		t.Error("the object is known, at 10")
	}
}

func TestOlder(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"1", "2", true},
		{"2", "2", false},
		{"3", "2", false},
		{"9", "10", true},
		{"10", "9", false},
		{"18446744073709551616", "18446744073709551617", true}, // beyond 64 bits
		{"", "2", false},
		{"1", "", false},
		{"a", "b", false},
		{"0", "1", false},
	} {
		if got := older(test.a, test.b); got != test.want {
			t.Errorf("older(%q, %q) = %t, want %t: a number, or nothing that can be compared", test.a, test.b, got, test.want)
		}
	}
}

func TestARefusalIsRetriedLaterEachTime(t *testing.T) {
	var e expectations
	object := makeObject("web").obj()
	if got := e.retryAt(object); !got.IsZero() {
		t.Errorf("before the first refusal, the retry is at %s", got)
	}
	for i, want := range []time.Duration{firstRetry, 2 * firstRetry, 4 * firstRetry} {
		if got := e.recordRefusal(object, noon).Sub(noon); got != want {
			t.Errorf("refusal %d is retried after %s, want %s", i+1, got, want)
		}
	}
	for range 20 {
		e.recordRefusal(object, noon)
	}
	if got := e.retryAt(object).Sub(noon); got != lastRetry {
		t.Errorf("after many refusals the retry comes after %s, want %s", got, lastRetry)
	}
	successor := makeObject("web").obj()
	successor.UID = "another"
	if got := e.retryAt(successor); !got.IsZero() {
		t.Errorf("an object of the same name has to wait until %s", got)
	}
	e.recordAcceptance(object)
	if got := e.retryAt(object); !got.IsZero() {
		t.Errorf("after a creation, the retry is at %s", got)
	}
	if got := e.recordRefusal(object, noon).Sub(noon); got != firstRetry {
		t.Errorf("the first refusal after a creation is retried after %s, want %s", got, firstRetry)
	}
}
