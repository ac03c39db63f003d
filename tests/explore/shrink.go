package explore

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"example.com/controller-course/tests/checks/generated"
)

// shrink looks for a shorter run that fails in the same way: it leaves out halves of the run, then quarters, and at last
// single acts. When ctx ends, the shortest one so far will do.
func (e *explorer) shrink(ctx context.Context, failed *Failure) (*Failure, error) {
	e.Tally.Shrinking(failed.Run)
	for size := len(failed.Run) / 2; size > 0; {
		shorter, err := e.firstAlike(ctx, without(failed.Run, size), failed)
		switch {
		case ctx.Err() != nil:
			return failed, nil
		case err != nil:
			return failed, err
		case shorter == nil:
			size /= 2
		default:
			failed = shorter
			size = min(size, len(failed.Run)/2)
			e.Tally.Shrunk(failed.Run)
		}
	}
	return failed, nil
}

// without are the runs in which that many acts are left out. The first act is not: without a SequentialJob there is
// nothing to judge.
func without(run generated.Run, size int) (shorter []generated.Run) {
	for from := 1; from < len(run); from += size {
		shorter = append(shorter, slices.Concat(run[:from], run[min(from+size, len(run)):]))
	}
	return shorter
}

// firstAlike is the first of some runs that fails as another one did; nil where none does.
func (e *explorer) firstAlike(ctx context.Context, runs []generated.Run, failed *Failure) (*Failure, error) {
	failures := make([]*Failure, len(runs))
	group, playing := errgroup.WithContext(ctx)
	group.SetLimit(workers())
	for i, run := range runs {
		group.Go(func() (err error) {
			failures[i], err = e.play(playing, run, failed.World)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, failure := range failures {
		if failure != nil && failure.Blocked == nil && failure.Verdict.Broken == failed.Verdict.Broken {
			return failure, nil
		}
	}
	return nil, nil
}
