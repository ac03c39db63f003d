package lessons

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/fatih/color"

	"example.com/controller-course/tests/lesson"
)

// Diff shows how a lesson's solution differs from that of the lesson it continues, file by file, and then what leads
// from a learner's files to the solution.
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
	if err := c.summarize(l, solution, out); err != nil {
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

// summarize lists the files in which a lesson's solution differs from that of the lesson it continues.
func (c Course) summarize(l lesson.Lesson, solution Files, out io.Writer) error {
	if l.Continues == 0 {
		return nil
	}
	before, err := lesson.Find(c.lessons, l.Continues)
	if err != nil {
		return err
	}
	from, err := c.stripped(before)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "From %s to %s:\n", before.Solution(), l.Solution())
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, difference := range differences(before.Solution(), from, l.Solution(), solution) {
		fmt.Fprintf(table, "  %s\t+%d -%d\n", difference.File, difference.Added, difference.Removed)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\nFrom %s to %s:\n", l.Folder(), l.Solution())
	return err
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
