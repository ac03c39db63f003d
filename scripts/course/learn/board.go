package learn

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/record"
	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/lesson"
)

// ProgressCommand returns the command progress.
func ProgressCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "progress",
		Short: "Show how far you are in the course",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			known, err := record.Read(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return writeBoard(cmd.OutOrStdout(), checks.Lessons(), known, time.Now())
		},
	}
}

// writeBoard writes a line for each lesson.
func writeBoard(out io.Writer, all []lesson.Lesson, known record.Record, now time.Time) error {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "LESSON\tCHECKS\tHINTS\tPROGRESS")
	for _, l := range all {
		of := known.Lesson(l.Number)
		fmt.Fprintf(table, "%d  %s\t%d of %d\t%d\t%s\n", l.Number, l.Title, of.Passing(l.Checks), len(l.Checks), of.Hints(), sinceFirstTest(of, now))
	}
	return table.Flush()
}

// sinceFirstTest is how long after it was judged first a lesson was finished, or how long ago that was. What a
// learner read and wrote before the first test is not in it.
func sinceFirstTest(of *record.Lesson, now time.Time) string {
	switch {
	case of.Begun.IsZero():
		return "not tested yet"
	case of.Finished.IsZero():
		return "first test " + inWords(now.Sub(of.Begun)) + " ago"
	case of.Finished.Equal(of.Begun):
		return "finished with the first test"
	default:
		return "finished " + inWords(of.Finished.Sub(of.Begun)) + " after the first test"
	}
}

// inWords is a duration in its largest two units.
func inWords(d time.Duration) string {
	minutes := int(d.Minutes())
	switch {
	case minutes < 1:
		return "less than a minute"
	case minutes < 60:
		return fmt.Sprintf("%d min", minutes)
	case minutes < 24*60:
		return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
	default:
		return fmt.Sprintf("%d d %d h", minutes/60/24, minutes/60%24)
	}
}
