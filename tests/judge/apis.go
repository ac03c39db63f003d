package judge

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"example.com/controller-course/tests/checks/crds"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/lesson"
)

// apis judges APIs, one after another: a control plane can serve a kind only once.
type apis struct {
	ctx     context.Context
	cluster plane[*cluster.Cluster]
	turn    sync.Mutex // of the API that is judged
	serves  bool       // an API that was judged before
}

func newAPIs(ctx context.Context, dir string) *apis {
	b := &apis{ctx: ctx}
	b.cluster.start = func(ctx context.Context) (*cluster.Cluster, error) {
		b.serves = false
		return cluster.Start(ctx, cluster.Options{Dir: filepath.Join(dir, "cluster")})
	}
	b.cluster.ensure(ctx)
	return b
}

func (b *apis) Close() error { return b.cluster.stop() }

func (b *apis) Admit(ctx context.Context, code Code, dir string) (_ Candidate, took Took, blocked *finding.Finding, err error) {
	b.turn.Lock()
	defer func() {
		if blocked != nil || err != nil {
			b.turn.Unlock()
		}
	}()
	b.cluster.ensure(b.ctx)
	began := time.Now()
	types, err := crds.Make(ctx, code.Folder, dir)
	took.Building = time.Since(began)
	if err != nil {
		blocked, err = asBlocked(err)
		return nil, took, blocked, err
	}
	running, waited, err := b.cluster.wait()
	took.ControlPlane = waited
	if err != nil {
		return nil, took, nil, err
	}
	if b.serves {
		if err := crds.Remove(ctx, running); err != nil {
			return nil, took, nil, err
		}
	}
	b.serves = true
	served, err := crds.Serve(ctx, running, types)
	blocked, err = asBlocked(err)
	return &api{b, served}, took, blocked, err
}

// asBlocked separates the finding that blocks all checks from other errors.
func asBlocked(err error) (*finding.Finding, error) {
	if unjudgeable, ok := errors.AsType[*crds.UnjudgeableError](err); ok {
		return &unjudgeable.Finding, nil
	}
	return nil, err
}

// api is an API that can be judged.
type api struct {
	bench  *apis
	served *crds.API
}

func (a *api) Release() { a.bench.turn.Unlock() }

// parallel is one: checks of an API create objects of the same names.
func (*api) parallel() int { return 1 }

func (a *api) play(ctx context.Context, _ lesson.Lesson, check lesson.Check, world worlds.World, _ func(string)) (played, error) {
	outcome, err := a.served.Play(ctx, check.Play.(crds.Play), world)
	return played{Outcome: outcome}, err
}
