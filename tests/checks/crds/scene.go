package crds

import (
	"context"

	"example.com/controller-course/tests/checks/script"
	"example.com/controller-course/tests/lesson"
)

// Play is what happens while a check is played with an API.
type Play func(*Scene)

// Judges says that APIs alone can be judged like this.
func (Play) Judges(kind lesson.Kind) bool { return kind == lesson.API }

// Scene is where a check of an API is played.
type Scene struct {
	*API
	script.Script
}

// Play plays a check with the API. The error is the judge's own.
func (a *API) Play(ctx context.Context, play Play) (script.Outcome, error) {
	return script.Play(func() { play(&Scene{a, script.New(ctx)}) })
}
