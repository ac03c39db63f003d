package learn

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/record"
	"example.com/controller-course/scripts/course/report"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/scripts/lessons"
	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/repo"
)

// showWhere shows where a learner is in a lesson.
func showWhere(cmd *cobra.Command, l usage.Lesson) error {
	if err := l.MustHave(l.OwnCode()); err != nil {
		return err
	}
	known, err := record.Read(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	left, err := tasks(l.Course.Path(l.Folder()))
	if err != nil {
		return err
	}
	marks, err := lessons.Marks(l.Course.Path(l.Folder()))
	if err != nil {
		return err
	}
	begun := true
	if untouched, err := l.Course.Untouched(l.Lesson); err == nil { // an author may be changing the solution, from which it is derived
		begun = !untouched
	}
	writeWhere(cmd.OutOrStdout(), l, place{left, marks, begun}, known.Lesson(l.Number))
	return nil
}

// place is how far a learner's code is.
type place struct {
	left  []task
	marks []lessons.Mark // that carry has left
	begun bool           // it is not the starter any more
}

// A task is a TODO that is left in a learner's code.
type task struct {
	file string
	line int
	name string
	text string
}

var todo = regexp.MustCompile(`^\s*// TODO\(([a-z0-9-]+)\): (.*)$`)

// tasks returns the tasks that are left in the Go files of a folder.
func tasks(folder string) ([]task, error) {
	files, err := repo.Glob(folder, "*.go")
	if err != nil {
		return nil, err
	}
	var left []task
	for _, file := range files {
		found, err := tasksIn(file)
		if err != nil {
			return nil, err
		}
		left = append(left, found...)
	}
	return left, nil
}

func tasksIn(file string) ([]task, error) {
	text, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	var found []task
	lines := bufio.NewScanner(text)
	for n := 1; lines.Scan(); n++ {
		if parts := todo.FindStringSubmatch(lines.Text()); parts != nil {
			found = append(found, task{filepath.Base(file), n, parts[1], parts[2]})
		}
	}
	return found, lines.Err()
}

func writeWhere(out io.Writer, l usage.Lesson, at place, known *record.Lesson) {
	bold := color.New(color.Bold)
	fmt.Fprintf(out, "%s\n\n", bold.Sprintf("Lesson %d: %s", l.Number, l.Title))
	if len(at.marks) > 0 {
		fmt.Fprintf(out, "Marks of carry (<<<<<<<) are left in %s:\n", l.Folder())
		for _, mark := range at.marks {
			fmt.Fprintf(out, "  %s:%d\n", mark.File, mark.Line)
		}
		fmt.Fprintln(out)
	}
	if len(at.left) == 0 {
		fmt.Fprintf(out, "No TODO is left in %s.\n", l.Folder())
	} else {
		fmt.Fprintf(out, "To do in %s:\n", l.Folder())
		for _, one := range at.left {
			fmt.Fprintf(out, "  %-28s %s\n", fmt.Sprintf("%s:%d", one.file, one.line), one.text)
		}
	}
	fmt.Fprintf(out, "\n%s\n", state(l, known))
	for _, check := range l.Checks {
		fmt.Fprintf(out, "  %s\n", report.Line(known.Check(check.ID).Result, string(check.ID), check.Title))
	}
	fmt.Fprintf(out, "\n%s\n", strings.Join(finding.Wrap(nextStep(l, at, known), finding.Width), "\n"))
}

// writeLeft says which tasks are left, although all checks pass: not all that a lesson asks for can be seen from outside.
func writeLeft(out io.Writer, left []task) {
	if len(left) == 0 {
		return
	}
	var places []string
	for _, one := range left {
		places = append(places, fmt.Sprintf("%s (%s:%d)", one.name, one.file, one.line))
	}
	what := fmt.Sprintf("But the code still has a TODO for %s. The checks can't see everything: do these too, or remove the comments of those that you have done.",
		strings.Join(places, ", "))
	fmt.Fprintf(out, "%s\n", strings.Join(finding.Wrap(what, finding.Width), "\n"))
}

// state says how the checks went.
func state(l usage.Lesson, known *record.Lesson) string {
	switch {
	case known.Judged.IsZero():
		return fmt.Sprintf("Nothing has been judged yet. There are %s:", report.Checks(len(l.Checks)))
	case known.Blocked != "":
		return fmt.Sprintf("When it was judged last, nothing could be judged; what did not hold: %q. Before that:", known.Blocked)
	default:
		return fmt.Sprintf("When they were judged last, %d of %s passed:", known.Passing(l.Checks), report.Checks(len(l.Checks)))
	}
}

// nextStep says what to type next.
func nextStep(l usage.Lesson, at place, known *record.Lesson) string {
	this := usage.Goal(l.Number)
	switch {
	case len(at.marks) > 0:
		return fmt.Sprintf("Next: resolve the conflicts that carry has left at those lines. %s Then %s test.", lessons.HowToMend(l.Number), this)
	case known.Judged.IsZero() && l.Continues != 0 && !at.begun:
		return fmt.Sprintf("Next: %s carry, to continue with your own code; %s text to read what it is about; fill in the TODOs; %s test.", this, this, this)
	case known.Judged.IsZero():
		return fmt.Sprintf("Next: %s text to read what it is about; fill in the TODOs; %s test.", this, this)
	case known.Blocked != "":
		return fmt.Sprintf("Next: %s test, when it is fixed.", this)
	case known.Passing(l.Checks) < len(l.Checks):
		return fmt.Sprintf("Next: %s test, or %s watch to judge it at every save; %s hint if you are stuck.", this, this, this)
	case known.Finished.IsZero():
		return fmt.Sprintf("Next: %s test, which judges by the checks of earlier lessons too.", this)
	default:
		return whatFollows(l.Number)
	}
}

// whatFollows says what to do after a lesson.
func whatFollows(number int) string {
	return nextLesson(number) + fmt.Sprintf(" But first read what comes after the task in %s text: what is still broken, what to try, and three questions.",
		usage.Goal(number))
}

func nextLesson(number int) string {
	next, err := checks.Of(number + 1)
	switch {
	case err != nil:
		return "It is the last one so far. make progress shows the whole way."
	case next.Continues != 0:
		return fmt.Sprintf("Next: %s carry copies your code, then %s text.", usage.Goal(next.Number), usage.Goal(next.Number))
	}
	return fmt.Sprintf("Next: %s text.", usage.Goal(next.Number))
}
