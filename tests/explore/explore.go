// Package explore plays generated runs with a controller, one after another, until one fails. It then looks for the
// shortest run that fails in the same way.
package explore

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"example.com/controller-course/tests/checks/generated"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/lesson"
)

// Options tell what to explore.
type Options struct {
	Lesson lesson.Lesson // whose code it is, or which stands for the finished operator
	Check  lesson.Check  // that a finding is reported as
	Taught lesson.Taught // what the runs are made of

	Seed  int                         // of the first run, at least 1; the next run has the next seed
	World func(seed int) worlds.World // of the run of a seed
	Run   *generated.Run              // only this one; may be nil

	Pictures string
	Again    func(generated.Run, worlds.World) string // the command that plays a run again
	Tally    Tally
}

// A Tally counts what has been explored. Its methods are called one at a time.
type Tally interface {
	Done(judge.Verdict)
	Covered(kind string)
	Shrinking(failed generated.Run)
	Shrunk(shorter generated.Run) // which fails in the same way
}

// Failure is a run that failed.
type Failure struct {
	Run     generated.Run
	World   worlds.World
	Verdict judge.Verdict
	Blocked *finding.Finding // why nothing can be judged; nil where there is a verdict
}

// explorer plays runs with a candidate.
type explorer struct {
	Options
	candidate judge.Candidate
	mu        sync.Mutex // guards Tally
}

// workers is how many runs are played at the same time. A run waits most of the time.
func workers() int { return 3 * runtime.NumCPU() }

// errFound ends the exploring.
var errFound = errors.New("a run has failed")

// Explore plays runs until one fails, or until stop is closed, which it must be when ctx ends: runs that have begun are then played
// to their end. Nil means that none has failed. The error is the judge's own or, with a single run, ctx's.
func Explore(ctx context.Context, candidate judge.Candidate, options Options, stop <-chan struct{}) (*Failure, error) {
	e := &explorer{Options: options, candidate: candidate}
	if options.Run != nil {
		return e.play(ctx, *options.Run, options.World(options.Seed))
	}
	failed, err := e.search(context.WithoutCancel(ctx), stop)
	if failed == nil || failed.Blocked != nil || err != nil {
		return failed, err
	}
	return e.shrink(ctx, failed)
}

// search plays the runs of one seed after another.
func (e *explorer) search(ctx context.Context, stop <-chan struct{}) (failed *Failure, _ error) {
	group, searching := errgroup.WithContext(ctx)
	group.SetLimit(workers())
	for seed := e.Seed; searching.Err() == nil && !closed(stop); seed++ {
		group.Go(func() error {
			failure, err := e.play(searching, generated.Of(e.Taught, seed), e.World(seed))
			if failure == nil || err != nil {
				return err
			}
			e.mu.Lock()
			defer e.mu.Unlock()
			if failed == nil {
				failed = failure
			}
			return errFound
		})
	}
	err := group.Wait()
	if failed != nil {
		return failed, nil
	}
	return nil, err
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// play plays a run. Nil means that it has not failed.
func (e *explorer) play(ctx context.Context, run generated.Run, world worlds.World) (*Failure, error) {
	check := e.Check
	check.Play = scene.Play(func(s *scene.Scene) { run.Play(s, e.covered) })
	verdicts, blocked, err := judge.Judge(ctx, e.candidate, e.Lesson, []lesson.Check{check}, judge.Reporting{
		Pictures: e.Pictures,
		World:    func(lesson.Check) worlds.World { return world },
		Again:    func(_ lesson.Check, in worlds.World) string { return e.Again(run, in) },
	})
	if err != nil {
		return nil, err
	}
	failure := &Failure{Run: run, World: world, Blocked: blocked}
	if blocked != nil {
		return failure, nil
	}
	failure.Verdict = verdicts[0]
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Tally.Done(failure.Verdict)
	if len(failure.Verdict.Findings) == 0 {
		return nil, nil
	}
	return failure, nil
}

func (e *explorer) covered(kind string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Tally.Covered(kind)
}
