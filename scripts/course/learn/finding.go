package learn

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/report"
	"example.com/controller-course/scripts/course/runs"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/lesson"
)

func findingCommand() *cobra.Command {
	var id string
	command := usage.Command("finding N", "Show a finding of the last run again, without judging", func(cmd *cobra.Command, l usage.Lesson) error {
		if id := lesson.ID(id); id != "" && !slices.Contains(l.HeldTo, id.Lesson()) { // of those, its last run may have judged some
			if _, err := l.Check(id, usage.Finding); err != nil {
				return err
			}
		}
		folder, err := runs.Folder(fmt.Sprintf("lesson-%02d", l.Number))
		if err != nil {
			return err
		}
		last, err := report.Last(l, folder)
		if err != nil {
			return err
		}
		if id != "" {
			return last.Show(cmd.OutOrStdout(), lesson.ID(id))
		}
		return last.ShowProblem(cmd.OutOrStdout())
	})
	command.Flags().StringVar(&id, "check", "", "the check whose finding to show")
	return command
}
