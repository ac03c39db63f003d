package main

import (
	"context"
	"os"
	"time"

	"example.com/controller-course/tests/checks"
	findings "example.com/controller-course/tests/kit/finding"
)

// A court is where code is judged, as often as somebody wants it to.
type court interface {
	// prepare builds the code. What keeps it from being judged at all is a finding.
	prepare(context.Context, code, *times) (*findings.Finding, error)

	// judge judges by checks of a lesson what was prepared last. What keeps it from being judged at all is
	// a finding here too.
	judge(context.Context, checks.Lesson, []checks.Check, hearing) ([]checks.Verdict, *findings.Finding, error)

	// close ends what the court keeps running.
	close() error
}

// A hearing is what a judging tells, and is told.
type hearing struct {
	again func(checks.Check) string // the command that judges a check again
	say   func(checks.Verdict)      // is told of each verdict as soon as it is there
}

// times are how long the parts of a judging took.
type times struct {
	build   time.Duration
	ground  time.Duration // until the control plane was up; 0 when it was up already
	own     time.Duration // the lesson's checks
	earlier time.Duration // those of earlier lessons
	whole   time.Duration
}

// openCourt opens the court for a lesson. What is made in it goes to dir, and pictures to their own folder.
// It is kept for more than one judging, or not.
func openCourt(ctx context.Context, of lesson, dir, pictures string, kept bool) (court, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if of.isController() {
		c := &controllerCourt{ctx: ctx, dir: dir, pictures: pictures}
		c.start()
		return c, nil
	}
	return &apiCourt{ctx: ctx, dir: dir, kept: kept}, nil
}
