package observer_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/canonical"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/observer"
	"example.com/controller-course/tests/kit/picture"
)

// workspace is a kind that the kit does not know: a Workspace represents its team, whatever its name is.
var workspace = kinds.Kind{
	GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "workspaces"}, Kind: "Workspace",
	Logical: func(object *unstructured.Unstructured) history.Logical {
		team, _, _ := unstructured.NestedString(object.Object, "spec", "team")
		return history.Logical(team)
	},
	State: func(object *unstructured.Unstructured) kinds.State {
		phase, _, _ := unstructured.NestedString(object.Object, "spec", "phase")
		return kinds.State{Look: "running", Label: phase, Words: "in phase " + phase}
	},
	Masks: []kinds.Mask{{Path: "metadata.name", Why: "made up"}, {Path: "spec.since", Present: true, Why: "a time"}},
}

// newWorkspace makes one in a namespace of its own, and observes nothing else.
func newWorkspace(t *testing.T, name, since string) (*world, *observer.Observer, *unstructured.Unstructured) {
	w := newWorld(t)
	o := w.observe(workspace)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Workspace", "spec": map[string]any{"team": "red", "phase": "Filling", "since": since},
	}}
	object.SetNamespace(w.namespace)
	object.SetName(name)
	w.do(admin.Create(w.ctx, object))
	w.sync(o)
	return w, o, object
}

func TestAnEntryInTheTableIsAllThatAKindNeeds(t *testing.T) {
	table := slices.Clone(kinds.Table)
	kinds.Table = append(kinds.Table, workspace)
	t.Cleanup(func() { kinds.Table = table })

	w, o, object := newWorkspace(t, "red-1", "today")
	assert.Equal(t, "changes", w.lines(w.sync(o)), []string{"ADDED workspaces red-1"})
	if there := o.Objects()["workspaces"]; len(there) != 1 || there["red-1"] == nil {
		t.Errorf("objects = %v, want red-1", there)
	}

	file := filepath.Join(t.TempDir(), "picture.html")
	w.do(picture.Write(file, w.log.Run(), nil, "a workspace"))
	page, err := os.ReadFile(file)
	w.do(err)
	if want := "ADDED Workspace red-1: in phase Filling"; !strings.Contains(string(page), want) {
		t.Errorf("the picture does not tell %q", want)
	}

	want := `Workspace red
  apiVersion: example.com/v1
  kind: Workspace
  metadata.generation: 1
  spec.phase: Filling
  spec.since: (set)
  spec.team: red
`
	state := canonical.Of(o.Objects().All())
	assert.Equal(t, "what is compared", state.String(), want)
	_, other, _ := newWorkspace(t, "red-2", "yesterday")
	assert.Equal(t, "how another run ends otherwise", canonical.Diff(state, canonical.Of(other.Objects().All())), []string(nil))
	w.delete(object)
	frontier := w.sync(o)
	counts := canonical.Counts{"Workspace red": {Created: 1, Deleted: 1}}
	assert.Equal(t, "counts", canonical.CountsOf(w.log.Run().Changes, frontier), counts)
}

func TestEventsAreObservedOnRequest(t *testing.T) {
	w := newWorld(t)
	o := w.observe(append(slices.Clone(kinds.Default), kinds.Event)...)
	object := w.sequence("web")
	event := &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "web.1"}, EventTime: metav1.NowMicro(),
		Type: corev1.EventTypeWarning, Reason: "JobConflict", Note: "the name is taken", Action: "Create",
		ReportingController: "example.com/test", ReportingInstance: "1",
		Regarding: corev1.ObjectReference{APIVersion: "batch.example.com/v1alpha1", Kind: "SequentialJob", Namespace: w.namespace, Name: object.Name},
	}
	w.do(admin.Create(w.ctx, event))
	assert.Equal(t, "changes", w.lines(w.sync(o)), []string{"ADDED sequentialjobs web", "ADDED events web.1"})
	seen := o.Objects()["events"]["web.1"]
	assert.Equal(t, "what the Event represents", kinds.Of(seen).LogicalOf(seen), history.Logical("web"))
	want := kinds.State{Look: "failed", Label: "Warning JobConflict", Words: "Warning JobConflict: the name is taken"}
	assert.Equal(t, "how the Event is described", kinds.Of(seen).StateOf(seen), want)
	state := canonical.Of(o.Objects().All())
	if len(state) != 1 || len(state["SequentialJob web"]) != 1 {
		t.Errorf("compared is\n%s\nwant the SequentialJob alone", state)
	}
}
