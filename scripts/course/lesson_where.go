package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/lessons"
)

// runWhere shows where somebody is in a lesson.
func runWhere(cmd *cobra.Command, l lesson) error {
	if err := l.hasCode(); err != nil {
		return err
	}
	kept, err := openProgress(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	known, err := kept.read()
	if err != nil {
		return err
	}
	left, err := tasks(l.Folder)
	if err != nil {
		return err
	}
	marks, err := lessons.Marks(l.Folder)
	if err != nil {
		return err
	}
	begun := true
	if untouched, err := lessons.Untouched(l.Number); err == nil { // it is derived from the solution, which somebody may be changing
		begun = !untouched
	}
	writeWhere(cmd.OutOrStdout(), l, place{left, marks, begun}, known.lesson(l.Number))
	return nil
}

// place is how far somebody's code is.
type place struct {
	left  []task
	marks []lessons.Mark // of carry
	begun bool           // it is not as it was found any more
}

// A task is a TODO that is left in somebody's code.
type task struct {
	file string
	line int
	name string
	text string
}

var todo = regexp.MustCompile(`^\s*// TODO\(([a-z0-9-]+)\): (.*)$`)

// tasks are those that are left in the Go files of a folder.
func tasks(folder string) ([]task, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
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

func writeWhere(out io.Writer, l lesson, at place, known *lessonProgress) {
	bold := color.New(color.Bold)
	fmt.Fprintf(out, "%s\n\n", bold.Sprintf("Lesson %d: %s", l.Number, l.name()))
	if len(at.marks) > 0 {
		fmt.Fprintf(out, "Marks of carry (<<<<<<<) are left in %s:\n", l.folder())
		for _, mark := range at.marks {
			fmt.Fprintf(out, "  %s:%d\n", mark.File, mark.Line)
		}
		fmt.Fprintln(out)
	}
	if len(at.left) == 0 {
		fmt.Fprintf(out, "No TODO is left in %s.\n", l.folder())
	} else {
		fmt.Fprintf(out, "To do in %s:\n", l.folder())
		for _, one := range at.left {
			fmt.Fprintf(out, "  %-28s %s\n", fmt.Sprintf("%s:%d", one.file, one.line), one.text)
		}
	}
	fmt.Fprintf(out, "\n%s\n", state(l, known))
	for _, check := range l.judged.Checks {
		fmt.Fprintf(out, "  %s\n", resultLine(known.check(check.ID).Result, check))
	}
	fmt.Fprintf(out, "\n%s\n", nextStep(l, at, known))
}

// state says how the checks went.
func state(l lesson, known *lessonProgress) string {
	switch {
	case known.Judged.IsZero():
		return fmt.Sprintf("Nothing has been judged yet. There are %s:", countChecks(len(l.judged.Checks)))
	case known.Blocked != "":
		return fmt.Sprintf("When it was judged last, nothing could be judged; what did not hold: %q. Before that:", known.Blocked)
	default:
		return fmt.Sprintf("When they were judged last, %d of %s passed:", known.passing(l.judged.Checks), countChecks(len(l.judged.Checks)))
	}
}

// nextStep says what to type next.
func nextStep(l lesson, at place, known *lessonProgress) string {
	this := goal(l.Number)
	switch {
	case len(at.marks) > 0:
		return fmt.Sprintf("Next: bring together what carry has left at those lines. %s Then %s test.", lessons.HowToMend, this)
	case known.Judged.IsZero() && l.Number > firstController && !at.begun:
		return fmt.Sprintf("Next: %s carry, to go on from your own code; %s text to read what it is about; fill in the TODOs; %s test.", this, this, this)
	case known.Judged.IsZero():
		return fmt.Sprintf("Next: %s text to read what it is about; fill in the TODOs; %s test.", this, this)
	case known.Blocked != "":
		return fmt.Sprintf("Next: %s test, when it is mended.", this)
	case known.passing(l.judged.Checks) < len(l.judged.Checks):
		return fmt.Sprintf("Next: %s test, or %s watch to have it judged at every save; %s hint if you are stuck.", this, this, this)
	case known.Finished.IsZero():
		return fmt.Sprintf("Next: %s test, which judges by the checks of earlier lessons too.", this)
	default:
		return whatFollows(l.Number)
	}
}
