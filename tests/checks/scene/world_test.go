package scene

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/script"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/stage"
)

func TestAForeignFinalizerIsKept(t *testing.T) {
	leaving := func(finalizers ...string) stage.World {
		object := &v1alpha1.SequentialJob{}
		object.Name, object.UID, object.Finalizers, object.DeletionTimestamp = "leaving", "the one", finalizers, new(metav1.Unix(1, 0))
		return stage.World{Object: object}
	}
	write := history.Request{ID: 1, Call: history.Call{Verb: "patch", Resource: "sequentialjobs"}, UID: "the one", Code: 200, Received: 1}
	status := write
	status.Call.Resource = "sequentialjobs/status"
	refused := write
	refused.Code = 409
	for name, test := range map[string]struct {
		now       stage.World
		requests  []history.Request
		want      string // a part of the finding; empty for none
		notJudged bool
	}{
		"kept":                      {leaving(worlds.Archived), nil, "", false},
		"kept, with one more":       {leaving("example.com/ours", worlds.Archived), []history.Request{write}, "", false},
		"removed":                   {stage.World{}, []history.Request{write}, "Your controller removed this finalizer", false},
		"replaced by its own":       {leaving("example.com/ours"), []history.Request{write}, "Your controller removed this finalizer", false},
		"gone, without a request":   {stage.World{}, nil, "", true},
		"gone, with others' writes": {stage.World{}, []history.Request{status, refused}, "", true},
	} {
		s := faulty(t)
		s.Log.Write(func(run *history.Run) { run.Requests = test.requests })
		outcome, err := script.Play(func() { s.keptFinalizer(&companion{Run: worlds.Run{Name: "leaving"}, uid: "the one"}, test.now) })
		must.Succeed(t, err)
		what := ""
		for _, found := range outcome.Findings {
			what += found.What
		}
		if (what == "") != (test.want == "") || !strings.Contains(what, test.want) || (outcome.NotJudged != "") != test.notJudged {
			t.Errorf("%s: found %q, not judged: %q", name, what, outcome.NotJudged)
		}
	}
}
