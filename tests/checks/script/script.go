// Package script plays a check: a list of steps, each of which may end it.
package script

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"example.com/controller-course/tests/kit/finding"
)

// Outcome is the result of a check: it passed, it failed, or it was not judged.
type Outcome struct {
	Findings  []finding.Finding // none unless it failed
	NotJudged string            // what it would have needed for a verdict, in a sentence; empty when there is one
}

// ended carries a check's end through the functions that were called.
type ended struct {
	Outcome
	err error // the judge's own
}

// Play plays a check until its last step, or until one ends it. The error is the judge's own.
func Play(check func()) (outcome Outcome, err error) {
	defer func() {
		switch end := recover().(type) {
		case nil:
		case ended:
			outcome, err = end.Outcome, end.err
		default:
			err = &Stuck{At: place(), Err: fmt.Errorf("%w: %v\n%s", ErrPanic, end, debug.Stack())}
		}
	}()
	check()
	return Outcome{}, nil
}

// ErrPanic says that a check has panicked.
var ErrPanic = errors.New("the check itself has panicked, which is a mistake in the course and not in your code")

// Stuck is why a check can't go on, and where.
type Stuck struct {
	At  string // file and line of the check, from the root of the repository; empty if that is not known
	Err error
}

func (s *Stuck) Error() string {
	if s.At == "" {
		return s.Err.Error()
	}
	return s.At + ": " + s.Err.Error()
}

func (s *Stuck) Unwrap() error { return s.Err }

// place is where a check has got to, in its own code.
func place() string {
	const most = 64
	callers := make([]uintptr, most)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	for {
		frame, more := frames.Next()
		if _, file, is := strings.Cut(frame.File, "/tests/checks/lesson"); is {
			return fmt.Sprintf("tests/checks/lesson%s:%d", file, frame.Line)
		}
		if !more {
			return ""
		}
	}
}

// Script is a check that is being played. Its methods end the check when something is wrong: then they don't
// return.
type Script struct{ ctx context.Context }

// New returns a script that ends with ctx.
func New(ctx context.Context) Script { return Script{ctx} }

// Context is that of the check.
func (s Script) Context() context.Context { return s.ctx }

// Must ends the check when the judge can't continue.
func (Script) Must(err error) {
	if err != nil {
		panic(ended{err: &Stuck{At: place(), Err: err}})
	}
}

// Find ends the check: this is what is wrong.
func (s Script) Find(format string, args ...any) {
	s.End(finding.Finding{What: fmt.Sprintf(format, args...)})
}

// End ends the check with these findings.
func (Script) End(findings ...finding.Finding) { panic(ended{Outcome: Outcome{Findings: findings}}) }

// NotJudged ends the check without a verdict. The sentence says what the check would have needed.
func (Script) NotJudged(format string, args ...any) {
	panic(ended{Outcome: Outcome{NotJudged: fmt.Sprintf(format, args...)}})
}
