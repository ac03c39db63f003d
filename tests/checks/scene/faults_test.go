package scene

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"example.com/controller-course/tests/checks/script"
	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/stage"
)

// faulty is a scene without a controller, on which faults can be injected.
func faulty(t *testing.T) *Scene {
	nowhere := &rest.Config{Host: "http://127.0.0.1:1"}
	log := history.NewLog()
	between, err := proxy.New(proxy.Options{Server: nowhere, Admin: nowhere, Log: log})
	must.Succeed(t, err)
	t.Cleanup(func() { must.Succeed(t, between.Close()) })
	return &Scene{Stage: &stage.Stage{Log: log, Proxy: between}}
}

func TestAFaultThatDidNotStrikeIsNotJudged(t *testing.T) {
	for line, want := range map[string]string{
		"hold: ADDED jobs web/build #1":           `the fault "hold: ADDED jobs web/build #1" did not strike, and needs that event on one of your controller's watches`,
		"answer 500: next 3 writes jobs web/a":    `the fault "answer 500: next 3 writes jobs web/a" did not strike, and needs such a write from your controller`,
		"answer late: list jobs - #2":             `the fault "answer late: list jobs - #2" did not strike, and needs that request from your controller`,
		"answer 500: next 1 reads jobs":           "", // a controller may never read
		"answer 504: next 1 reads sequentialjobs": "",
	} {
		s := faulty(t)
		s.Fault(line)
		outcome, err := script.Play(s.Disarm)
		must.Succeed(t, err)
		assert.Equal(t, "what is said of "+line, outcome.NotJudged, want)
		outcome, err = script.Play(s.Disarm)
		must.Succeed(t, err)
		assert.Equal(t, "what is said of it once it is taken back", outcome.NotJudged, "")
	}
}

func TestAFaultThatIsTakenBackOnPurposeNeedNotStrike(t *testing.T) {
	s := faulty(t)
	s.OnWrites("jobs", "web/build", proxy.Answer500, 2)
	s.Proxy.Disarm()
	_, is := s.unmet()
	assert.Equal(t, "whether it should have struck", is, false)
}

func TestWhatAFaultHasMissed(t *testing.T) {
	job := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "batch/v1", "kind": "Job",
		"metadata": map[string]any{"uid": "a", "ownerReferences": []any{map[string]any{"kind": "SequentialJob", "name": "web"}}},
		"spec":     map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "build"}}}}},
	}}
	created := history.Request{
		Call: history.Call{Verb: "create", Resource: "jobs", Object: "?/?"}, UID: "a", Code: 201, Received: time.Hour,
	}
	stream := history.Stream{Resource: "jobs", Code: 200}
	const writes, event = "answer 500: next 2 writes jobs web/build", "hold: ADDED jobs web/build #1"
	for name, test := range map[string]struct {
		fault  string
		change func(*history.Run)
		want   bool
	}{
		"a write that was not recognized": {writes, func(*history.Run) {}, true},
		"a write before the fault":        {writes, func(r *history.Run) { r.Requests[0].Received = 0 }, false},
		"a write that was struck":         {writes, func(r *history.Run) { r.Requests[0].Fault = 1 }, false},
		"a write that failed":             {writes, func(r *history.Run) { r.Requests[0].Code = 403 }, false},
		"a write of another object":       {writes, func(r *history.Run) { r.Requests[0].UID = "b" }, false},
		"a write of a status":             {writes, func(r *history.Run) { r.Requests[0].Call.Resource = "jobs/status" }, false},
		"an event on a watch":             {event, func(*history.Run) {}, true},
		"a watch of something else":       {event, func(r *history.Run) { r.Streams[0].Resource = "pods" }, false},
		"a watch that has ended":          {event, func(r *history.Run) { r.Streams[0].Ended = 1 }, false},
		"a watch that was refused":        {event, func(r *history.Run) { r.Streams[0].Code = 403 }, false},
	} {
		s := faulty(t)
		s.Fault(test.fault)
		s.Log.Write(func(run *history.Run) {
			run.Requests, run.Streams = []history.Request{created}, []history.Stream{stream}
			run.Changes = []history.Change{{Type: "ADDED", Resource: "jobs", Object: job}}
			test.change(run)
		})
		assert.Equal(t, name, s.missed(s.armed[0]), test.want)
	}
}

func TestWhatAFaultOfAnAdvisoryHasMissed(t *testing.T) {
	const updates = "$JS.EVENT.ADVISORY.STREAM.UPDATED.>"
	fault, err := stage.ParseFault("lose from: UPDATED buckets files #1")
	must.Succeed(t, err)
	for name, test := range map[string]struct {
		change func(*history.Run)
		want   bool
	}{
		"it made the change itself":       {func(*history.Run) {}, true},
		"it has made no change":           {func(r *history.Run) { r.Requests = nil }, false},
		"its change was before":           {func(r *history.Run) { r.Requests[0].Received = 0 }, false},
		"its change failed":               {func(r *history.Run) { r.Requests[0].Code = 503 }, false},
		"it made another change":          {func(r *history.Run) { r.Requests[0].Call.Verb = "delete" }, false},
		"it changed another bucket":       {func(r *history.Run) { r.Requests[0].Call.Object = "other" }, false},
		"it has not subscribed":           {func(r *history.Run) { r.Streams = nil }, false},
		"it has subscribed to others":     {func(r *history.Run) { r.Streams[0].Scope.Fields = "$JS.EVENT.ADVISORY.STREAM.DELETED.>" }, false},
		"its subscription has ended":      {func(r *history.Run) { r.Streams[0].Ended = 1 }, false},
		"it watches something else there": {func(r *history.Run) { r.Streams[0].Resource = "jobs" }, false},
	} {
		s := faulty(t)
		s.Log.Write(func(run *history.Run) {
			run.Streams = []history.Stream{{Resource: "buckets", Scope: history.Scope{Fields: updates}, Code: 200}}
			run.Requests = []history.Request{{Call: history.Call{Verb: "update", Resource: "buckets", Object: "files"}, Code: 200, Received: time.Hour}}
			test.change(run)
		})
		assert.Equal(t, name, s.missed(armed{fault, time.Minute}), test.want)
	}
}
