package stage

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
)

// soon is the least that a controller gets for what it has to do, and times is how many times its slowest reaction.
const (
	soon  = 4 * time.Second
	times = 20
)

// Enough is how long the controller may do nothing since the last change while something is missing.
func (s *Stage) Enough() time.Duration { return s.enoughSince(s.LastChange()) }

// enoughSince is how long the controller may do nothing, from a moment on, while something is missing. That is the whole patience if the
// controller may still wait for something that this run can't show: a retry, a cache that is stale, a point in time.
// Otherwise nothing more will come, and it is a multiple of the controller's slowest reaction in the run.
func (s *Stage) enoughSince(since time.Duration) time.Duration {
	instance, _, _ := s.Current()
	run := s.Log.Run()
	if !s.HadOutage() && !s.Timed && !mayWait(run, instance) && !s.hasTimers() {
		return min(s.Patience, max(soon, times*slowest(run, instance)))
	}
	enough := s.Patience
	if len(s.Pending()) > 0 { // what still fails on purpose must not keep the controller from the rest
		return enough
	}
	for _, p := range slices.Concat(s.afterOutages(run, instance), afterRetries(run, instance, since, s.Patience, s.Had)) {
		enough = max(enough, s.Patience+p.length-(s.Had(p.began)-s.Had(since)))
	}
	return enough
}

// pause is a time in which a controller may do nothing until its next try.
type pause struct{ began, length time.Duration }

// longestByEvents is how long events can make a pause. Each of them triggers an attempt, and each attempt that fails doubles the next pause.
const longestByEvents = 2 * time.Minute

// mayWait says whether something is on its way to an instance, or was refused it.
func mayWait(run history.Run, instance int) bool {
	if instance == 0 || run.Processes[instance-1].UpToDate == 0 {
		return true
	}
	if slices.ContainsFunc(run.Faults, func(f history.Strike) bool { return f.Healed == 0 }) {
		return true
	}
	watched := map[string]bool{}
	for _, stream := range run.Streams {
		if stream.Instance == instance {
			watched[stream.Resource] = true
			if stream.UpToDate == 0 {
				return true
			}
		}
	}
	shown := map[string]uint64{} // the latest state of an object that the instance was shown, by UID
	for _, frame := range run.Frames {
		if run.Streams[frame.Stream-1].Instance != instance {
			continue
		}
		if frame.Delivered == 0 && run.Streams[frame.Stream-1].Ended == 0 {
			return true
		}
		if frame.Delivered > 0 { // a watch may have been cut before
			shown[frame.UID] = max(shown[frame.UID], frame.ResourceVersion)
		}
	}
	return awaitsTheGone(run, instance) || slices.ContainsFunc(run.Requests, func(r history.Request) bool {
		failed := r.Returned < http.StatusOK || r.Returned >= http.StatusMultipleChoices // or the response has not come yet
		resource, _, _ := strings.Cut(r.Call.Resource, "/")                              // without "/status"
		unseen := r.Write() && watched[resource] && shown[r.UID] < r.ResourceVersion
		return r.Instance == instance && (failed || unseen)
	})
}

// awaitsTheGone says whether an instance may wait for its cache to show what it has written to an object that is gone by now. If the
// events came close together, the cache has never shown it, and only a limit of the controller's own ends the wait. With the next
// request about the same objects, it shows that it does not wait any more.
func awaitsTheGone(run history.Run, instance int) bool {
	gone := map[string]time.Duration{} // when the instance was told, by UID
	for _, frame := range run.Frames {
		if run.Streams[frame.Stream-1].Instance == instance && frame.Type == "DELETED" {
			gone[frame.UID] = max(gone[frame.UID], frame.Delivered)
		}
	}
	asked := map[string]time.Duration{} // when it sent the last request, by family
	for _, r := range run.Requests {
		if r.Instance == instance {
			asked[r.Call.Object.Family()] = r.Received
		}
	}
	return slices.ContainsFunc(run.Requests, func(r history.Request) bool {
		return r.Instance == instance && r.Write() && r.Succeeded() && gone[r.UID] > asked[r.Call.Object.Family()]
	})
}

// afterRetries has the pauses of an instance after writes that failed: the last one for each object. had is how long the instance has had
// since a moment. Some pauses are not worth waiting for, because the next try will fail as well: what its role forbids, and what the
// server has refused several times since a moment after which nobody has changed anything.
//
// A backoff that doubles pauses twice as long as it did before. If an event came meanwhile, the pause may have been cut short: the event
// triggers an attempt, which fails too and doubles the next pause. A failure that comes later than the pause is the first one of a new
// backoff.
func afterRetries(run history.Run, instance int, since, patience time.Duration, had func(since time.Duration) time.Duration) []pause {
	const several = 3
	last, refusals := map[history.Logical]pause{}, map[history.Logical]int{} // by what the writes were to
	for _, r := range run.Requests {
		if r.Instance != instance || !r.Write() || r.Returned < http.StatusBadRequest || finding.ByRole(r) {
			continue
		}
		next := pause{began: r.Received}
		before, again := last[r.Call.Object]
		if again && had(before.began)-had(r.Received) <= patience+before.length {
			next.length = 2 * (r.Received - before.began)
			ofFamily := func(m history.Moment) bool { return m.Object.Family() == r.Call.Object.Family() }
			if attempts(run, instance, before.began, r.Received, ofFamily) > 0 {
				next.length = max(next.length, min(2*before.length, longestByEvents))
			}
		}
		last[r.Call.Object] = next
		if r.Received > since && r.Fault == 0 {
			refusals[r.Call.Object]++
		}
	}
	var pauses []pause
	for object, p := range last {
		if refusals[object] < several {
			pauses = append(pauses, pause{p.began, 2 * p.length}) // with room
		}
	}
	return pauses
}

// attempts is how many events may have triggered an attempt of an instance in a while.
func attempts(run history.Run, instance int, from, until time.Duration, triggers func(history.Moment) bool) (events int) {
	for _, frame := range run.Frames {
		if frame.Delivered > from && frame.Delivered < until && run.Streams[frame.Stream-1].Instance == instance && triggers(frame.Moment) {
			events++
		}
	}
	return events
}

// rereading is how long an instance has been repeating the read that faults have made fail for longest.
func rereading(run history.Run, instance int) (longest time.Duration) {
	first := map[string]time.Duration{} // by resource
	for _, r := range run.Requests {
		if r.Instance != instance || r.Write() || r.Fault == 0 {
			continue
		}
		if _, again := first[r.Call.Resource]; !again {
			first[r.Call.Resource] = r.Received
		}
		longest = max(longest, r.Received-first[r.Call.Resource])
	}
	return longest
}

// hasTimers says whether an object asks for something to be done at a point in time.
func (s *Stage) hasTimers() bool {
	for _, objects := range s.Observer.Objects() {
		for _, object := range objects {
			for _, field := range []string{"activeDeadlineSeconds", "ttlSecondsAfterFinished"} {
				if _, is, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", field); is {
					return true
				}
			}
		}
	}
	return false
}

// slowest is the longest time from what reached an instance last, an event or a response, to a request that followed.
func slowest(run history.Run, instance int) (longest time.Duration) {
	var reached []time.Duration
	for _, stream := range run.Streams {
		if stream.Instance == instance {
			reached = append(reached, stream.UpToDate)
		}
	}
	for _, frame := range run.Frames {
		if run.Streams[frame.Stream-1].Instance == instance {
			reached = append(reached, frame.Delivered)
		}
	}
	for _, r := range run.Requests {
		if r.Instance == instance {
			reached = append(reached, r.Answered)
		}
	}
	slices.Sort(reached)
	for _, r := range run.Requests {
		if i, _ := slices.BinarySearch(reached, r.Received); i > 0 && r.Instance == instance && reached[i-1] > 0 {
			longest = max(longest, r.Received-reached[i-1])
		}
	}
	return longest
}
