package lessons

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mine is how a learner may have solved lesson 3 of the small course.
const mine = `	for i := range steps {
		if len(done) <= i {
			return steps[i]
		}
	}
`

func solveLesson3(t *testing.T) Course {
	t.Helper()
	c := newSmallCourse(t)
	const task = "\t// TODO(order): Find the step that is next.\n"
	c.edit(t, decideFile, task, task+mine)
	return c
}

func TestCarryBringsALearnersCodeAndTheNextLessonTogether(t *testing.T) {
	t.Parallel()
	c := solveLesson3(t)
	c.write(t, "lessons/03-reconcile/own.go", "package main\n")
	c.write(t, "lessons/03-reconcile/own_test.go", "package main\n")
	said := c.mustCarry(t, 4)

	want := readAll(t, c.Path("lessons/04-conditions"))
	if len(want) != 4 {
		t.Errorf("lesson 4 has %d files, want main.go, decide.go and the learner's two", len(want))
	}
	decide := want["decide.go"]
	wants(t, decide, mine, "// TODO(summary): Say whether all is done.\n\treturn \"Unknown\"")
	wants(t, want["main.go"], "summary(nil, nil)")
	if strings.Contains(decide, "TODO(order)") {
		t.Errorf("a task that is done was carried:\n%s", decide)
	}
	wants(t, said, "lessons/04-conditions continues from your code of lesson 3.")

	wants(t, c.mustCarry(t, 4), "lessons/04-conditions has your code of lesson 3 already.")
	if diff := cmp.Diff(want, readAll(t, c.Path("lessons/04-conditions"))); diff != "" {
		t.Errorf("the second time was another (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(c.Path(".cache/backup")); err == nil {
		t.Error("there is a backup of a starter")
	}
}

func TestCarryWithoutGitSaysWhatToInstall(t *testing.T) {
	c := solveLesson3(t)
	t.Setenv("PATH", t.TempDir())
	err := c.Carry(t.Context(), c.lesson(t, 4), &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "apt-get install git") {
		t.Errorf("carry: %v", err)
	}
}

func TestCarryLeavesTasksThatAreNotDone(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	c.edit(t, "lessons/03-reconcile/main.go", "limit = 3", "limit = 4")
	c.mustCarry(t, 4)
	wants(t, c.text(t, "lessons/04-conditions/decide.go"), "// TODO(order): Find the step that is next.\n\treturn \"\"", "// TODO(summary)")
	wants(t, c.text(t, "lessons/04-conditions/main.go"), "limit = 4", "summary(nil, nil)")
}

func TestCarryKeepsWhatWasInTheNextLesson(t *testing.T) {
	t.Parallel()
	c := solveLesson3(t)
	c.edit(t, "lessons/04-conditions/decide.go", `return "Unknown"`, `return "False"`)
	before := readAll(t, c.Path("lessons/04-conditions"))
	wants(t, c.mustCarry(t, 4), "What was in lessons/04-conditions is kept in .cache/backup/lesson-04/1.")
	if diff := cmp.Diff(before, readAll(t, c.Path(".cache/backup/lesson-04/1"))); diff != "" {
		t.Errorf("the backup is not what was there (-want +got):\n%s", diff)
	}
}

func TestCarryShowsConflicts(t *testing.T) {
	t.Parallel()
	c := solveLesson3(t)
	c.edit(t, "lessons/03-reconcile/main.go", "limit)\n", "limit, \"mine\")\n\tfmt.Println(\"also mine\")\n")
	var out bytes.Buffer
	if err := c.Carry(t.Context(), c.lesson(t, 4), &out); err != nil {
		t.Fatalf("carry fails, though it has carried: %v", err)
	}
	marks, err := Marks(c.Path("lessons/04-conditions"))
	if err != nil {
		t.Fatal(err)
	}
	if len(marks) != 1 || marks[0].File != "main.go" {
		t.Fatalf("the marks are %v, want one in main.go", marks)
	}
	wants(t, out.String(), "Carried. One file has conflicts to resolve:", fmt.Sprintf(":\n  lessons/04-conditions/main.go:%d\n", marks[0].Line),
		"After <<<<<<< is your code. After ======= is our code for lesson 4.", "make lesson-4 reset")
	wants(t, c.text(t, "lessons/04-conditions/main.go"), "<<<<<<< your lesson 3\n", "also mine", "\n=======\n", "summary(nil, nil)", "\n>>>>>>> lesson 4\n")
	wants(t, c.text(t, "lessons/04-conditions/decide.go"), mine)
}

func TestCarryTakesNoMarksAlong(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	c.edit(t, "lessons/04-conditions/main.go", "const limit = 3\n", "<<<<<<< your lesson 3\nconst limit = 4\n=======\nconst limit = 3\n>>>>>>> lesson 4\n")
	before := readAll(t, c.Path("lessons/05-observed-generation"))
	var out bytes.Buffer
	err := c.Carry(t.Context(), c.lesson(t, 5), &out)
	if err == nil {
		t.Fatal("carry takes code that still has conflicts")
	}
	wants(t, err.Error(), "lesson 5: nothing was carried, because your code of lesson 4 still has conflicts")
	wants(t, out.String(), "Marks of carry (<<<<<<<) are left in lessons/04-conditions, at\n  lessons/04-conditions/main.go:5\n", "After ======= is our code for lesson 4.", "make lesson-5 carry")
	if diff := cmp.Diff(before, readAll(t, c.Path("lessons/05-observed-generation"))); diff != "" {
		t.Errorf("carry has changed something (-want +got):\n%s", diff)
	}
}

func TestCarryOfFilesThatOneSideHasRemoved(t *testing.T) {
	t.Parallel()
	c := solveLesson3(t)
	for _, file := range []string{"lessons/03-reconcile/main.go", "solutions/04-conditions/decide.go"} {
		if err := os.Remove(c.Path(file)); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := c.Carry(t.Context(), c.lesson(t, 4), &out); err != nil {
		t.Fatalf("carry fails, though it has carried: %v", err)
	}
	wants(t, out.String(), "Carried. 2 files have conflicts to resolve",
		"main.go: your lesson 3 does not have it any more, lesson 4 has changed it",
		"decide.go: lesson 4 does not have it any more, your lesson 3 has changed it")
	wants(t, c.text(t, "lessons/04-conditions/main.go"), "summary(nil, nil)")
	wants(t, c.text(t, "lessons/04-conditions/decide.go"), mine)
	if strings.Contains(out.String(), "<<<<<<<") {
		t.Errorf("there are no marks, and carry speaks of them:\n%s", out.String())
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	const both = "<<<<<<< your lesson 3\na\n=======\nb\n>>>>>>> lesson 4\n"
	c.write(t, "x/a.go", "package x\n"+both+"\n"+both)
	c.write(t, "x/b.go", "package x\n\na\n=======\nb\n>>>>>>> lesson 4\n")
	c.write(t, "x/c.go", "package x\n")
	got, err := Marks(c.Path("x"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Mark{{"a.go", 2}, {"a.go", 8}, {"b.go", 4}, {"b.go", 6}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestThereIsNothingToCarry(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	before := readAll(t, c.Path("lessons/04-conditions"))
	for number, want := range map[int]string{
		3: "Lesson 3 starts afresh",
		4: "lessons/03-reconcile is still as you found it, so there is nothing to carry. Lesson 4 begins with the solution of lesson 3.",
	} {
		wants(t, c.mustCarry(t, number), want)
	}
	if diff := cmp.Diff(before, readAll(t, c.Path("lessons/04-conditions"))); diff != "" {
		t.Errorf("carry has changed something (-want +got):\n%s", diff)
	}
}

func (c Course) mustCarry(t *testing.T, number int) string {
	t.Helper()
	var out bytes.Buffer
	if err := c.Carry(t.Context(), c.lesson(t, number), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
