package learn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/scripts/course/record"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/scripts/lessons"
	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/lesson"
)

func TestWhere(t *testing.T) {
	folder := t.TempDir()
	code := "package main\n\nfunc decide() {\n\t// TODO(order): Find the step whose turn it is.\n\t// It gets a Job.\n\t// TODO: this is the learner's own.\n}\n"
	if err := os.WriteFile(filepath.Join(folder, "decide.go"), []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	left, err := tasks(folder)
	if err != nil {
		t.Fatal(err)
	}
	l := usage.Lesson{Lesson: lesson.Lesson{
		Number: 3, Slug: "03-reconcile", Title: "Reconcile",
		Checks: []lesson.Check{{ID: "3.1", Title: "The first"}, {ID: "3.2", Title: "The second"}},
	}}

	var got strings.Builder
	writeWhere(&got, l, place{left: left}, &record.Lesson{Judged: at(1), Checks: map[lesson.ID]*record.Check{"3.1": {Result: record.Passed}, "3.2": {Result: record.Failed}}})
	want := `Lesson 3: Reconcile

To do in lessons/03-reconcile:
  decide.go:4                  Find the step whose turn it is.

When they were judged last, 1 of 2 checks passed:
  ✓ 3.1   The first
  ✗ 3.2   The second

Next: make lesson-3 test, or make lesson-3 watch to judge it at every save; make
lesson-3 hint if you are stuck.
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("writeWhere (-want +got):\n%s", diff)
	}
}

func TestWhereSaysWhatCarryHasLeft(t *testing.T) {
	l := usage.Lesson{Lesson: lesson.Lesson{
		Number: 4, Slug: "04-conditions", Title: "Status", Checks: []lesson.Check{{ID: "4.1", Title: "The first"}},
	}}
	var got strings.Builder
	writeWhere(&got, l, place{begun: true, marks: []lessons.Mark{{File: "decide.go", Line: 7}}}, &record.Lesson{})
	for _, want := range []string{"Marks of carry (<<<<<<<) are left in lessons/04-conditions:\n  decide.go:7\n", "Next: resolve the conflicts"} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, got.String())
		}
	}
}

func TestNextStep(t *testing.T) {
	l := usage.Lesson{Lesson: lesson.Lesson{Number: 3, Checks: []lesson.Check{{ID: "3.1"}}}}
	after := l
	after.Number, after.Continues = 5, 4
	marks := []lessons.Mark{{File: "decide.go", Line: 7}}
	all := map[lesson.ID]*record.Check{"3.1": {Result: record.Passed}}
	for name, test := range map[string]struct {
		of    usage.Lesson
		at    place
		known record.Lesson
		says  string
	}{
		"before the first run":          {l, place{}, record.Lesson{}, "Next: make lesson-3 text"},
		"when there is code to carry":   {after, place{}, record.Lesson{}, "Next: make lesson-5 carry"},
		"when it was carried":           {after, place{begun: true}, record.Lesson{}, "Next: make lesson-5 text"},
		"when carry has left marks":     {after, place{begun: true, marks: marks}, record.Lesson{Judged: at(1)}, "Next: resolve the conflicts that carry has left at those lines. After ======= is our code for lesson 5."},
		"when nothing could be judged":  {l, place{}, record.Lesson{Judged: at(1), Blocked: "x"}, "Next: make lesson-3 test, when it is fixed."},
		"when earlier checks are left":  {l, place{}, record.Lesson{Judged: at(1), Checks: all}, "Next: make lesson-3 test, which judges by the checks of earlier lessons too."},
		"when the lesson is finished":   {l, place{}, record.Lesson{Judged: at(1), Finished: at(1), Checks: all}, "Next: make lesson-4 carry copies your code, then make lesson-4 text."},
		"when it was, and fails by now": {l, place{}, record.Lesson{Judged: at(2), Finished: at(1)}, "Next: make lesson-3 test, or make lesson-3 watch"},
	} {
		if got := nextStep(test.of, test.at, &test.known); !strings.HasPrefix(got, test.says) {
			t.Errorf("%s: %q, want %q", name, got, test.says)
		}
	}
}

func TestWhatFollows(t *testing.T) {
	last := checks.Lessons()[len(checks.Lessons())-1].Number
	for number, want := range map[int]string{1: "Next: make lesson-2 text.", 3: "Next: make lesson-4 carry", last: "It is the last one so far."} {
		if got := whatFollows(number); !strings.HasPrefix(got, want) {
			t.Errorf("after lesson %d: %q, want %q", number, got, want)
		}
	}
}

func TestTasksThatAreLeftAlthoughAllChecksPass(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	writeLeft(&out, nil)
	if out.Len() > 0 {
		t.Errorf("without tasks: %q", out.String())
	}
	writeLeft(&out, []task{{file: "cache.go", line: 24, name: "strip"}, {file: "requeue.go", line: 19, name: "unwatched"}})
	if got := strings.ReplaceAll(out.String(), "\n", " "); !strings.Contains(got, "a TODO for strip (cache.go:24), unwatched (requeue.go:19).") {
		t.Errorf("writeLeft: %q", got)
	}
}
