package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/tests/checks"
	findings "example.com/controller-course/tests/kit/finding"
)

func at(minute int) time.Time { return time.Date(2030, 1, 1, 12, minute, 0, 0, time.UTC) }

func verdict(id string, of result) checks.Verdict {
	v := checks.Verdict{Check: checks.Check{ID: id, Title: "Rule " + id}}
	switch of {
	case failed:
		v.Findings = []findings.Finding{{Check: findings.Check(id), Title: "Rule " + id, What: "It did not " + id + "."}}
	case skipped:
		v.Skipped = "it has no metrics"
	}
	return v
}

func TestProgressOfALesson(t *testing.T) {
	var l lessonProgress
	l.judged(at(1), []checks.Verdict{verdict("3.1", passed), verdict("3.2", failed), verdict("3.3", skipped)})
	l.blocked(at(2), "The controller compiles")
	want := lessonProgress{
		Begun: at(1), Judged: at(2), Blocked: "The controller compiles",
		Checks: map[string]*checkProgress{
			"3.1": {Result: passed, Passed: at(1)}, "3.2": {Result: failed}, "3.3": {Result: skipped, Passed: at(1)},
		},
	}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Errorf("when nothing could be judged (-want +got):\n%s", diff)
	}
	l.judged(at(3), []checks.Verdict{verdict("3.1", failed), verdict("3.2", passed)})
	l.finished(at(3))
	l.finished(at(4))
	want = lessonProgress{
		Begun: at(1), Judged: at(3), Finished: at(3),
		Checks: map[string]*checkProgress{
			"3.1": {Result: failed, Passed: at(1)}, "3.2": {Result: passed, Passed: at(3)}, "3.3": {Result: skipped, Passed: at(1)},
		},
	}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Errorf("later (-want +got):\n%s", diff)
	}
	if n := l.passing([]checks.Check{{ID: "3.1"}, {ID: "3.2"}, {ID: "3.3"}, {ID: "3.4"}}); n != 2 {
		t.Errorf("%d pass, want 2", n)
	}
	l.replaced()
	want = lessonProgress{
		Begun: at(1), Finished: at(3),
		Checks: map[string]*checkProgress{"3.1": {Passed: at(1)}, "3.2": {Passed: at(3)}, "3.3": {Passed: at(1)}},
	}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Errorf("with other code (-want +got):\n%s", diff)
	}
}

func TestProgressIsKept(t *testing.T) {
	var warning bytes.Buffer
	kept := progressFile{path: filepath.Join(t.TempDir(), "deep", "progress.json"), warning: &warning}
	if known, err := kept.read(); err != nil || len(known.Lessons) != 0 {
		t.Fatalf("before the first note: %v, %v", known, err)
	}
	const many = 20
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			if err := kept.change(t.Context(), func(p *progress) { p.lesson(3).check("3.1").Hints++ }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	known, err := kept.read()
	if err != nil || known.lesson(3).hints() != many || warning.Len() > 0 {
		t.Errorf("%d hints are noted, want %d; error %v, warning %q", known.lesson(3).hints(), many, err, &warning)
	}
}

func TestProgressThatCannotBeReadIsSetAside(t *testing.T) {
	var warning bytes.Buffer
	kept := progressFile{path: filepath.Join(t.TempDir(), "progress.json"), warning: &warning}
	if err := os.WriteFile(kept.path, []byte("{half"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := kept.change(t.Context(), func(p *progress) { p.lesson(3).check("3.1").Hints++ }); err != nil {
		t.Fatal(err)
	}
	if said := warning.String(); !strings.Contains(said, "can't be read") || !strings.Contains(said, "progress.json.broken") {
		t.Errorf("it said %q", said)
	}
	if text, err := os.ReadFile(kept.path + ".broken"); string(text) != "{half" {
		t.Errorf("what was set aside is %q, %v", text, err)
	}
	if known, err := kept.read(); err != nil || known.lesson(3).hints() != 1 {
		t.Errorf("afterwards: %v, %v", known, err)
	}
}

func TestProgressThatWasEditedByHand(t *testing.T) {
	kept := progressFile{path: filepath.Join(t.TempDir(), "progress.json")}
	if err := os.WriteFile(kept.path, []byte(`{"lessons": {"3": {"checks": {"3.1": null}}, "4": null}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	err := kept.change(t.Context(), func(p *progress) {
		p.lesson(4).replaced()
		p.lesson(3).replaced()
		if n := p.lesson(3).hints(); n != 0 {
			t.Errorf("%d hints were taken", n)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

func TestBoard(t *testing.T) {
	titled := func(number int, title string, ids ...string) lesson {
		l := lesson{judged: checks.Lesson{Number: number}}
		l.Number, l.Title = number, title
		for _, id := range ids {
			l.judged.Checks = append(l.judged.Checks, checks.Check{ID: id})
		}
		return l
	}
	known := progress{Lessons: map[int]*lessonProgress{
		1: {Begun: at(0), Finished: at(0).Add(75 * time.Minute), Checks: map[string]*checkProgress{"1.1": {Result: passed, Hints: 2}}},
		2: {Begun: at(0), Checks: map[string]*checkProgress{"2.1": {Result: passed}, "2.2": {Result: failed, Hints: 3}}},
	}}
	var got bytes.Buffer
	err := writeBoard(&got, []lesson{titled(1, "The control loop", "1.1"), titled(2, "The API", "2.1", "2.2"), titled(3, "Reconcile", "3.1")}, known, at(40))
	if err != nil {
		t.Fatal(err)
	}
	want := `LESSON                CHECKS   HINTS   TIME
1  The control loop   1 of 1   2       finished after 1 h 15 min
2  The API            1 of 2   3       begun 40 min ago
3  Reconcile          0 of 1   0       not begun
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("writeBoard (-want +got):\n%s", diff)
	}
}
