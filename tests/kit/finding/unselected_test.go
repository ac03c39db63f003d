package finding

import (
	"net/http"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
)

func TestAnObjectThatAWatchDoesNotSelect(t *testing.T) {
	t.Parallel()
	const up, later = 1 * time.Second, 2 * time.Second
	created := func(kind kinds.Kind, labels map[string]string, owner string) history.Change {
		object := &unstructured.Unstructured{Object: map[string]any{"kind": kind.Kind}}
		object.SetName("web")
		object.SetUID(types.UID("uid"))
		object.SetLabels(labels)
		if owner != "" {
			object.Object["metadata"].(map[string]any)["ownerReferences"] = []any{map[string]any{"kind": owner, "name": "web", "uid": "u", "controller": true}}
		}
		return history.Change{Type: "ADDED", Resource: kind.Resource, Object: object, Seen: later}
	}
	watch := func(resource, labels string) history.Stream {
		return history.Stream{ID: 1, Instance: 1, Resource: resource, Code: http.StatusOK, UpToDate: up, Scope: history.Scope{Labels: labels}}
	}
	for name, test := range map[string]struct {
		change history.Change
		stream history.Stream
		frames []history.Frame
		want   string
	}{
		"a SequentialJob without labels": {
			change: created(kinds.SequentialJob, nil, ""), stream: watch("sequentialjobs", "app"),
			want: "SequentialJob web has never reached your controller, which watches the sequentialjobs of all namespaces, with the labels app. web has no labels.",
		},
		"a Job with other labels": {
			change: created(kinds.Job, map[string]string{"step": "build", "run": "web"}, kinds.SequentialJob.Kind), stream: watch("jobs", "app"),
			want: "Job web has never reached your controller, which watches the jobs of all namespaces, with the labels app. web has the labels run=web, step=build.",
		},
		"somebody else's Job":   {change: created(kinds.Job, nil, "CronJob"), stream: watch("jobs", "app")},
		"a watch of everything": {change: created(kinds.SequentialJob, nil, ""), stream: watch("sequentialjobs", "")},
		"an event that has come": {
			change: created(kinds.SequentialJob, nil, ""), stream: watch("sequentialjobs", "app"),
			frames: []history.Frame{{Stream: 1, UID: "uid"}},
		},
		"a watch of another kind": {change: created(kinds.SequentialJob, nil, ""), stream: watch("jobs", "app")},
	} {
		run := history.Run{Changes: []history.Change{test.change}, Streams: []history.Stream{test.stream}, Frames: test.frames}
		if got := Unselected(run, 1); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
