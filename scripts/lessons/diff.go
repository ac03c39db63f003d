package lessons

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/fatih/color"

	"example.com/controller-course/tests/lesson"
)

// Diff shows what leads from a learner's files to the solution.
func (c Course) Diff(ctx context.Context, l lesson.Lesson, out io.Writer) error {
	solution, err := c.stripped(l)
	if err != nil {
		return err
	}
	if err := c.noteEdited(ctx, out, l); err != nil {
		return err
	}
	learners, err := read(c.Path(l.Folder()))
	if err != nil {
		return err
	}
	all := differences(l.Folder(), learners.withoutTests(), l.Solution(), solution)
	if len(all) == 0 {
		fmt.Fprintf(out, "%s is the same as the solution.\n", l.Folder())
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
