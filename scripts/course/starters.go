package main

import (
	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/lessons"
)

func newStartersCmd() *cobra.Command {
	var check, force bool
	command := &cobra.Command{
		Use:   "starters",
		Short: "Derive the lessons' starters from the solutions",
		Long: "Derives the Go files in lessons/ from those in solutions/, and in each lesson's README.md the difference to\n" +
			"the lesson before. It writes nothing if a file that it would write over was changed by hand.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if check {
				return lessons.CheckStarters()
			}
			return lessons.WriteStarters(cmd.Context(), force, cmd.OutOrStdout())
		},
	}
	command.Flags().BoolVar(&check, "check", false, "write nothing; fail if something is not what the solutions give")
	command.Flags().BoolVar(&force, "force", false, "write over files that were changed by hand")
	command.MarkFlagsMutuallyExclusive("check", "force")
	return command
}

func newCarryForwardCmd() *cobra.Command {
	var from int
	var since string
	command := &cobra.Command{
		Use:   "carry-forward --from N",
		Short: "Take a change of a solution into the solutions of the lessons after it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return lessons.CarryForward(cmd.Context(), from, since, cmd.OutOrStdout())
		},
	}
	command.Flags().IntVar(&from, "from", 0, "number of the lesson whose solution was changed")
	command.Flags().StringVar(&since, "since", "HEAD", "commit that has all solutions as they were before")
	if err := command.MarkFlagRequired("from"); err != nil {
		panic(err) // there is no such flag
	}
	return command
}
