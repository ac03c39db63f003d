package lessons

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/fatih/color"

	"example.com/controller-course/tests/kit/repo"
)

// Diff shows what leads from a learner's files to the solution.
func Diff(ctx context.Context, number int, out io.Writer) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	return course(root).diff(ctx, number, out)
}

func (c course) diff(ctx context.Context, number int, out io.Writer) error {
	lesson, err := c.find(number)
	if err != nil {
		return err
	}
	solution, err := c.stripped(lesson)
	if err != nil {
		return err
	}
	if err := c.noteEdited(ctx, out, lesson); err != nil {
		return err
	}
	learners, err := read(lesson.Folder)
	if err != nil {
		return err
	}
	all := differences(c.short(lesson.Folder), learners.withoutTests(), c.short(lesson.Solution), solution)
	if len(all) == 0 {
		fmt.Fprintf(out, "%s is the same as the solution.\n", c.short(lesson.Folder))
		return nil
	}
	for _, difference := range all {
		for _, line := range lines([]byte(difference.Text)) {
			fmt.Fprintln(out, painted(line))
		}
	}
	return nil
}

// painted colours a line of a unified diff, where colours are shown.
func painted(line string) string {
	switch {
	case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		return color.New(color.Bold).Sprint(line)
	case strings.HasPrefix(line, "@@ "):
		return color.CyanString("%s", line)
	case strings.HasPrefix(line, "-"):
		return color.RedString("%s", line)
	case strings.HasPrefix(line, "+"):
		return color.GreenString("%s", line)
	default:
		return line
	}
}
