// Package record keeps what a learner has done so far, in .cache/progress.json.
package record

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

	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/alive"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/lesson"
)

// Record is what is known about a learner's progress in the course.
type Record struct {
	Lessons map[int]*Lesson `json:"lessons"`
}

// Lesson is what is known about a lesson.
type Lesson struct {
	Begun    time.Time            `json:"begun,omitzero"`    // when it was first judged: the start of that run
	Judged   time.Time            `json:"judged,omitzero"`   // when it was judged last
	Finished time.Time            `json:"finished,omitzero"` // when everything passed first
	Blocked  string               `json:"blocked,omitempty"` // why nothing could be judged last time
	Root     lesson.ID            `json:"root,omitempty"`    // the failed check to start with, when all were judged last
	Checks   map[lesson.ID]*Check `json:"checks"`
}

// Check is what is known about a check.
type Check struct {
	Result Result    `json:"result,omitempty"` // when it was judged last
	Passed time.Time `json:"passed,omitzero"`  // when it passed first
	Failed time.Time `json:"failed,omitzero"`  // when it failed last
	Hints  int       `json:"hints,omitempty"`  // how many the learner has taken
	Hinted time.Time `json:"hinted,omitzero"`  // when the learner took the last of these
}

// Result is the result of a check; empty if it has not been judged yet.
type Result string

const (
	Passed    Result = "passed"
	Failed    Result = "failed"
	NotJudged Result = "not judged"
)

// ResultOf returns the result of a verdict.
func ResultOf(verdict judge.Verdict) Result {
	switch {
	case len(verdict.Findings) > 0:
		return Failed
	case verdict.NotJudged != "":
		return NotJudged
	default:
		return Passed
	}
}

// Lesson returns what is known about a lesson; never nil.
func (r *Record) Lesson(number int) *Lesson {
	if r.Lessons == nil {
		r.Lessons = map[int]*Lesson{}
	}
	if r.Lessons[number] == nil {
		r.Lessons[number] = &Lesson{}
	}
	return r.Lessons[number]
}

// Check returns what is known about a check; never nil.
func (l *Lesson) Check(id lesson.ID) *Check {
	if l.Checks == nil {
		l.Checks = map[lesson.ID]*Check{}
	}
	if l.Checks[id] == nil {
		l.Checks[id] = &Check{}
	}
	return l.Checks[id]
}

// Judge notes the verdicts of a lesson's checks.
func (l *Lesson) Judge(now time.Time, verdicts []judge.Verdict) {
	l.Judged, l.Blocked = now, ""
	for _, verdict := range verdicts {
		check := l.Check(verdict.Check.ID)
		check.Result = ResultOf(verdict)
		switch {
		case check.Result == Failed:
			check.Failed = now
		case check.Result == Passed && check.Passed.IsZero():
			check.Passed = now
		}
	}
}

// Block notes why nothing could be judged. Earlier results of the checks stay.
func (l *Lesson) Block(now time.Time, why string) {
	l.Judged, l.Blocked = now, why
}

// Begin notes that a run has started in which the lesson is judged.
func (l *Lesson) Begin(now time.Time) {
	if l.Begun.IsZero() {
		l.Begun = now
	}
}

// Replace notes that the judged code is gone. What the learner did with it still counts.
func (l *Lesson) Replace() {
	l.Judged, l.Blocked = time.Time{}, ""
	for id := range l.Checks {
		l.Check(id).Result = ""
	}
}

// Finish notes that everything passes that a lesson requires, in a run since began. The first run counts as no time.
func (l *Lesson) Finish(began, now time.Time) {
	switch {
	case !l.Finished.IsZero():
	case l.Begun.Equal(began):
		l.Finished = began
	default:
		l.Finished = now
	}
}

// Passing is how many of the checks passed when they were judged last.
func (l *Lesson) Passing(all []lesson.Check) int {
	n := 0
	for _, check := range all {
		if known := l.Checks[check.ID]; known != nil && known.Result == Passed {
			n++
		}
	}
	return n
}

// Hints is how many hints the learner has taken.
func (l *Lesson) Hints() int {
	n := 0
	for id := range l.Checks {
		n += l.Check(id).Hints
	}
	return n
}

// Read returns the learner's record, which is empty at first. A file that can't be read is set aside, and the
// learner is warned.
func Read(warning io.Writer) (Record, error) {
	f, err := open(warning)
	if err != nil {
		return Record{}, err
	}
	return f.read()
}

// Change changes the learner's record while no other command does.
func Change(ctx context.Context, warning io.Writer, change func(*Record)) error {
	f, err := open(warning)
	if err != nil {
		return err
	}
	return f.change(ctx, change)
}

// A file is where a record is kept.
type file struct {
	path    string
	warning io.Writer
}

func open(warning io.Writer) (file, error) {
	root, err := repo.Root()
	return file{path: filepath.Join(root, ".cache", "progress.json"), warning: warning}, err
}

func (f file) read() (Record, error) {
	var known Record
	text, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err != nil {
		return known, fmt.Errorf("read your progress: %w", err)
	}
	if err := json.Unmarshal(text, &known); err != nil {
		return Record{}, f.setAside(err)
	}
	return known, nil
}

func (f file) setAside(why error) error {
	broken := f.path + ".broken"
	if err := os.Rename(f.path, broken); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("set your progress aside, which can't be read (%w): %w", why, err)
	}
	fmt.Fprintf(f.warning, "Your progress in %s can't be read (%v), so it starts from the beginning. The file is kept as %s.\n",
		repo.Short(f.path), why, repo.Short(broken))
	return nil
}

func (f file) change(ctx context.Context, change func(*Record)) error {
	// The others take no time, so nobody has to read that this waits for them.
	unlock, err := alive.To(io.Discard).Lock(ctx, f.path+".lock", "another command that notes your progress")
	if err != nil {
		return err
	}
	defer unlock()
	known, err := f.read()
	if err != nil {
		return err
	}
	change(&known)
	text, err := json.MarshalIndent(known, "", "  ")
	if err != nil {
		return err
	}
	if err := repo.Replace(f.path, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("note your progress: %w", err)
	}
	return nil
}
