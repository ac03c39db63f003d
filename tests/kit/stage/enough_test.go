package stage

import (
	"testing"
	"time"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/history"
)

const ms = time.Millisecond

// calmRun is a run in which an instance has been shown the Job that it created, and nothing else is on its way.
func calmRun() history.Run {
	return history.Run{
		Processes: []history.Process{{Instance: 1, UpToDate: 100 * ms}, {Instance: 2, UpToDate: time.Second}},
		Streams:   []history.Stream{{ID: 1, Instance: 1, Resource: "jobs", UpToDate: 100 * ms}},
		Frames:    []history.Frame{{Stream: 1, UID: "a", ResourceVersion: 7, Delivered: 230 * ms}},
		Requests: []history.Request{{
			Instance: 1, Call: history.Call{Verb: "create", Resource: "jobs"}, UID: "a", ResourceVersion: 7, Code: 201, Returned: 201,
			Received: 120 * ms, Answered: 200 * ms,
		}},
	}
}

func TestWhatAControllerMayStillWaitFor(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*history.Run)
		want   bool
	}{
		"nothing":                        {func(*history.Run) {}, false},
		"its first watches":              {func(r *history.Run) { r.Processes[0].UpToDate = 0 }, true},
		"a fault that has not ended":     {func(r *history.Run) { r.Faults = []history.Strike{{ID: 1}} }, true},
		"a watch that is not up to date": {func(r *history.Run) { r.Streams[0].UpToDate = 0 }, true},
		"an event":                       {func(r *history.Run) { r.Frames = append(r.Frames, history.Frame{Stream: 1}) }, true},
		"an event of a watch that ended": {func(r *history.Run) {
			r.Streams = append(r.Streams, history.Stream{ID: 2, Instance: 1, Resource: "jobs", UpToDate: ms, Ended: 2 * ms})
			r.Frames = append(r.Frames, history.Frame{Stream: 2})
		}, false},
		"a response":                {func(r *history.Run) { r.Requests[0].Returned = 0 }, true},
		"a retry":                   {func(r *history.Run) { r.Requests[0].Returned = 500 }, true},
		"its own write":             {func(r *history.Run) { r.Requests[0].ResourceVersion = 8 }, true},
		"its own write of a status": {func(r *history.Run) { r.Requests[0].ResourceVersion, r.Requests[0].Call.Resource = 8, "jobs/status" }, true},
		"its own write to what is gone": {func(r *history.Run) {
			r.Frames = append(r.Frames, history.Frame{Stream: 1, UID: "a", Type: "DELETED", ResourceVersion: 9, Delivered: 240 * ms})
		}, true},
		"a deletion after which it has asked": {func(r *history.Run) {
			r.Frames = append(r.Frames, history.Frame{Stream: 1, UID: "a", Type: "DELETED", ResourceVersion: 9, Delivered: 240 * ms})
			r.Requests = append(r.Requests, history.Request{Instance: 1, Call: history.Call{Verb: "list", Resource: "jobs"}, Code: 200, Returned: 200, Received: 250 * ms})
		}, false},
		"a deletion of what others wrote": {func(r *history.Run) {
			r.Frames = append(r.Frames, history.Frame{Stream: 1, UID: "b", Type: "DELETED", ResourceVersion: 9, Delivered: 240 * ms})
		}, false},
		"a write of what it doesn't watch": {func(r *history.Run) { r.Requests[0].ResourceVersion, r.Requests[0].Call.Resource = 8, "configmaps" }, false},
	} {
		run := calmRun()
		test.change(&run)
		assert.Equal(t, name, mayWait(run, 1), test.want)
	}
	earlier := calmRun()
	earlier.Requests[0].Returned = 500
	assert.Equal(t, "a request of an earlier instance", mayWait(earlier, 2), false)
}

func TestSlowestReaction(t *testing.T) {
	run := calmRun()
	run.Requests = append(run.Requests, history.Request{Instance: 1, Received: 250 * ms}, history.Request{Instance: 2, Received: time.Second})
	assert.Equal(t, "from the watch on, or from an event", slowest(run, 1), 20*ms)
	run.Requests = append(run.Requests, history.Request{Instance: 1, Received: 330 * ms})
	assert.Equal(t, "with a later request", slowest(run, 1), 100*ms)
}

func TestThePauseOfABackoff(t *testing.T) {
	for name, test := range map[string]struct {
		until  time.Duration
		events int
		want   time.Duration
	}{
		"as long as all before, with room": {5 * time.Second, 0, 10 * time.Second},
		"each event doubles it":            {5 * time.Second, 2, 40 * time.Second},
		"many events":                      {5 * time.Second, 100, 2 * time.Minute},
		"longer without events":            {2 * time.Minute, 3, 4 * time.Minute},
		"nothing has failed twice":         {0, 3, 0},
	} {
		assert.Equal(t, name, pauseAfter(0, test.until, test.events), test.want)
	}
}

func TestThePauseAfterRetries(t *testing.T) {
	failed := func(at time.Duration, object history.Logical) history.Request {
		return history.Request{Instance: 1, Call: history.Call{Verb: "create", Object: object}, Received: at, Returned: 500, Fault: 1}
	}
	run := history.Run{
		Streams:  []history.Stream{{ID: 1, Instance: 1, Resource: "jobs"}},
		Requests: []history.Request{failed(1*ms, "web/fetch"), failed(10*ms, "web/build"), failed(3*ms, "web/fetch"), failed(50*ms, "web/build")},
	}
	const end = 2 * time.Minute // the instance has had all the time until then
	changed := time.Duration(0) // when somebody has last changed something
	longest := func(instance int) (longest time.Duration) {
		for _, p := range afterRetries(run, instance, changed, 10*time.Second, func(since time.Duration) time.Duration { return end - since }) {
			longest = max(longest, p.length)
		}
		return longest
	}
	assert.Equal(t, "twice as long as before, with room", longest(1), 160*ms)
	assert.Equal(t, "of another instance", longest(2), time.Duration(0))
	event := func(object history.Logical, at time.Duration) history.Frame {
		return history.Frame{Stream: 1, Moment: history.Moment{Object: object}, Delivered: at}
	}
	run.Frames = []history.Frame{event("web", 52*ms), event("other", 58*ms)}
	run.Requests = append(run.Requests, failed(55*ms, "web/build"))
	assert.Equal(t, "an event had the last attempt come early", longest(1), 320*ms)
	run.Requests = append(run.Requests, failed(60*ms, "web/build"))
	assert.Equal(t, "another object's event did not", longest(1), 20*ms)
	run.Requests = append(run.Requests, failed(20*time.Second, "web/build"))
	assert.Equal(t, "a failure that belongs to a new backoff", longest(1), 8*ms)
	run.Requests = append(run.Requests, failed(29*time.Second, "web/build"))
	assert.Equal(t, "two of the new backoff", longest(1), 36*time.Second)
	run.Requests = append(run.Requests, failed(49*time.Second, "web/build"))
	for i := range run.Requests {
		run.Requests[i].Fault = 0
	}
	assert.Equal(t, "refused several times by the server, and nothing has changed since", longest(1), 8*ms)
	changed = 25 * time.Second
	assert.Equal(t, "refused twice since then", longest(1), 80*time.Second)
	for i := range run.Requests {
		r := &run.Requests[i]
		r.Code, r.Returned = 403, 403
		r.Message = `jobs.batch is forbidden: User "system:serviceaccount:a:b" cannot create resource "jobs" in API group "batch" in the namespace "c"`
	}
	assert.Equal(t, "what its role forbids", longest(1), time.Duration(0))
}

func TestHowLongAReadIsRepeated(t *testing.T) {
	read := func(instance, fault int, resource string, received time.Duration) history.Request {
		return history.Request{Instance: instance, Fault: fault, Call: history.Call{Verb: "list", Resource: resource}, Received: received}
	}
	run := calmRun()
	assert.Equal(t, "without a fault", rereading(run, 1), time.Duration(0))
	run.Requests = append(run.Requests, read(1, 1, "jobs", time.Second), read(1, 2, "sequentialjobs", 2*time.Second), read(2, 3, "jobs", 9*time.Second))
	assert.Equal(t, "one read of each kind", rereading(run, 1), time.Duration(0))
	run.Requests = append(run.Requests, read(1, 4, "jobs", 5*time.Second), read(1, 0, "jobs", 8*time.Second))
	assert.Equal(t, "until one succeeds", rereading(run, 1), 4*time.Second)
}
