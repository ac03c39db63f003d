package scene

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/stage"
)

// Await waits until what there is of a SequentialJob is as it should be. Until then wanting says what is
// missing, as the second half of a sentence: "web has no Job".
func (s *Scene) Await(name string, wanting func(stage.World) string) {
	s.Until(func() string {
		there, err := s.World(name)
		s.Must(err)
		return wanting(there)
	})
}

// Now is what there is of a SequentialJob.
func (s *Scene) Now(name string) stage.World {
	_, err := s.Observer.Sync(s.Context()) // it may be behind what was done last
	s.Must(err)
	there, err := s.World(name)
	s.Must(err)
	return there
}

// Settle waits until nothing moves any more: neither the controller, nor others who act by themselves.
func (s *Scene) Settle() {
	_, err := s.Observer.Sync(s.Context()) // what was done last may not show yet
	s.Must(err)
	s.Until(s.AtWork)
}

// Rest waits until nothing moves any more, and watches the controller do nothing for a while. With the rule
// I9, it must not write meanwhile. On a busy machine a controller may reach its last write late, after what
// looked like rest; so only a controller that writes in each of several rests is blamed. One that wakes itself up
// does.
func (s *Scene) Rest() {
	const times = 5
	for n := 1; ; n++ {
		s.Settle()
		rest, ending, err := s.Stage.Rest(s.Context(), s.React)
		s.conclusion(ending, err)
		if n == times || !s.wroteIn(rest) {
			s.rests = append(s.rests, rest)
			return
		}
	}
}

// RestedSince says that the controller has had no reason to write since a moment. See Rest.
func (s *Scene) RestedSince(from time.Duration) {
	s.rests = append(s.rests, invariants.Interval{From: from, To: s.Log.Now()})
}

// wroteIn says whether the controller has written something.
func (s *Scene) wroteIn(rest invariants.Interval) bool {
	return slices.ContainsFunc(s.Log.Run().Requests, func(r history.Request) bool {
		return r.Write() && r.Received >= rest.From && r.Received <= rest.To
	})
}

// Until waits until nothing is missing, while others do what they do by themselves. The check ends when the
// controller gets no further although nothing happens to it any more.
func (s *Scene) Until(missing func() string) { s.while(s.React, missing) }

// Pause waits until the controller has received every event of a SequentialJob so far, and nothing moves any
// more. Others do nothing meanwhile.
func (s *Scene) Pause(name string) {
	s.while(stage.Nobody, s.uninformed(name))
	s.while(stage.Nobody, s.AtWork)
}

func (s *Scene) while(others stage.Act, missing func() string) {
	s.ownerless = false
	s.conclusion(s.Play(s.Context(), others, func() (string, error) { return missing(), nil }))
}

// conclusion ends the check if a part of the run did not come to where it should.
func (s *Scene) conclusion(ending stage.Ending, err error) {
	s.Must(err)
	if len(ending.Trouble) > 0 {
		s.End(ending.Trouble...)
	}
	if ending.Missing != "" {
		s.stuck(ending.Missing)
	}
}

// stuck ends the check because the controller has not done what it should.
func (s *Scene) stuck(missing string) {
	run := s.Log.Run()
	if stalled, ok := s.Stalled(run); ok {
		s.FindAt(stalled)
	}
	waited := "nothing was in your controller's way"
	if slices.ContainsFunc(run.Faults, func(f history.Strike) bool { return f.Healed == 0 }) {
		waited = "nothing more happened to your controller" // an event is held back from it, as a check may want
	}
	f := finding.Finding{
		What: fmt.Sprintf("For %.0f s %s, and still %s.", s.Patience.Seconds(), waited, missing) + turnedDown(run), At: s.LastChange(),
	}
	if s.ownerless {
		f.Check = finding.Check(invariants.I4) // whose section explains owners
	}
	if r, ok := s.givenUp(run); ok {
		f.What += fmt.Sprintf("\nAt %.3f s it had asked to %s %s %s, was answered %d, and has not asked again since.",
			r.Received.Seconds(), r.Call.Verb, r.Call.Resource, r.Call.Object, r.Told)
		f.At = r.Received // what others did later says nothing of why
	}
	f.Waited = !s.ownerless
	s.FindAt(f)
}

// givenUp is the last write that a fault had refused, if the controller has not tried it again for long.
func (s *Scene) givenUp(run history.Run) (history.Request, bool) {
	instance, _, _ := s.Current()
	for i, r := range slices.Backward(run.Requests) {
		if !r.Write() || r.Call.Resource == "events" || r.Fault == 0 {
			continue
		}
		again := slices.ContainsFunc(run.Requests[i+1:], func(later history.Request) bool {
			return later.Write() && later.Call.Resource == r.Call.Resource && later.Call.Object == r.Call.Object
		})
		return r, !again && r.Instance == instance && r.Told >= http.StatusBadRequest && s.Log.Now()-r.Received > s.Patience/2
	}
	return history.Request{}, false
}

// turnedDown tells of the last write, if the API server would not have it as it was. What a fault refused, and
// what only came too late, the controller has to cope with.
func turnedDown(run history.Run) string {
	for _, r := range slices.Backward(run.Requests) {
		if !r.Write() || r.Call.Resource == "events" {
			continue
		}
		switch r.Code {
		case http.StatusBadRequest, http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusUnsupportedMediaType:
			return fmt.Sprintf("\nThe API server had refused its %s %s: %d %s.\n%s", r.Call.Verb, r.Call.Resource, r.Code, r.Reason, r.Message)
		}
		return ""
	}
	return ""
}

// NextSecond waits until the clock shows another second. The API stores times in whole seconds, so two
// writes within one could not be told apart.
func (s *Scene) NextSecond() {
	now := time.Now().Truncate(time.Second)
	s.Until(func() string {
		if !time.Now().Truncate(time.Second).After(now) {
			return "the clock did not go on"
		}
		return ""
	})
}
