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

func TestObjectBehind(t *testing.T) {
	successor := objectAt("5")
	successor.UID = "another"
	neighbour := makeObject("api").obj()
	neighbour.UID, neighbour.ResourceVersion = "uid-of-web", "5"

	for name, test := range map[string]struct {
		known      string // "" for nothing
		cached     *v1alpha1.SequentialJob
		wantBehind bool
		wantKnown  bool
		reason     string
	}{
		"nothing known":       {"", objectAt("5"), false, false, "a process that has just started has nothing to wait for"},
		"older":               {"10", objectAt("9"), true, true, "the cache doesn't show the write yet, though 9 sorts after 10 as text"},
		"the same":            {"10", objectAt("10"), false, true, "the cache has caught up"},
		"newer":               {"10", objectAt("11"), false, true, "somebody else wrote since"},
		"another of its name": {"10", successor, false, false, "what is known of an object says nothing of the next one of that name"},
		"another object":      {"10", neighbour, false, false, "each object has an entry of its own"},
		"not comparable":      {"10", objectAt("abc"), false, true, "what can't be compared must not be waited for"},
	} {
		t.Run(name, func(t *testing.T) {
			memory := &memory{}
			if test.known != "" {
				memory.objectIsAt(objectAt(test.known))
			}
			if got := memory.objectBehind(test.cached); got != test.wantBehind {
				t.Errorf("objectBehind() = %t, want %t: %s", got, test.wantBehind, test.reason)
			}
			if got := memory.knows(test.cached); got != test.wantKnown {
				t.Errorf("knows() = %t, want %t: %s", got, test.wantKnown, test.reason)
			}
		})
	}
}

func TestKnowsOnlyTheObjectItself(t *testing.T) {
	memory := &memory{}
	memory.jobIsAt(objectAt("10"), makeJob("build").obj(), noon)
	if memory.knows(objectAt("10")) {
		t.Error("knowing a Job is not knowing how the object stands in the API server")
	}
	if memory.objectBehind(objectAt("1")) {
		t.Error("an object whose state isn't known can't be behind it")
	}
}

func TestJobBehind(t *testing.T) {
	wrote := func(m *memory) { m.jobIsAt(objectAt("10"), makeJob("build").version("200").obj(), noon) }
	deleted := func(m *memory) { m.jobIsGoing(objectAt("10"), makeJob("build").version("200").obj(), noon) }
	for name, test := range map[string]struct {
		did    func(*memory)
		cached *jobBuilder // nil for none
		want   bool
		reason string
	}{
		"nothing done, no Job":               {func(*memory) {}, nil, false, "nothing is expected"},
		"nothing done, a Job":                {func(*memory) {}, makeJob("build"), false, "nothing is expected"},
		"written, not there":                 {wrote, nil, true, "else the Job would be taken for deleted, or be created again"},
		"written, older":                     {wrote, makeJob("build").version("199"), true, "the cache shows it as it was before"},
		"written, shorter version":           {wrote, makeJob("build").version("99"), true, "99 is older than 200, though it sorts after it as text"},
		"written, shown":                     {wrote, makeJob("build").version("200"), false, "the cache has caught up"},
		"written, newer":                     {wrote, makeJob("build").version("201"), false, "the Job controller wrote since"},
		"written, newer one of its name":     {wrote, makeJob("build").uid("other").version("201"), false, "ours must have gone before this one came"},
		"written, older one of its name":     {wrote, makeJob("build").uid("other").version("199"), true, "ours came after this one"},
		"deleted, still there":               {deleted, makeJob("build").version("200"), true, "else it would be deleted twice"},
		"deleted, changed, but not by us":    {deleted, makeJob("build").version("201"), true, "only the deletion is what was asked for"},
		"deleted, on its way out":            {deleted, makeJob("build").version("201").deleting(), false, "the cache has caught up"},
		"deleted, gone":                      {deleted, nil, false, "the cache has caught up"},
		"deleted, newer one of its name":     {deleted, makeJob("build").uid("other").version("201"), false, "ours must have gone before this one came"},
		"deleted, older one of its name":     {deleted, makeJob("build").uid("other").version("199"), true, "ours came after this one"},
		"written after a delete, not there":  {func(m *memory) { deleted(m); wrote(m) }, nil, true, "the last deed counts"},
		"deleted after a write, not there":   {func(m *memory) { wrote(m); deleted(m) }, nil, false, "the last deed counts"},
		"done for the object before, no Job": {wroteForPredecessor, nil, false, "what was done for an object says nothing of the next one of that name"},
	} {
		t.Run(name, func(t *testing.T) {
			memory := &memory{}
			test.did(memory)
			var cached *batchv1.Job
			if test.cached != nil {
				cached = test.cached.obj()
			}
			since, behind := memory.jobBehind(objectAt("10"), cached)
			if behind != test.want {
				t.Fatalf("jobBehind() = %t, want %t: %s", behind, test.want, test.reason)
			}
			if behind && !since.Equal(noon) {
				t.Errorf("since = %v, want %v: from then on the API server is asked after %v", since, noon, cacheGrace)
			}
			if again, stillBehind := memory.jobBehind(objectAt("10"), cached); again != since || stillBehind != behind {
				t.Errorf("asked again, jobBehind() = %v, %t instead of %v, %t", again, stillBehind, since, behind)
			}
		})
	}
}

func wroteForPredecessor(m *memory) {
	predecessor := objectAt("10")
	predecessor.UID = "another"
	m.jobIsAt(predecessor, makeJob("build").obj(), noon)
}

func createdForPredecessor(m *memory) {
	predecessor := objectAt("10")
	predecessor.UID = "another"
	m.jobIsCreated(predecessor, makeJob("build").obj())
}

func TestCreatedJob(t *testing.T) {
	const created = types.UID("uid-of-web-build")
	creates := func(m *memory) { m.jobIsCreated(objectAt("10"), makeJob("build").obj()) }
	for name, test := range map[string]struct {
		did     func(*memory)
		jobName string
		want    types.UID
		reason  string
	}{
		"nothing":            {func(*memory) {}, "web-build", "", "a process that has just started has created nothing"},
		"created":            {creates, "web-build", created, "the status may not tell yet"},
		"another step":       {creates, "web-test", "", "a Job says nothing of another step"},
		"the step before":    {func(m *memory) { creates(m); m.jobIsCreated(objectAt("20"), makeJob("test").obj()) }, "web-build", "", "the status tells of it, or the next step had not been claimed"},
		"shown, then gone":   {func(m *memory) { creates(m); m.jobBehind(objectAt("10"), makeJob("build").obj()) }, "web-build", created, "that the cache has caught up says nothing of the status"},
		"asked to go":        {func(m *memory) { creates(m); m.jobIsGoing(objectAt("10"), makeJob("build").obj(), noon) }, "web-build", created, "what was stopped has been there"},
		"a stray's going":    {func(m *memory) { creates(m); m.jobIsGoing(objectAt("10"), makeJob("build").uid("other").obj(), noon) }, "web-build", created, "stopping another Job doesn't make it the step's"},
		"status written":     {func(m *memory) { creates(m); m.objectIsAt(objectAt("11")) }, "web-build", created, "it is the status that makes it unimportant, not its write"},
		"written to, again":  {func(m *memory) { creates(m); m.jobIsAt(objectAt("10"), makeJob("build").version("201").obj(), noon) }, "web-build", created, "it is the same Job"},
		"a stray written to": {func(m *memory) { creates(m); m.jobIsAt(objectAt("10"), makeJob("build").uid("other").obj(), noon) }, "web-build", created, "writing to another Job doesn't make it the step's"},
		"a stray seen":       {func(m *memory) { creates(m); m.jobIsCreated(objectAt("10"), makeJob("build").uid("other").obj()) }, "web-build", created, "the first one is the step's"},
		"for predecessor":    {createdForPredecessor, "web-build", "", "what was done for an object says nothing of the next one of that name"},
		"forgotten": {func(m *memory) {
			creates(m)
			m.forget(types.NamespacedName{Namespace: "default", Name: "web"})
		}, "web-build", "", "memory must not grow with every object that ever was"},
	} {
		t.Run(name, func(t *testing.T) {
			memory := &memory{}
			test.did(memory)
			for range 2 {
				if got := memory.createdJob(objectAt("10"), test.jobName); got != test.want {
					t.Errorf("createdJob(%s) = %q, want %q: %s", test.jobName, got, test.want, test.reason)
				}
			}
		})
	}
}

func TestExpectationEndsOnceMet(t *testing.T) {
	memory := &memory{}
	memory.jobIsAt(objectAt("10"), makeJob("build").version("200").obj(), noon)
	if _, behind := memory.jobBehind(objectAt("10"), makeJob("build").version("200").obj()); behind {
		t.Fatal("the cache shows the Job")
	}
	if _, behind := memory.jobBehind(objectAt("10"), nil); behind {
		t.Error("once the cache has shown the Job, its absence is news and no delay")
	}
}

func TestForget(t *testing.T) {
	memory := &memory{}
	object := objectAt("10")
	memory.forget(types.NamespacedName{Namespace: "default", Name: "web"}) // of nothing
	memory.objectIsAt(object)
	memory.jobIsAt(object, makeJob("build").obj(), noon)
	memory.stepIsOver(object, noon)

	memory.forget(types.NamespacedName{Namespace: "default", Name: "api"})
	if !memory.knows(object) {
		t.Fatal("forgetting another object must not touch this one")
	}
	memory.forget(types.NamespacedName{Namespace: "default", Name: "web"})
	if len(memory.entries) != 0 {
		t.Errorf("%d entries left: memory must not grow with every object that ever was", len(memory.entries))
	}
	if _, behind := memory.jobBehind(object, nil); behind || memory.knows(object) || memory.objectBehind(objectAt("1")) {
		t.Error("what is forgotten must not hold anything up")
	}
}

func TestSuccessorReplacesTheEntry(t *testing.T) {
	memory := &memory{}
	memory.objectIsAt(objectAt("10"))
	memory.jobIsAt(objectAt("10"), makeJob("build").obj(), noon)
	successor := objectAt("20")
	successor.UID = "another"
	memory.objectIsAt(successor)
	if _, behind := memory.jobBehind(successor, nil); behind || memory.createdJob(successor, "web-build") != "" {
		t.Error("the predecessor's Job is not the successor's")
	}
	if memory.knows(objectAt("10")) {
		t.Error("the predecessor is gone")
	}
}

func TestStepOverIsTakenOnce(t *testing.T) {
	memory := &memory{}
	object := objectAt("10")
	if at := memory.takeStepOver(object); !at.IsZero() {
		t.Errorf("takeStepOver() = %v, want zero: no claim is open", at)
	}
	memory.stepIsOver(object, noon.Add(time.Second))
	if at := memory.takeStepOver(object); !at.Equal(noon.Add(time.Second)) {
		t.Errorf("takeStepOver() = %v, want when the step was over", at)
	}
	if at := memory.takeStepOver(object); !at.IsZero() {
		t.Errorf("taken again, takeStepOver() = %v, want zero: each transition is measured once", at)
	}
}

// Ten workers share the memory; the race detector judges.
func TestMemoryIsShared(t *testing.T) {
	memory := &memory{}
	var workers sync.WaitGroup
	for range 10 {
		workers.Go(func() {
			for range 100 {
				memory.objectIsAt(objectAt("10"))
				memory.jobIsAt(objectAt("10"), makeJob("build").obj(), noon)
				memory.jobIsCreated(objectAt("10"), makeJob("build").obj())
				memory.jobBehind(objectAt("10"), makeJob("build").obj())
				memory.createdJob(objectAt("10"), "web-build")
				memory.stepIsOver(objectAt("10"), noon)
				memory.takeStepOver(objectAt("10"))
				memory.forget(types.NamespacedName{Namespace: "default", Name: "other"})
			}
		})
	}
	workers.Wait()
	if !memory.knows(objectAt("10")) || memory.objectBehind(objectAt("10")) {
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
