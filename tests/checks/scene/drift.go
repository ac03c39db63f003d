package scene

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
)

// The ways in which a controller notices that somebody has changed a bucket, as its flag --drift calls them.
const (
	Reapply = "reapply"
	Poll    = "poll"
	Poller  = "poller"
	Notify  = "notify"
)

// ownWay is what a controller without the flag --drift has: one way, whichever that is.
const ownWay = ""

var flagDrift = regexp.MustCompile(`(?m)^\s*--?drift\b[^-]`)

// Drift has the controller notice drift in a way, and look after an interval, from its next start on. One without the flag --drift has a
// way of its own.
func (s *Scene) Drift(way string, interval time.Duration) {
	s.Args, s.Timed = []string{"--drift-interval=" + interval.String()}, true
	if s.choosesWay() {
		s.Args = append([]string{"--drift=" + way}, s.Args...)
	}
	s.Log.Stimulate("judge", "gives the controller "+s.Flags())
}

// choosesWay says whether the controller has the flag --drift.
func (s *Scene) choosesWay() bool { return flagDrift.MatchString(s.Controller.Usage) }

// Ways are those ways of some that the controller knows. For one without the flag --drift, that is its own.
func (s *Scene) Ways(some ...string) []string {
	if !s.choosesWay() {
		return []string{ownWay}
	}
	return some
}

// Flags are those that the controller was given for the check, for a sentence.
func (s *Scene) Flags() string { return strings.Join(s.Args, " ") }

// looks are the controller's requests since a moment that have shown it a Workspace's bucket, or that there is none: single ones, and
// lists of all buckets.
func (s *Scene) looks(workspace string, from time.Duration) (single, lists []history.Request) {
	for _, r := range s.Requests(func(r history.Request) bool {
		return r.Call.Resource == buckets.Resource && r.Received >= from && r.Returned > 0 && r.Returned < 500
	}) {
		switch {
		case r.Call.Verb == "list":
			lists = append(lists, r)
		case r.Call.Verb == "get" && r.Call.Object == history.Logical(workspace):
			single = append(single, r)
		}
	}
	return single, lists
}

// LooksAgain waits until the controller has looked at a Workspace's bucket some times more, in whichever way.
func (s *Scene) LooksAgain(workspace string, times int) {
	from := s.Log.Now()
	s.Until(func() string {
		single, lists := s.looks(workspace, from)
		if many := max(len(single), len(lists)); many < times {
			return fmt.Sprintf("with %s, your controller has looked at the bucket of Workspace %s %s since, and not %d times", s.Flags(), workspace, Counted(many, "time", "times"), times)
		}
		return ""
	})
}

// LoseAdvisory has a fault strike the next notification of a type about a Workspace's bucket: "UPDATED", "DELETED".
func (s *Scene) LoseAdvisory(action history.Action, event, workspace string) {
	moment := history.Moment{Type: event, Resource: buckets.Resource, Object: history.Logical(workspace), Nth: 1}
	for _, frame := range s.Log.Run().Frames {
		if frame.Moment.Type == event && frame.Moment.Resource == moment.Resource && frame.Moment.Object == moment.Object {
			moment.Nth = max(moment.Nth, frame.Moment.Nth+1)
		}
	}
	s.inject(history.Fault{Action: action, Moment: moment})
}

// OnList has a fault strike the next list of all buckets.
func (s *Scene) OnList(action history.Action) {
	call := history.Call{Verb: "list", Resource: buckets.Resource, Object: history.None, Nth: 1}
	for _, r := range s.Requests(func(r history.Request) bool { return r.Call.Resource == buckets.Resource && r.Call.Verb == "list" }) {
		call.Nth = max(call.Nth, r.Call.Nth+1)
	}
	s.inject(history.Fault{Action: action, Call: call})
}

// OnReads has a fault strike the next reads of an object, if the controller sends any.
func (s *Scene) OnReads(resource, object string, action history.Action, times int) {
	s.inject(history.Fault{Action: action, Next: history.Next{Resource: resource, Object: history.Logical(object), Reads: true, Times: times}})
}
