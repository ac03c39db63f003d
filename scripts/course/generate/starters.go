package generate

import (
	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/scripts/lessons"
	"example.com/controller-course/tests/checks"
)

// StartersCommand returns the command starters.
func StartersCommand() *cobra.Command {
	var check, force bool
	command := &cobra.Command{
		Use:   "starters",
		Short: "Derive the lessons' starters from the solutions",
		Long: "Derives the Go files in lessons/ from those in solutions/. Writes nothing if it would overwrite a file that was\n" +
			"edited by hand.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			course, err := lessons.Of(checks.Lessons())
			if err != nil {
				return err
			}
			if check {
				return course.CheckStarters()
			}
			return course.WriteStarters(cmd.Context(), force, cmd.OutOrStdout())
		},
	}
	command.Flags().BoolVar(&check, "check", false, "write nothing; fail if a file differs from what the solutions give")
	command.Flags().BoolVar(&force, "force", false, "overwrite files that were edited by hand")
	command.MarkFlagsMutuallyExclusive("check", "force")
	return command
}

// CarryForwardCommand returns the command carry-forward.
func CarryForwardCommand() *cobra.Command {
	var from int
	var since string
	command := &cobra.Command{
		Use:   "carry-forward --from N",
		Short: "Apply a change of a solution to the solutions of the lessons after it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			changed, err := usage.Find(from)
			if err != nil {
				return err
			}
			return changed.Course.CarryForward(cmd.Context(), changed.Lesson, since, cmd.OutOrStdout())
		},
	}
	command.Flags().IntVar(&from, "from", 0, "number of the lesson whose solution was changed")
	command.Flags().StringVar(&since, "since", "HEAD", "commit with all solutions as they were before the change")
	if err := command.MarkFlagRequired("from"); err != nil {
		panic(err) // the flag does not exist
	}
	return command
}
