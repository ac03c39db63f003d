package campaign

import (
	"context"
	"errors"

	"example.com/controller-course/tests/kit/stage"
	"example.com/controller-course/tests/subject"
)

// worker plays plans one after another on a control plane of its own.
type worker struct {
	ground     *stage.Ground
	controller stage.Controller
}

func startWorker(ctx context.Context, controller subject.Subject, dir string) (*worker, error) {
	ground, err := stage.StartGround(ctx, controller.CRDs, dir)
	if err != nil {
		return nil, err
	}
	w := &worker{ground: ground}
	if w.controller, err = ground.Admit(ctx, controller.Binary, controller.AllRoles()...); err != nil {
		return nil, errors.Join(err, w.stop())
	}
	return w, nil
}

func (w *worker) stop() error { return w.ground.Stop() }
