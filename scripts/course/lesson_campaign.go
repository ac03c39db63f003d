package main

import (
	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/campaigns"
)

func newLessonCampaignCmd() *cobra.Command {
	var flags campaigns.Flags
	command := lessonCmd("campaign N", "Run your controller through every scenario under every fault", func(cmd *cobra.Command, l lesson) error {
		if err := l.runsSequences("so there is no campaign for it"); err != nil {
			return err
		}
		if err := l.hasCode(); err != nil {
			return err
		}
		flags.Impl = l.folder()
		return campaigns.Run(cmd.Context(), flags, cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
	flags.AddTo(command)
	return command
}
