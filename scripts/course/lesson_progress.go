package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/kit/repo"
)

// Progress is what is known of somebody's way through the course.
type progress struct {
	Lessons map[int]*lessonProgress `json:"lessons"`
}

type lessonProgress struct {
	Begun    time.Time                 `json:"begun,omitzero"`    // when it was judged first
	Judged   time.Time                 `json:"judged,omitzero"`   // when it was judged last
	Finished time.Time                 `json:"finished,omitzero"` // when everything passed first
	Blocked  string                    `json:"blocked,omitempty"` // why nothing could be judged then
	Checks   map[string]*checkProgress `json:"checks"`
}

type checkProgress struct {
	Result result    `json:"result,omitempty"` // when it was judged last
	Passed time.Time `json:"passed,omitzero"`  // when it passed first
	Hints  int       `json:"hints,omitempty"`  // how many were taken
}

// A result is what came of a check; empty when it has not been judged yet.
type result string

const (
	passed  result = "passed"
	failed  result = "failed"
	skipped result = "skipped"
)

func resultOf(verdict checks.Verdict) result {
	switch {
	case len(verdict.Findings) > 0:
		return failed
	case verdict.Skipped != "":
		return skipped
	default:
		return passed
	}
}

// lesson is what is known of a lesson; never nil.
func (p *progress) lesson(number int) *lessonProgress {
	if p.Lessons == nil {
		p.Lessons = map[int]*lessonProgress{}
	}
	if p.Lessons[number] == nil {
		p.Lessons[number] = &lessonProgress{}
	}
	return p.Lessons[number]
}

// check is what is known of a check; never nil.
func (l *lessonProgress) check(id string) *checkProgress {
	if l.Checks == nil {
		l.Checks = map[string]*checkProgress{}
	}
	if l.Checks[id] == nil {
		l.Checks[id] = &checkProgress{}
	}
	return l.Checks[id]
}

// judged notes what came of a lesson's checks.
func (l *lessonProgress) judged(now time.Time, verdicts []checks.Verdict) {
	l.begin(now)
	l.Blocked = ""
	for _, verdict := range verdicts {
		check := l.check(verdict.Check.ID)
		check.Result = resultOf(verdict)
		if check.Result != failed && check.Passed.IsZero() {
			check.Passed = now
		}
	}
}

// blocked notes why nothing could be judged. What the checks said before still stands.
func (l *lessonProgress) blocked(now time.Time, why string) {
	l.begin(now)
	l.Blocked = why
}

func (l *lessonProgress) begin(now time.Time) {
	if l.Begun.IsZero() {
		l.Begun = now
	}
	l.Judged = now
}

// replaced notes that the code is gone that was judged. What was done with it still counts.
func (l *lessonProgress) replaced() {
	l.Judged, l.Blocked = time.Time{}, ""
	for id := range l.Checks {
		l.check(id).Result = ""
	}
}

// finished notes that everything passes that a lesson asks for.
func (l *lessonProgress) finished(now time.Time) {
	if l.Finished.IsZero() {
		l.Finished = now
	}
}

// passing is how many of the checks passed when they were judged last.
func (l *lessonProgress) passing(all []checks.Check) int {
	n := 0
	for _, check := range all {
		if known := l.Checks[check.ID]; known != nil && (known.Result == passed || known.Result == skipped) {
			n++
		}
	}
	return n
}

// hints is how many hints were taken.
func (l *lessonProgress) hints() int {
	n := 0
	for id := range l.Checks {
		n += l.check(id).Hints
	}
	return n
}

// A progressFile is where somebody's progress is kept.
type progressFile struct {
	path    string
	warning io.Writer // is told when the file can't be read
}

func openProgress(warning io.Writer) (progressFile, error) {
	root, err := repo.Root()
	return progressFile{path: filepath.Join(root, ".cache", "progress.json"), warning: warning}, err
}

// read returns the progress; none if there is no file yet. A file that can't be read is set aside.
func (f progressFile) read() (progress, error) {
	var known progress
	text, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err != nil {
		return known, fmt.Errorf("read your progress: %w", err)
	}
	if err := json.Unmarshal(text, &known); err != nil {
		return progress{}, f.setAside(err)
	}
	return known, nil
}

func (f progressFile) setAside(why error) error {
	broken := f.path + ".broken"
	if err := os.Rename(f.path, broken); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("set your progress aside, which can't be read (%w): %w", why, err)
	}
	fmt.Fprintf(f.warning, "Your progress in %s can't be read (%v), so it begins anew. The file is kept as %s.\n",
		fromHere(f.path), why, fromHere(broken))
	return nil
}

// change changes the progress while nobody else does.
func (f progressFile) change(ctx context.Context, change func(*progress)) error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return err
	}
	lock := flock.New(f.path + ".lock")
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return fmt.Errorf("wait for another command that notes your progress: %w", err)
	}
	defer func() { _ = lock.Unlock() }()
	known, err := f.read()
	if err != nil {
		return err
	}
	change(&known)
	text, err := json.MarshalIndent(known, "", "  ")
	if err != nil {
		return err
	}
	written := f.path + ".new"
	if err := os.WriteFile(written, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("note your progress: %w", err)
	}
	return os.Rename(written, f.path)
}
