package finding_test

import (
	"strings"
	"testing"
	"time"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/proxy"
)

func TestExplain(t *testing.T) {
	const (
		first  = "0.380 s: create jobs web-build-x7k2p → 201 Created."
		second = "0.412 s: create jobs web-build-9c4tq → 201 Created."
		unseen = " The ADDED event of web-build-x7k2p (0.395 s) had not reached your controller yet"
		held   = "; its watch on jobs was held from 0.390 s on."

		conflict = "0.820 s: update sequentialjobs/status web → 409 Conflict."
		ended    = " Process 1 had ended at 0.500 s (killed), after it sent update sequentialjobs/status web at 0.485 s, "
		next     = "this one is process 2, started at 0.600 s."
	)
	for name, test := range map[string]struct {
		edit     func(*history.Run)
		requests []int
		changes  []uint64
		want     []string
	}{
		"nothing cited":      {},
		"an event held back": {requests: []int{2, 1}, want: []string{first, second + unseen + held}},
		"changes, by the requests that made them": {
			changes: []uint64{103, 101}, requests: []int{2}, want: []string{first, second + unseen + held},
		},
		"a change by others": {
			changes: []uint64{105}, want: []string{"0.899 s: Job web-build-x7k2p: Complete=True (resourceVersion 105)."},
		},
		"a change by others, which a write of the controller left as it was": {
			edit: func(run *history.Run) {
				run.Requests = append(run.Requests, request(5, 2, "patch", "jobs", "web/build", "web-build-x7k2p", 910*ms, 200, 200, 105))
			},
			changes: []uint64{105}, want: []string{"0.899 s: Job web-build-x7k2p: Complete=True (resourceVersion 105)."},
		},
		"an event that the controller had asked for itself": {
			edit: func(run *history.Run) {
				run.Requests[0] = request(1, 1, "get", "jobs", "web/build", "web-build-x7k2p", 400*ms, 200, 200, 101)
			},
			requests: []int{2}, want: []string{second},
		},
		"an event known from a new watch": {
			edit: func(run *history.Run) {
				run.Streams = append(run.Streams, history.Stream{ID: 4, Instance: 1, Resource: "jobs", Opened: 396 * ms, UpToDate: 398 * ms})
			},
			requests: []int{2}, want: []string{second},
		},
		"an event known from a later one of the object": {
			edit:     func(run *history.Run) { run.Frames[3].Received, run.Frames[3].Delivered = 400*ms, 401*ms },
			requests: []int{2}, want: []string{second},
		},
		"an event that was only slow": {
			edit:     func(run *history.Run) { run.Frames[1].Fault, run.Frames[1].Delivered = 0, 413*ms },
			requests: []int{2}, want: []string{second + unseen + "."},
		},
		"a watch that was cut": {
			edit:     func(run *history.Run) { run.Faults[0].Action = proxy.Cut },
			requests: []int{2}, want: []string{second + unseen + "; its watch on jobs was cut at 0.390 s."},
		},
		"events of other objects": {
			edit: func(run *history.Run) {
				for i := range run.Frames {
					run.Frames[i].Moment.Object = "other/build"
				}
			},
			requests: []int{2}, want: []string{second},
		},
		"a crash before it, after the commit": {
			requests: []int{4}, want: []string{conflict + ended + "which the API server did; " + next},
		},
		"a crash before it, before the commit": {
			edit:     func(run *history.Run) { run.Requests[2].Code, run.Requests[2].Committed = 0, 0 },
			requests: []int{4}, want: []string{conflict + ended + "which had not reached the API server; " + next},
		},
		"a crash before it, and a commit after it": {
			edit:     func(run *history.Run) { run.Requests[2].Committed = 900 * ms },
			requests: []int{4}, want: []string{conflict + ended + "which had not reached the API server; " + next},
		},
		"two processes at the same time": {
			edit:     func(run *history.Run) { run.Processes[0].Ended = time.Second },
			requests: []int{4}, want: []string{conflict},
		},
		"a lost response": {
			edit:     func(run *history.Run) { run.Requests[0].Returned, run.Requests[0].Answered, run.Frames = 0, 0, nil },
			requests: []int{1, 2},
			want: []string{
				"0.380 s: create jobs web-build-x7k2p → no response, but the API server did it.",
				second + " The API server had already done create jobs web-build-x7k2p, sent at 0.380 s, but the response was lost.",
			},
		},
		"another response": {
			edit:     func(run *history.Run) { run.Requests[0].Returned, run.Frames = 503, nil },
			requests: []int{1, 2},
			want: []string{
				"0.380 s: create jobs web-build-x7k2p → 503 Service Unavailable, but the API server did it.",
				second + " The API server had already done create jobs web-build-x7k2p, sent at 0.380 s, but your controller received 503.",
			},
		},
	} {
		run := staleCache()
		if test.edit != nil {
			test.edit(&run)
		}
		assert.Equal(t, name, finding.Explain(run, test.requests, test.changes), strings.Join(test.want, "\n"))
	}
}
