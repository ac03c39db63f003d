package picture

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
)

const ms = time.Millisecond

// seen is what the tests compare of a mark.
type seen struct {
	Lane, Kind, Look, Label string
	From, To                int64
}

func seenOf(d drawing, kinds ...string) []seen {
	var all []seen
	for _, m := range d.Marks {
		if slices.Contains(kinds, m.Kind) {
			all = append(all, seen{d.Lanes[m.Lane].Name, m.Kind, m.Look, m.Label, m.From, m.To})
		}
	}
	return all
}

func TestLanesAreInOrder(t *testing.T) {
	run, findings := doubleCreation()
	d, _ := draw(run, findings)
	var got []string
	for _, lane := range d.Lanes {
		got = append(got, lane.Kind+" "+lane.Name)
	}
	want := []string{
		"process controller", "fault faults",
		"stimulus user", "stimulus job controller", "stimulus garbage collector",
		"write sequentialjobs/status", "write jobs", "write events", "read reads",
		"object web", "object web-build-x7k2p", "object web-build-9c4tq", "object web-deploy-b2w8d",
		"watch sequentialjobs", "watch jobs",
	}
	assert.Equal(t, "lanes", got, want)
}

func TestEntriesAreInTheOrderOfTime(t *testing.T) {
	run, findings := doubleCreation()
	d, entries := draw(run, findings)
	if !slices.IsSortedFunc(entries, func(a, b entry) int { return int(a.At - b.At) }) {
		t.Error("the entries are not sorted by time")
	}
	for i, e := range entries {
		assert.Equal(t, fmt.Sprintf("the mark of entry %d", i), e.mark, d.Marks[i])
	}
}

func TestProcesses(t *testing.T) {
	d, _ := draw(history.Run{Processes: []history.Process{
		{Instance: 1, Started: 1 * ms, UpToDate: 3 * ms, Ended: 7 * ms, How: "killed"},
		{Instance: 2, Started: 5 * ms},
	}}, nil)
	want := []seen{
		{"controller", "process", "starting", "instance 1 starts", 1000, 3000},
		{"controller", "process", "ready", "instance 1", 3000, 7000},
		{"controller", "process", "starting", "instance 2 starts", 5000, 7000},
		{"controller", "moment", "ended", "killed", 7000, 7000},
	}
	assert.Equal(t, "processes", seenOf(d, "process", "moment"), want)
	rows := []int{d.Marks[0].Row, d.Marks[1].Row, d.Marks[2].Row, d.Marks[3].Row}
	assert.Equal(t, "rows, in which processes that run at the same time must not cover each other", rows, []int{0, 0, 1, 0})
	assert.Equal(t, "which processes have not ended", []bool{d.Marks[1].Open, d.Marks[2].Open}, []bool{false, true})
}

func TestOutcomesOfRequests(t *testing.T) {
	for name, test := range map[string]struct {
		request    history.Request
		look, text string
		done       bool
	}{
		"succeeded":            {history.Request{Code: 201, Returned: 201}, "ok", "201", false},
		"refused":              {history.Request{Code: 409, Returned: 409, Reason: "AlreadyExists"}, "refused", "409 AlreadyExists", false},
		"refused, no reason":   {history.Request{Code: 404, Returned: 404}, "refused", "404 Not Found", false},
		"not asked":            {history.Request{Returned: 429}, "refused", "429, without asking the API server", false},
		"failed":               {history.Request{Code: 500, Returned: 500, Reason: "InternalError"}, "failed", "500 InternalError", false},
		"failed, but done":     {history.Request{Code: 201, Returned: 503}, "failed", "503, but done", true},
		"another response":     {history.Request{Code: 409, Returned: 503, Reason: "Conflict"}, "failed", "503; the API server's response was 409 Conflict", false},
		"lost":                 {history.Request{}, "unanswered", "no response; the API server was not asked", false},
		"reply lost":           {history.Request{Code: 200}, "unanswered", "no response, but done", true},
		"reply lost, not done": {history.Request{Code: 409, Reason: "Conflict"}, "unanswered", "no response; the API server's was 409 Conflict", false},
	} {
		t.Run(name, func(t *testing.T) {
			test.request.Call = history.Call{Verb: "create", Resource: "jobs", Object: "web/build", Nth: 1}
			test.request.Received = 1 * ms
			d, entries := draw(history.Run{Requests: []history.Request{test.request}}, nil)
			assert.Equal(t, "its look", d.Marks[0].Look, test.look)
			assert.Equal(t, "whether it is done", d.Marks[0].Done, test.done)
			assert.Equal(t, "how it is described", entries[0].What, "create jobs web/build #1 → "+test.text)
		})
	}
}

func TestConcurrentRequestsHaveRows(t *testing.T) {
	request := func(verb string, from, to time.Duration) history.Request {
		return history.Request{Call: history.Call{Verb: verb, Resource: "jobs", Object: "-"}, Received: from, Answered: to, Code: 200, Returned: 200}
	}
	d, _ := draw(history.Run{Requests: []history.Request{
		request("create", 1*ms, 5*ms), request("create", 2*ms, 3*ms), request("create", 3*ms, 4*ms), request("get", 3*ms, 6*ms), request("create", 5*ms, 6*ms),
	}}, nil)
	var got []int
	for _, m := range d.Marks {
		got = append(got, m.Row)
	}
	assert.Equal(t, "rows", got, []int{0, 1, 1, 0, 0})
	assert.Equal(t, "number of rows in the lane of the writes", d.Lanes[1].Rows, 2)
}

func TestFrames(t *testing.T) {
	stream := history.Stream{ID: 1, Resource: "jobs", Code: 200, Opened: 1 * ms, Ended: 900 * ms}
	built := history.Moment{Type: "ADDED", Resource: "jobs", Object: "web/build", Nth: 1}
	for name, test := range map[string]struct {
		frame       history.Frame
		look, label string
		to          int64
	}{
		"prompt":       {history.Frame{Moment: built, Type: "ADDED", Delivered: 12 * ms}, "prompt", "", 12_000},
		"held":         {history.Frame{Moment: built, Type: "ADDED", Delivered: 30 * ms, Fault: 1}, "held", "ADDED web/build held for 20.0 ms", 30_000},
		"late":         {history.Frame{Moment: built, Type: "ADDED", Delivered: 410 * ms}, "held", "ADDED web/build held for 400.0 ms", 410_000},
		"lost":         {history.Frame{Moment: built, Type: "ADDED", Fault: 1}, "lost", "ADDED web/build never delivered", 900_000},
		"bookmark":     {history.Frame{Type: "BOOKMARK", Delivered: 11 * ms}, "minor", "", 11_000},
		"initial":      {history.Frame{Moment: built, Type: "ADDED", Initial: true, Delivered: 11 * ms}, "minor", "", 11_000},
		"bookmark too": {history.Frame{Type: "BOOKMARK", Fault: 1, Delivered: 30 * ms}, "held", "BOOKMARK held for 20.0 ms", 30_000},
	} {
		t.Run(name, func(t *testing.T) {
			test.frame.Stream, test.frame.Received = 1, 10*ms
			run := history.Run{
				Streams: []history.Stream{stream}, Frames: []history.Frame{test.frame},
				Faults: []history.Strike{{ID: 1, Fault: history.Fault{Action: "hold", Moment: built}, Struck: 9 * ms}},
			}
			d, _ := draw(run, nil)
			want := []seen{{"jobs", "frame", test.look, test.label, 10_000, test.to}}
			assert.Equal(t, "frame", seenOf(d, "frame"), want)
		})
	}
}

func TestStatesLastUntilTheNext(t *testing.T) {
	object := job("build", "")
	d, _ := draw(history.Run{Changes: []history.Change{
		{ResourceVersion: 7, Seen: 1 * ms, Type: "ADDED", Resource: "jobs", Object: object},
		{ResourceVersion: 8, Seen: 3 * ms, Type: "MODIFIED", Resource: "jobs", Object: running(object.DeepCopy())},
		{ResourceVersion: 9, Seen: 4 * ms, Type: "DELETED", Resource: "jobs", Object: object},
		{ResourceVersion: 12, Seen: 6 * ms, Type: "ADDED", Resource: "jobs", Object: object},
	}, Stimuli: []history.Stimulus{{At: 9 * ms, Actor: "user", What: "looks"}}}, []finding.Finding{
		{Check: "I1", At: 3 * ms}, {Check: "I3", At: 6 * ms, Changes: []uint64{7, 12}},
	})
	want := []seen{
		{"web-build", "state", "new", "created", 1000, 3000},
		{"web-build", "state", "running", "running", 3000, 4000},
		{"web-build", "state", "gone", "gone", 4000, 4000},
		{"web-build", "state", "new", "created", 6000, 9000},
	}
	assert.Equal(t, "states", seenOf(d, "state"), want)
	var versions [][2]int
	var cited [][]int
	for _, m := range d.Marks[:4] {
		versions = append(versions, [2]int{m.Before, m.Body})
		cited = append(cited, m.Cited)
	}
	assert.Equal(t, "versions and what they are compared with", versions, [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 4}})
	assert.Equal(t, "findings that cite them", cited, [][]int{{1}, nil, nil, {1}})
}

func TestStatesOfObjects(t *testing.T) {
	deleted := func(object *unstructured.Unstructured) *unstructured.Unstructured {
		_ = unstructured.SetNestedField(object.Object, "2026-01-02T03:04:05Z", "metadata", "deletionTimestamp")
		return object
	}
	suspended := func(object *unstructured.Unstructured) *unstructured.Unstructured {
		_ = unstructured.SetNestedField(object.Object, true, "spec", "suspend")
		return object
	}
	for name, test := range map[string]struct {
		object      *unstructured.Unstructured
		look, label string
	}{
		"new Job":           {job("build", ""), "new", "created"},
		"running Job":       {running(job("build", "")), "running", "running"},
		"nearly complete":   {running(job("build", "", "SuccessCriteriaMet")), "running", "about to be complete"},
		"complete":          {job("build", "", "SuccessCriteriaMet", "Complete"), "succeeded", "complete"},
		"nearly failed":     {job("build", "", "FailureTarget"), "running", "about to fail"},
		"failed":            {job("build", "", "FailureTarget", "Failed"), "failed", "failed"},
		"to be suspended":   {suspended(job("build", "")), "suspended", "to be suspended"},
		"suspended":         {suspended(job("build", "", "Suspended")), "suspended", "suspended"},
		"Job being deleted": {deleted(job("build", "", "Complete")), "deleting", "being deleted · complete"},

		"new SequentialJob": {sequentialJob("", ""), "new", "created"},
		"started":           {sequentialJob("Unknown", "Running", "Running", "Pending"), "running", "► build  ○ deploy · not finished (Running)"},
		"succeeded":         {sequentialJob("True", "AllStepsSucceeded", "Succeeded", "Succeeded"), "succeeded", "✓ build  ✓ deploy · succeeded (AllStepsSucceeded)"},
		"not succeeded":     {sequentialJob("False", "StepFailed", "Failed", "Skipped"), "failed", "✗ build  ↷ deploy · failed (StepFailed)"},
		"of no known state": {sequentialJob("Unknown", "Running", "Odd", "Pending"), "running", "? build  ○ deploy · not finished (Running)"},
		"something else":    {&unstructured.Unstructured{Object: map[string]any{"kind": "ConfigMap"}}, "new", "there"},
		"of odd types": {&unstructured.Unstructured{Object: map[string]any{"apiVersion": "batch.example.com/v1alpha1", "kind": "SequentialJob", "status": map[string]any{
			"conditions": "none", "steps": []any{"build", map[string]any{"state": int64(1)}},
		}}}, "new", "?   ?  · no condition Succeeded"},
	} {
		got := kinds.Of(test.object).StateOf(test.object)
		assert.Equal(t, name+": look", got.Look, test.look)
		assert.Equal(t, name+": label", got.Label, test.label)
	}
}

func TestFocus(t *testing.T) {
	run := history.Run{
		Requests: []history.Request{{ID: 1, Received: 4000 * ms, Answered: 4010 * ms}},
		Changes:  []history.Change{{ResourceVersion: 7, Seen: 3900 * ms, Object: job("build", "")}},
		Stimuli:  []history.Stimulus{{At: 1000 * ms}, {At: 9000 * ms}},
		Faults: []history.Strike{
			{ID: 1, Struck: 3800 * ms, Healed: 4200 * ms},
			{ID: 2, Struck: 7000 * ms, Healed: 8900 * ms},
		},
	}
	for name, test := range map[string]struct {
		finding  finding.Finding
		from, to time.Duration
	}{
		"nothing said":         {finding.Finding{}, 840 * ms, 9000*ms + 8000*ms/30},
		"a moment":             {finding.Finding{At: 3000 * ms}, 1875 * ms, 3125 * ms},
		"what is cited":        {finding.Finding{At: 4005 * ms, Requests: []int{1}, Changes: []uint64{7}}, 3700 * ms, 4300 * ms},
		"no moment, but cited": {finding.Finding{Requests: []int{1}}, 3700 * ms, 4300 * ms},
		"in a long fault":      {finding.Finding{At: 8500 * ms, Changes: []uint64{1}}, 7325 * ms, 9075 * ms},
		"at the end":           {finding.Finding{At: 9000 * ms, Requests: []int{7}}, 8900 * ms, 9100 * ms},
	} {
		d, _ := draw(run, []finding.Finding{test.finding})
		assert.Equal(t, name+": µs in view", d.Focus, [2]int64{test.from.Microseconds(), test.to.Microseconds()})
	}
}
