package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"example.com/controller-course/tests/checks"
)

func newProgressCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "progress",
		Short: "Show how far you are in the course",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			kept, err := openProgress(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			known, err := kept.read()
			if err != nil {
				return err
			}
			var all []lesson
			for _, one := range checks.Lessons() {
				found, err := findLesson(one.Number)
				if err != nil {
					return err
				}
				all = append(all, found)
			}
			return writeBoard(cmd.OutOrStdout(), all, known, time.Now())
		},
	}
}

// writeBoard writes a line for each lesson.
func writeBoard(out io.Writer, all []lesson, known progress, now time.Time) error {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "LESSON\tCHECKS\tHINTS\tTIME")
	for _, l := range all {
		of := known.lesson(l.Number)
		fmt.Fprintf(table, "%d  %s\t%d of %d\t%d\t%s\n", l.Number, l.name(), of.passing(l.judged.Checks), len(l.judged.Checks), of.hints(), duration(of, now))
	}
	return table.Flush()
}

// duration is how long a lesson took, or has taken since it was judged first.
func duration(of *lessonProgress, now time.Time) string {
	switch {
	case of.Begun.IsZero():
		return "not begun"
	case of.Finished.IsZero():
		return "begun " + inWords(now.Sub(of.Begun)) + " ago"
	default:
		return "finished after " + inWords(of.Finished.Sub(of.Begun))
	}
}

// inWords is a duration as one would say it, in its largest two units.
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
