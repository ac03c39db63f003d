package judge

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/lesson"
)

// play plays the situations of a check at the same time. When one fails, those after it end, because they can't change the result.
func (p *program) play(ctx context.Context, l lesson.Lesson, check lesson.Check, world worlds.World, waiting func(missing string)) (played, error) {
	situations := check.Play.(scene.Situations)
	group, ctx := errgroup.WithContext(ctx)
	contexts, ends := make([]context.Context, len(situations)), make([]context.CancelFunc, len(situations))
	for i := range situations {
		contexts[i], ends[i] = context.WithCancel(ctx)
		defer ends[i]()
	}
	came := make([]played, len(situations))
	for i, situation := range situations {
		group.Go(func() error {
			result, err := p.playOne(contexts[i], l, check, situation, world, waiting)
			if contexts[i].Err() != nil && ctx.Err() == nil {
				return nil // it has been ended
			}
			came[i] = result
			if result.failed() {
				for _, end := range ends[i+1:] {
					end()
				}
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return played{}, err
	}
	return decisive(came), nil
}

// decisive is the result of a check with several situations: the first one that failed, in their order. If none did, it is the first one that
// was not judged.
func decisive(came []played) played {
	for _, counts := range []func(played) bool{played.failed, played.notJudged} {
		if i := slices.IndexFunc(came, counts); i >= 0 {
			return came[i]
		}
	}
	return came[0]
}

func (p played) failed() bool { return len(p.Findings) > 0 }

func (p played) notJudged() bool { return p.NotJudged != "" }
