package scene

import (
	"fmt"
	"slices"
	"time"

	"example.com/controller-course/tests/kit/history"
)

// Many is more retries than a controller that backs off makes in a run.
const Many = 60

// Refusal is something that the API server refuses each time the controller tries it.
type Refusal struct {
	What  string                   // the beginning of a sentence: "The API server refused to create the Job of step fetch"
	Tries func() []history.Request // all of them by now
	After func()                   // what others do after each try; may be nil
	Lost  string                   // why controllers stop retrying, as a sentence; may be empty
}

// Unhurried is missing, and ends the check when the controller has retried more often than one that backs off does.
// Meanwhile says what else happens in that time.
func (s *Scene) Unhurried(r Refusal, meanwhile string, missing func() string) func() string {
	return func() string {
		if tries := r.Tries(); len(tries) > Many {
			s.FindRequests(tries, "%s. Your controller keeps retrying without a growing pause: it has tried %d times by now, %s.",
				r.What, len(tries), meanwhile)
		}
		return missing()
	}
}

// BacksOff waits until the pauses between the controller's tries have grown to half a second, and returns the longest
// one. It ends the check when they don't grow, or stop growing before. It returns false when the pauses are too long to
// wait for more of them.
func (s *Scene) BacksOff(r Refusal) (longest time.Duration, grown bool) {
	const (
		enough  = 7               // pauses: by then a controller that gives up has done so
		waiting = 2 * time.Second // or that long
		slow    = 3               // times the patience
	)
	patience := s.Patience
	enoughTime := patience // after a try, for the next one
	seen := 0
	s.lost = r.Lost
	defer func() { s.lost = "" }()
	s.Until(s.Unhurried(r, "and still does", func() string {
		now, tries := s.Log.Now(), r.Tries() // in this order: there may be more tries by then
		if r.After != nil && len(tries) > seen {
			seen = len(tries)
			r.After()
		}
		pauses := pausesBetween(tries)
		if len(pauses) > 0 {
			longest = slices.Max(pauses)
		}
		first, last := tries[0].Received, tries[len(tries)-1].Received
		enoughTime = max(patience, 4*longest)
		s.Patience = enoughTime + s.Had(s.LastChange()) - s.Had(last) // a try counts like a change of an object
		switch grown = pauses.grow(); {
		case grown && pauses.long() && (len(pauses) >= enough || now-first > waiting):
			return ""
		case pauses.stay():
			s.FindRequests(tries, "%s, and your controller retried %d times. Its pauses were %s to %s long: they don't grow, or not beyond that.",
				r.What, len(pauses), InMilliseconds(slices.Min(pauses)), InMilliseconds(longest))
		case s.Had(first) > slow*patience:
			return ""
		}
		return fmt.Sprintf("your controller has not sent the refused request again, after %s", Counted(len(tries), "try", "tries"))
	}))
	s.Patience = enoughTime
	return longest, grown
}

// pauses are the times from the response to a try until the next try arrives. No controller has paused for longer,
// and on a busy machine it has paused for less: load lengthens pauses and never shortens them.
type pauses []time.Duration

func pausesBetween(tries []history.Request) pauses {
	var all pauses
	for i := 1; i < len(tries); i++ {
		all = append(all, tries[i].Received-max(tries[i-1].Received, tries[i-1].Answered))
	}
	return all
}

// grow says whether the pauses have reached a length that the machine's load can't explain: each of the last two is
// much longer than all earlier ones, except the one right before them.
func (p pauses) grow() bool {
	const much = 2
	n := len(p)
	return n > 3 && min(p[n-1], p[n-2]) >= much*slices.Max(p[:n-3])
}

// long says whether one of the pauses is long enough to spare the API server. A backoff that ends before that does not.
func (p pauses) long() bool { return slices.Max(p) >= 500*time.Millisecond }

// stay says whether the last pauses were equally long. Load does not make growing pauses equal: it would have to make
// up for all of their growth, to the millisecond, several times in a row.
func (p pauses) stay() bool {
	for _, series := range []struct {
		length int
		least  time.Duration // the scheduler may make shorter ones equal
		spread float64
	}{
		{8, 50 * time.Millisecond, 0.1},
		{5, 500 * time.Millisecond, 0.05},
	} {
		if len(p) < series.length {
			continue
		}
		last := p[len(p)-series.length:]
		shortest, longest := slices.Min(last), slices.Max(last)
		if shortest >= series.least && float64(longest-shortest) <= series.spread*float64(longest) {
			return true
		}
	}
	return false
}

// Counted is a number of things in the form that findings use.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// InMilliseconds is a duration in the form that findings use.
func InMilliseconds(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }
