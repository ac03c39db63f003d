package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"example.com/controller-course/tests/checks"
	findings "example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/stage"
	"example.com/controller-course/tests/subject"
)

// A controllerCourt judges controllers. Its control plane starts while they are built, and stays up.
type controllerCourt struct {
	ctx      context.Context
	dir      string
	pictures string

	starting   chan struct{} // closed once what comes next says what came of it
	ground     *stage.Ground
	groundErr  error
	groundTook time.Duration

	roles      []byte // of the controller that was admitted last
	controller stage.Controller
}

// start has the control plane started, unless it is up or on its way.
func (c *controllerCourt) start() {
	if c.starting != nil {
		select {
		case <-c.starting:
			if c.ground != nil && !hasEnded(c.ground) {
				return
			}
		default:
			return
		}
	}
	began, started := time.Now(), make(chan struct{})
	c.starting, c.ground, c.groundErr, c.roles = started, nil, nil, nil
	go func() {
		defer close(started)
		finished, err := subject.Finished("")
		if err != nil {
			c.groundErr = err
			return
		}
		c.ground, c.groundErr = stage.StartGround(c.ctx, finished.CRDs, filepath.Join(c.dir, "ground"))
		c.groundTook = time.Since(began)
	}()
}

func hasEnded(ground *stage.Ground) bool {
	select {
	case <-ground.Cluster().Done():
		return true
	default:
		return false
	}
}

func (c *controllerCourt) close() error {
	<-c.starting
	if c.ground == nil {
		return nil
	}
	return c.ground.Stop()
}

func (c *controllerCourt) prepare(ctx context.Context, judged code, took *times) (*findings.Finding, error) {
	c.start()
	began := time.Now()
	made, blocked, err := judged.build(ctx, c.dir)
	took.build = time.Since(began)
	if blocked != nil || err != nil {
		return blocked, err
	}
	<-c.starting
	took.ground, c.groundTook = c.groundTook, 0
	if c.groundErr != nil {
		return nil, c.groundErr
	}
	return nil, c.admit(ctx, made)
}

// admit lets a controller act on the control plane. One whose role is that of the last keeps its rights.
func (c *controllerCourt) admit(ctx context.Context, made built) error {
	roles, err := os.ReadFile(made.roles)
	if err != nil {
		return err
	}
	if c.roles == nil || !bytes.Equal(roles, c.roles) {
		if c.controller, err = c.ground.Admit(ctx, made.binary, made.roles); err != nil {
			return err
		}
		c.roles = roles
	}
	c.controller.Binary = made.binary
	return nil
}

// errBlocked ends a judging that can't say anything.
var errBlocked = errors.New("nothing can be judged")

func (c *controllerCourt) judge(ctx context.Context, lesson checks.Lesson, chosen []checks.Check, told hearing) (
	[]checks.Verdict, *findings.Finding, error,
) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var blocked *findings.Finding
	verdicts, err := checks.Judge(ctx, lesson, chosen, checks.Options{
		Ground: c.ground, Controller: c.controller, Pictures: c.pictures, Again: told.again,
		Done: func(verdict checks.Verdict) {
			if blocked != nil {
				return
			}
			if blocked = blocking(verdict); blocked != nil {
				cancel(errBlocked)
				return
			}
			told.say(verdict)
		},
	})
	if blocked != nil {
		return nil, blocked, nil
	}
	return verdicts, nil, err
}

// blocking is the finding by which no check can say anything: the controller does not get to work.
func blocking(verdict checks.Verdict) *findings.Finding {
	for _, found := range verdict.Findings {
		if found.Check.Blocks() {
			return &found
		}
	}
	return nil
}
