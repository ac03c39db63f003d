package stage

import (
	"context"
	"time"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
)

// An Act is what others do. It does one thing, and says whether there was one to do.
type Act func(context.Context) (acted bool, err error)

// Nobody does nothing.
func Nobody(context.Context) (acted bool, err error) { return false, nil }

// Ending is how a part of a run ended, if it did not come to where it should.
type Ending struct {
	Trouble []finding.Finding // what the controller has done wrong
	Missing string            // what was still missing when the controller got no further
}

// Play lets others act, one thing at a time and only while the controller is calm, until nothing is missing. What
// is missing is the second half of a sentence: "web has no Job". Play ends early when the controller does
// something wrong, or gets no further although nothing happens to it any more.
func (s *Stage) Play(ctx context.Context, others Act, missing func() (string, error)) (Ending, error) {
	return play(ctx, s, others, s.reporting(missing))
}

// player is what play needs of a stage.
type player interface {
	now() time.Duration
	Trouble(context.Context) ([]finding.Finding, error)
	calm(lastAct time.Duration) bool
	restless(acted time.Duration) bool
	givesUp(acted time.Duration) bool
	catchUp(context.Context) error
	Wait(context.Context) error
}

func play(ctx context.Context, s player, act Act, missing func() (string, error)) (Ending, error) {
	acted := s.now()
	var lastAct time.Duration // of others; 0 for none yet
	for {
		if trouble, err := s.Trouble(ctx); len(trouble) > 0 || err != nil {
			return Ending{Trouble: trouble}, err
		}
		what, err := missing()
		if err != nil {
			return Ending{}, err
		}
		if s.calm(lastAct) {
			if what == "" {
				return Ending{}, nil
			}
			again, err := act(ctx)
			if err != nil {
				return Ending{}, err
			}
			if again {
				acted = s.now()
				lastAct = acted
				continue
			}
		}
		if what == "" && s.restless(acted) {
			return Ending{}, nil // others act while it works
		}
		if what != "" && s.givesUp(acted) {
			if err := s.catchUp(ctx); err != nil {
				return Ending{}, err
			}
			if what, err = missing(); err != nil {
				return Ending{}, err
			}
			if what != "" && s.givesUp(acted) { // still, with all that the controller has done
				return Ending{Missing: what}, nil
			}
		}
		if err := s.Wait(ctx); err != nil {
			return Ending{}, err
		}
	}
}

// Rest waits until nothing has moved for a while.
func (s *Stage) Rest(ctx context.Context, others Act) (invariants.Interval, Ending, error) {
	from := s.Log.Now()
	ending, err := s.Play(ctx, others, func() (string, error) {
		if s.Log.Now()-from <= Still {
			return AtWork, nil
		}
		return s.AtWork(), nil
	})
	return invariants.Interval{From: from, To: s.Log.Now()}, ending, err
}

// AtWork says of a controller that it is still at work, as the second half of a sentence.
const AtWork = "your controller was still at work"

// AtWork is AtWork, or empty when nothing has moved for a while.
func (s *Stage) AtWork() string {
	if s.IsQuiet(Still) {
		return ""
	}
	return AtWork
}

func (s *Stage) now() time.Duration { return s.Log.Now() }

// catchUp waits until the observer has seen what the controller did last.
func (s *Stage) catchUp(ctx context.Context) error {
	_, err := s.Observer.Sync(ctx)
	return err
}

// calm says whether others may act: the controller is up and has done what it was about to do, or it is not
// running. The observer may not have seen yet what others did in their last act, so that counts as something that moved.
func (s *Stage) calm(lastAct time.Duration) bool {
	_, running, killed := s.Current()
	return running == nil || killed || s.Log.Now()-lastAct >= Quiet && s.IsQuiet(Quiet)
}

// restless says whether the controller is never calm, although it has had time enough: it may spread its looks at an object store over
// time. Where nothing is timed, the limit of requests and watches ends such a run.
func (s *Stage) restless(acted time.Duration) bool {
	const atMost = 3
	return s.Timed && s.Had(max(acted, s.started)) > atMost*s.Patience
}

// givesUp says whether the controller has had enough time since the last stimulus. As long as objects change
// it gets more, but not without end.
func (s *Stage) givesUp(acted time.Duration) bool {
	const atMost = 10
	began := max(acted, s.started)
	since := max(began, s.LastChange())
	had := s.Had(since)
	return had > soon && had > s.enoughSince(since) || s.Had(began) > atMost*s.Patience
}

// Stalled is the finding for a controller that makes no progress for a known reason: a request was refused
// that will be refused again, a read waits for a watch that is, or it has panicked. False means that no reason is known.
func (s *Stage) Stalled(run history.Run) (finding.Finding, bool) {
	instance, running, _ := s.Current()
	if unfilled, ok := finding.Unfilled(run, instance); ok {
		return unfilled, true
	}
	if refused, ok := finding.Refused(run); ok {
		return refused, true
	}
	if outcome := running.Outcome(); outcome.Panic != nil { // controller-runtime survives a panic
		return finding.Panicked(*outcome.Panic), true
	}
	return finding.Finding{}, false
}
