package stage

import (
	"context"
	"testing"
	"time"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/process"
)

// fake is a stage whose controller is at work at every other wait. Play gives up after four waits.
type fake struct {
	waits, acts int
	wrongAfter  int  // acts that the controller gets wrong; 0 for none
	unseen      bool // the observer sees what the controller has done only when it is asked to catch up
	late        bool // likewise, and others can't act again before they have seen it
	changed     time.Duration
	busy        bool          // never calm
	acted       time.Duration // when others acted last
	misled      bool          // it was told of another moment
}

func (f *fake) now() time.Duration                { return time.Duration(f.waits) }
func (f *fake) restless(acted time.Duration) bool { return f.now()-acted > 4 }
func (f *fake) givesUp(acted time.Duration) bool  { return f.now()-max(acted, f.changed) > 4 }
func (f *fake) Wait(context.Context) error        { f.waits++; return nil }

func (f *fake) calm(lastAct time.Duration) bool {
	f.misled = f.misled || lastAct != f.acted
	return f.waits%2 == 0 && !f.busy
}

func (f *fake) catchUp(context.Context) error {
	if f.late {
		f.changed = f.now()
	}
	f.unseen, f.late = false, false
	return nil
}

func (f *fake) Trouble(context.Context) ([]finding.Finding, error) {
	if f.wrongAfter == 0 || f.acts < f.wrongAfter {
		return nil, nil
	}
	return []finding.Finding{{Check: "I1"}}, nil
}

func TestPlay(t *testing.T) {
	for name, test := range map[string]struct {
		stage   fake
		needs   int // acts, of which there are three
		acts    int
		missing string
	}{
		"nothing is missing":                    {},
		"acts, while the controller is calm":    {needs: 3, acts: 3},
		"the controller gets no further":        {needs: 4, acts: 3, missing: "an act"},
		"what it did last is seen late":         {stage: fake{unseen: true}, needs: 3, acts: 3},
		"others react to what is seen late":     {stage: fake{late: true}, needs: 3, acts: 3},
		"it does something wrong, and no more":  {stage: fake{wrongAfter: 2}, needs: 3, acts: 2},
		"the controller is never calm":          {stage: fake{busy: true}},
		"it does something wrong with the last": {stage: fake{wrongAfter: 3}, needs: 3, acts: 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := &test.stage
			others := func(context.Context) (bool, error) {
				if !s.calm(s.acted) {
					t.Error("others act while the controller is at work")
				}
				if s.acts == 3 || s.late {
					return false, nil
				}
				s.acts++
				s.waits++ // the controller takes it up
				s.acted = s.now()
				return true, nil
			}
			missing := func() (string, error) {
				if s.acts < test.needs || s.unseen {
					return "an act", nil
				}
				return "", nil
			}
			ending, err := play(t.Context(), s, others, missing)
			wrong := len(ending.Trouble) > 0
			if s.misled {
				t.Error("whether the controller is calm was not asked with the moment at which others acted last")
			}
			if err != nil || ending.Missing != test.missing || s.acts != test.acts || wrong != (s.wrongAfter > 0) {
				t.Errorf("Play ends with %+v, %v after %d acts; want %d, and %q missing", ending, err, s.acts, test.acts, test.missing)
			}
		})
	}
}

func TestQuiet(t *testing.T) {
	const ms = time.Millisecond
	asleep := func(time.Duration) process.Activity { return process.Activity{} }
	for name, test := range map[string]struct {
		moved    time.Duration // when something moved last
		activity func(now time.Duration) process.Activity
		quiet    time.Duration // when it is seen to be quiet
	}{
		"asleep":                  {0, asleep, 50 * ms},
		"asleep after an event":   {30 * ms, asleep, 80 * ms},
		"waiting for a processor": {0, func(now time.Duration) process.Activity { return process.Activity{Runnable: now <= 100*ms} }, 150 * ms},
		"busy with something else": {0, func(now time.Duration) process.Activity {
			return process.Activity{Runnable: true, Used: now}
		}, 240 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			var seen timing
			for now := 10 * ms; now <= test.quiet; now += 10 * ms {
				last := min(now, test.moved)
				if quiet := seen.quiet(now, last, moved{observer: last}, test.activity(now), Quiet); quiet != (now == test.quiet) {
					t.Errorf("after %s: quiet is %t", now, quiet)
				}
			}
		})
	}
}
