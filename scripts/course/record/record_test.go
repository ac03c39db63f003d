package record

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/lesson"
)

func at(minute int) time.Time { return time.Date(2030, 1, 1, 12, minute, 0, 0, time.UTC) }

func verdict(id lesson.ID, of Result) judge.Verdict {
	v := judge.Verdict{Check: lesson.Check{ID: id}}
	switch of {
	case Failed:
		v.Findings = []finding.Finding{{What: "It failed."}}
	case NotJudged:
		v.NotJudged = "it needs metrics"
	}
	return v
}

func TestRecordOfALesson(t *testing.T) {
	var l Lesson
	l.Begin(at(0))
	l.Judge(at(1), []judge.Verdict{verdict("3.1", Passed), verdict("3.2", Failed), verdict("3.3", NotJudged)})
	l.Block(at(2), "The controller compiles")
	want := Lesson{
		Begun: at(0), Judged: at(2), Blocked: "The controller compiles",
		Checks: map[lesson.ID]*Check{
			"3.1": {Result: Passed, Passed: at(1)}, "3.2": {Result: Failed, Failed: at(1)}, "3.3": {Result: NotJudged},
		},
	}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Errorf("when nothing could be judged (-want +got):\n%s", diff)
	}
	l.Judge(at(3), []judge.Verdict{verdict("3.1", Failed), verdict("3.2", Passed)})
	l.Begin(at(2))
	l.Finish(at(2), at(3))
	l.Finish(at(3), at(4))
	want = Lesson{
		Begun: at(0), Judged: at(3), Finished: at(3),
		Checks: map[lesson.ID]*Check{
			"3.1": {Result: Failed, Passed: at(1), Failed: at(3)}, "3.2": {Result: Passed, Passed: at(3), Failed: at(1)}, "3.3": {Result: NotJudged},
		},
	}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Errorf("later (-want +got):\n%s", diff)
	}
	if n := l.Passing([]lesson.Check{{ID: "3.1"}, {ID: "3.2"}, {ID: "3.3"}, {ID: "3.4"}}); n != 1 {
		t.Errorf("%d pass, want 1", n)
	}
	l.Replace()
	want = Lesson{
		Begun: at(0), Finished: at(3),
		Checks: map[lesson.ID]*Check{"3.1": {Passed: at(1), Failed: at(3)}, "3.2": {Passed: at(3), Failed: at(1)}, "3.3": {}},
	}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Errorf("with other code (-want +got):\n%s", diff)
	}
}

func TestRecordIsKept(t *testing.T) {
	var warning bytes.Buffer
	kept := file{path: filepath.Join(t.TempDir(), "deep", "progress.json"), warning: &warning}
	if known, err := kept.read(); err != nil || len(known.Lessons) != 0 {
		t.Fatalf("before the first note: %v, %v", known, err)
	}
	const many = 20
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			if err := kept.change(t.Context(), func(p *Record) { p.Lesson(3).Check("3.1").Hints++ }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	known, err := kept.read()
	if err != nil || known.Lesson(3).Hints() != many || warning.Len() > 0 {
		t.Errorf("%d hints are noted, want %d; error %v, warning %q", known.Lesson(3).Hints(), many, err, &warning)
	}
}

func TestRecordThatCannotBeReadIsSetAside(t *testing.T) {
	var warning bytes.Buffer
	kept := file{path: filepath.Join(t.TempDir(), "progress.json"), warning: &warning}
	if err := os.WriteFile(kept.path, []byte("{half"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := kept.change(t.Context(), func(p *Record) { p.Lesson(3).Check("3.1").Hints++ }); err != nil {
		t.Fatal(err)
	}
	if said := warning.String(); !strings.Contains(said, "can't be read") || !strings.Contains(said, "progress.json.broken") {
		t.Errorf("it said %q", said)
	}
	if text, err := os.ReadFile(kept.path + ".broken"); string(text) != "{half" {
		t.Errorf("what was set aside is %q, %v", text, err)
	}
	if known, err := kept.read(); err != nil || known.Lesson(3).Hints() != 1 {
		t.Errorf("afterwards: %v, %v", known, err)
	}
}

func TestRecordThatWasEditedByHand(t *testing.T) {
	kept := file{path: filepath.Join(t.TempDir(), "progress.json")}
	if err := os.WriteFile(kept.path, []byte(`{"lessons": {"3": {"checks": {"3.1": null}}, "4": null}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	err := kept.change(t.Context(), func(p *Record) {
		p.Lesson(4).Replace()
		p.Lesson(3).Replace()
		if n := p.Lesson(3).Hints(); n != 0 {
			t.Errorf("%d hints were taken", n)
		}
	})
	if err != nil {
		t.Error(err)
	}
}
