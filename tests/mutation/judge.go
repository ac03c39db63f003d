package mutation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/hunt"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/lesson"
)

// Outcome is the result of judging a mutant.
type Outcome struct {
	Mutant   Mutant           `json:"-"`
	Verdict  Verdict          `json:"verdict"`
	CaughtBy string           `json:"caughtBy,omitempty"` // the check, or the finding by which no check could be played
	Finding  *finding.Finding `json:"finding,omitempty"`
	Seconds  float64          `json:"seconds"`
}

// Verdict is the outcome in a word.
type Verdict string

const (
	Caught   Verdict = "caught"
	Survived Verdict = "survived"
	// Unbuilt is a mutant that can't be built, by the compiler or by the generators of the role and of the API. A
	// mistake that nobody can run needs no check.
	Unbuilt Verdict = "unbuilt"
	// Unended is a mutant whose judging was ended after an hour. It is not judged: the machine may have been too busy.
	Unended Verdict = "unended"
)

// bound is how long a mutant may be judged: several times as long as a survivor of a late lesson takes on a busy machine.
const bound = time.Hour

// errBound ends the judging of a mutant that does not come to an end by itself.
var errBound = errors.New("the mutant has been judged for too long")

// Judge judges mutants of one lesson by the lesson's checks, and by the earlier ones that it is held to, until one fails.
// Each check is played in the plain world and in one other, which the mutant's code decides. What is made goes into dir.
// Done receives each outcome, one at a time. If one mutant can't be judged, the others are all the same, and the error says why at the end.
func Judge(ctx context.Context, dir string, l lesson.Lesson, wanted []Mutant, done func(Outcome) error) (err error) {
	if len(wanted) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	bench := judge.Open(ctx, l.Kind, dir)
	defer func() {
		if err != nil {
			cancel() // the control plane may still be starting
		}
		err = errors.Join(err, bench.Close())
	}()
	held := l.AndEarlier()
	var calling sync.Mutex
	var unjudged []error
	group, judging := errgroup.WithContext(ctx)
	group.SetLimit(hunt.Parallel(l.Kind))
	for i, m := range wanted {
		group.Go(func() error {
			outcome, err := judgeOne(judging, bench, held, m, filepath.Join(dir, fmt.Sprint(i)))
			calling.Lock()
			defer calling.Unlock()
			switch {
			case err == nil:
				return done(outcome)
			case judging.Err() != nil:
				return err
			}
			unjudged = append(unjudged, fmt.Errorf("%s: %w", m, err))
			return nil
		})
	}
	return errors.Join(append(unjudged, group.Wait())...)
}

func judgeOne(ctx context.Context, bench judge.Bench, held []lesson.Lesson, m Mutant, dir string) (outcome Outcome, err error) {
	outcome = Outcome{Mutant: m, Verdict: Unbuilt}
	if !m.Compiles {
		return outcome, nil
	}
	defer os.RemoveAll(dir) // each program is some 40 MB
	source := filepath.Join(dir, "source")
	if err := m.Copy(source); err != nil {
		return outcome, err
	}
	began := time.Now()
	defer func() { outcome.Seconds = time.Since(began).Seconds() }()
	code := judge.Code{Folder: source, Bounded: true}
	seed, err := code.Seed()
	if err != nil {
		return outcome, err
	}
	candidate, _, blocked, err := bench.Admit(ctx, code, filepath.Join(dir, "work"))
	if err != nil || blocked != nil {
		outcome.Finding = blocked
		return outcome, err
	}
	defer candidate.Release()
	found, err := play(ctx, candidate, held, seed)
	switch {
	case errors.Is(err, errBound):
		outcome.Verdict = Unended
	case err != nil:
		return outcome, err
	case found == nil:
		outcome.Verdict = Survived
	default:
		outcome.Verdict, outcome.CaughtBy, outcome.Finding = Caught, string(found.Check), found
	}
	return outcome, nil
}

// play plays the checks of lessons until one finds something, and returns what it found. It gives up with errBound.
func play(ctx context.Context, candidate judge.Candidate, held []lesson.Lesson, seed uint64) (*finding.Finding, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, bound, errBound)
	defer cancel()
	all := worlds.Of(held[0].Kind)
	for _, round := range [][]worlds.World{all[:1], all[1:]} {
		if len(round) == 0 {
			continue
		}
		for _, l := range held {
			found, err := playRound(ctx, candidate, l, round, seed)
			if errors.Is(context.Cause(ctx), errBound) {
				return nil, errBound
			}
			if found != nil || err != nil {
				return found, err
			}
		}
	}
	return nil, nil
}

// playRound plays each check of a lesson once, in one of some worlds.
func playRound(ctx context.Context, candidate judge.Candidate, l lesson.Lesson, in []worlds.World, seed uint64) (found *finding.Finding, _ error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	_, blocked, err := judge.Judge(ctx, candidate, l, worlds.Concerned(l.Checks, in), judge.Reporting{
		World: judge.Spread(l.Checks, in, seed),
		Done: func(v judge.Verdict) {
			if len(v.Findings) > 0 && found == nil {
				found = &v.Findings[0]
				stop() // one is enough
			}
		},
	})
	switch {
	case found != nil:
		return found, nil
	case blocked != nil:
		return blocked, nil
	default:
		return nil, err
	}
}
