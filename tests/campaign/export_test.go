package campaign

import (
	"context"
	"time"

	"example.com/controller-course/tests/subject"
)

// What only the specs use.

const SmokeSize = smokeSize

type Worker struct{ *worker }

func StartWorker(ctx context.Context, controller subject.Subject, dir string) (Worker, error) {
	w, err := startWorker(ctx, controller, dir)
	return Worker{w}, err
}

func (w Worker) Play(ctx context.Context, binary string, plan Plan) (Result, error) {
	return w.play(ctx, binary, plan, nil)
}

func (w Worker) Stop() error { return w.stop() }

func SetPatience(time time.Duration) (before time.Duration) {
	before, patience = patience, time
	return before
}

// WithoutStore are the names of the scenarios without an object store.
func WithoutStore() (names []string) {
	for _, one := range scenarios() {
		if !one.store {
			names = append(names, one.name)
		}
	}
	return names
}
