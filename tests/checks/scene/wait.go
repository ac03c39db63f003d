package scene

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/stage"
)

// Await waits until a SequentialJob and its Jobs are as they should be. Until then wanting says what is missing, as
// the second half of a sentence: "web has no Job".
func (s *Scene) Await(name string, wanting func(stage.World) string) {
	s.Until(func() string {
		there, err := s.World(name)
		s.Must(err)
		return wanting(there)
	})
}

// Now is a SequentialJob with its Jobs.
func (s *Scene) Now(name string) stage.World {
	s.Sync()
	there, err := s.World(name)
	s.Must(err)
	return there
}

// Settle waits until nothing moves any more: neither the controller, nor others who act by themselves. A controller that notices drift in
// a way of its own may look at so many buckets that it never rests. It is given a while.
func (s *Scene) Settle() {
	const while = 3 * time.Second
	s.Sync()
	from, mayNeverRest := s.Log.Now(), s.Timed && !s.choosesWay()
	s.Until(func() string {
		if mayNeverRest && s.Had(from) > while {
			return ""
		}
		return s.AtWork()
	})
}

// Sync waits until the observer, which may lag behind, has seen the last write.
func (s *Scene) Sync() {
	_, err := s.Observer.Sync(s.Context())
	s.Must(err)
}

// Rest waits until nothing moves any more, and watches the controller for a while. With the rule I9, it must not
// write meanwhile. On a busy machine the controller's last write may come late, after what looked like rest. So only
// a controller that writes in each of several rests is blamed, as one that triggers itself does.
func (s *Scene) Rest() {
	const times = 5
	for n := 1; ; n++ {
		s.awaitCompanions()
		s.Settle()
		rest, ending, err := s.Stage.Rest(s.Context(), s.React)
		s.conclusion(ending, err, blame)
		wrote := s.Requests(func(r history.Request) bool { return r.Write() && r.Received >= rest.From && r.Received <= rest.To })
		if n == times || len(wrote) == 0 {
			s.rests = append(s.rests, rest)
			return
		}
	}
}

// RestedSince says that the controller has had no reason to write since a moment.
func (s *Scene) RestedSince(from time.Duration) {
	s.rests = append(s.rests, invariants.Interval{From: from, To: s.Log.Now()})
}

// Until waits until nothing is missing, while others do what they do by themselves. The check ends when the
// controller makes no progress and nothing new happens to it.
func (s *Scene) Until(missing func() string) { s.while(s.React, missing, blame) }

// UntilMeanwhile is Until while something else goes on all along, such as retries: that does not prolong the wait.
func (s *Scene) UntilMeanwhile(missing func() string) {
	from := s.Log.Now()
	s.Until(func() string {
		what := missing()
		if what != "" {
			s.Overdue(from, "Still so after %.0f s: %s.", s.Patience.Seconds(), what)
		}
		return what
	})
}

// Overdue ends the check with what is missing, if the controller has had enough time for it since a moment. A known reason comes first,
// such as a request that the role doesn't allow.
func (s *Scene) Overdue(from time.Duration, format string, args ...any) {
	if s.Had(from) <= s.Patience {
		return
	}
	s.findStalled()
	s.Find(format, args...)
}

// findStalled ends the check if it is known why the controller makes no progress.
func (s *Scene) findStalled() {
	if stalled, is := s.Stalled(s.Log.Run()); is {
		s.FindAt(stalled)
	}
}

// Let waits until nothing is missing, while others act, who may be more than those who act by themselves.
func (s *Scene) Let(others stage.Act, missing func() string) { s.while(others, missing, blame) }

// Needs waits for a situation that the check needs, and that is not the controller's to bring about: "the API server to
// enforce the quota". The check ends without a verdict if it does not come about.
func (s *Scene) Needs(what string, there func() bool) {
	s.while(s.React, unless(there, "this check still needs "+what), func() string { return "it needs " + what + ", which did not happen" })
}

// Comes waits until something is there that a controller may do or leave, and says whether it is. Until then missing says what is
// not. It stops to wait when the controller makes no progress and nothing new happens to it.
func (s *Scene) Comes(missing string, there func() bool) bool {
	wanting := unless(there, missing)
	ending, err := s.Play(s.Context(), s.React, func() (string, error) { return wanting(), nil })
	came := ending.Missing == ""
	ending.Missing = ""
	s.conclusion(ending, err, blame)
	return came
}

// unless returns what says what is missing as long as it is.
func unless(there func() bool, missing string) func() string {
	return func() string {
		if there() {
			return ""
		}
		return missing
	}
}

// Pause waits until the controller has received every event of a SequentialJob so far, and nothing moves any
// more. Others do nothing meanwhile.
func (s *Scene) Pause(name string) {
	s.until(stage.Nobody, s.uninformed(name), s.deaf)
	s.until(stage.Nobody, s.AtWork, blame)
}

// An excuse says in a sentence why the controller is not to blame for what is missing: what the check would have needed.
// It is empty if there is no excuse.
type excuse func() string

// blame excuses nothing.
func blame() string { return "" }

// while waits until nothing is missing, those of the world included who have to be there.
func (s *Scene) while(others stage.Act, missing func() string, excuse excuse) {
	s.until(others, s.orMimics(missing), excuse)
}

func (s *Scene) until(others stage.Act, missing func() string, excuse excuse) {
	s.ownerless = false
	if !s.around.world.Once {
		s.failReads()
	}
	ending, err := s.Play(s.Context(), others, func() (string, error) { return missing(), nil })
	s.conclusion(ending, err, excuse)
}

// conclusion ends the check if a part of the run did not end as it should.
func (s *Scene) conclusion(ending stage.Ending, err error, excuse excuse) {
	s.Must(err)
	if len(ending.Trouble) > 0 {
		s.End(ending.Trouble...)
	}
	if ending.Missing == "" {
		return
	}
	s.findStalled()
	if why := excuse(); why != "" {
		s.NotJudged("%s", why)
	}
	s.stuck(ending.Missing)
}

// stuck ends the check because the controller does not do what it should.
func (s *Scene) stuck(missing string) {
	run := s.Log.Run()
	since := min(s.Enough(), s.Log.Now()-s.lastStimulus()) // a controller that retries all along is not waited for that long
	f := finding.Finding{What: finding.Waited(run, since) + missing + "." + s.turnedDown(), At: max(s.LastChange(), s.lastStimulus())}
	if r, ok := s.givenUp(); ok {
		f.What += fmt.Sprintf("\nAt %.3f s your controller sent a request (%s %s %s) and received the response %d. It has not retried since.",
			r.Received.Seconds(), r.Call.Verb, r.Call.Resource, r.Call.Object, r.Returned)
		f.At = r.Received // what others did later does not explain it
	}
	if s.lost != "" {
		f.What += "\n" + s.lost
	}
	f.Waited = true
	instance, _, _ := s.Current()
	if unselected := finding.Unselected(run, instance); unselected != "" {
		f.What += "\n" + unselected
	}
	if !s.because(&f) {
		if last := finding.Unanswered(run, instance); last != "" {
			f.What += "\n" + last
		}
	}
	s.FindAt(f)
}

// because adds to a finding what the controller did to its Jobs that may be the cause of it.
func (s *Scene) because(f *finding.Finding) (is bool) {
	const most = 3
	run := s.Log.Run()
	unowned := finding.Unowned(run)
	if unowned != nil && !s.ownerless { // which says so already
		f.What += fmt.Sprintf("\nYour controller created Job %s for step %s, but no SequentialJob controls it: %s.",
			unowned.GetName(), kinds.StepOf(unowned), kinds.Unowned(unowned))
	}
	if unowned != nil || strings.Contains(f.What, unknownOwner) {
		f.Check = finding.Check(invariants.I4) // whose section explains owners
		f.Waited = false
		is = true
	}
	deletions := slices.DeleteFunc(finding.Deletions(run), func(cause finding.Cause) bool { return !concerns(cause, f.What) })
	finalizers := finding.Finalizers(run)
	if named := slices.DeleteFunc(slices.Clone(finalizers), func(cause finding.Cause) bool { return !concerns(cause, f.What) }); len(named) > 0 {
		finalizers = named
	}
	for _, cause := range append(deletions[max(0, len(deletions)-most):], finalizers...) {
		f.What += "\n" + cause.What
		f.Why = cmp.Or(cause.Why, f.Why)
		f.At = cause.At
		f.Requests = append(f.Requests, cause.Requests...)
		is = true
	}
	return is
}

// concerns says whether a cause is about an object that a text names. From lesson 6 on, controllers delete Jobs for good reasons too.
func concerns(cause finding.Cause, text string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return r != '-' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return len(cause.Names) == 0 || slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains(cause.Names, strings.Trim(word, "."))
	})
}

// unknownOwner is in the API server's message about an owner reference to a kind that it does not have.
const unknownOwner = "cannot find RESTMapping"

// lastStimulus is when others last did something. Not every change of an object is observed.
func (s *Scene) lastStimulus() time.Duration {
	stimuli := s.Log.Run().Stimuli
	if len(stimuli) == 0 {
		return 0
	}
	return stimuli[len(stimuli)-1].At
}

// writes are the controller's writes, except of events.
func (s *Scene) writes() []history.Request {
	return s.Requests(func(r history.Request) bool { return r.Write() && r.Call.Resource != "events" })
}

// givenUp is the last write that a fault refused, if the controller has not retried it for long.
func (s *Scene) givenUp() (history.Request, bool) {
	instance, _, _ := s.Current()
	writes := s.writes()
	for i, r := range slices.Backward(writes) {
		if r.Fault != 0 {
			again := slices.ContainsFunc(writes[i+1:], func(later history.Request) bool {
				return later.Call.Resource == r.Call.Resource && later.Call.Object == r.Call.Object
			})
			return r, !again && r.Instance == instance && r.Returned >= http.StatusBadRequest && s.Log.Now()-r.Received > s.Patience/2
		}
	}
	return history.Request{}, false
}

// turnedDown describes the last write, if the API server refused it for its content. The controller has to cope with
// faults and conflicts, and in other namespaces with whatever a check has made refuse its writes.
func (s *Scene) turnedDown() string {
	writes := slices.DeleteFunc(s.writes(), func(r history.Request) bool { return r.Object.Namespace != s.Namespace })
	if len(writes) > 0 {
		switch r := writes[len(writes)-1]; r.Code {
		case http.StatusBadRequest, http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusUnsupportedMediaType:
			what := fmt.Sprintf("\nThe API server refused your controller's last write (%s %s): %d %s.\n%s",
				r.Call.Verb, r.Call.Resource, r.Code, r.Reason, r.Message)
			if strings.Contains(r.Message, unknownOwner) {
				what += fmt.Sprintf("\nSo the owner reference names a kind that the API server does not have. A SequentialJob has apiVersion %s, kind %s.",
					v1alpha1.GroupVersion, v1alpha1.Kind)
			}
			return what
		}
	}
	return ""
}

// NextSecond waits until the clock shows another second. The API stores times in whole seconds, so the times of two
// writes within one second are equal.
func (s *Scene) NextSecond() {
	now := time.Now().Truncate(time.Second)
	s.Needs("the clock to show another second", func() bool { return time.Now().Truncate(time.Second).After(now) })
}
