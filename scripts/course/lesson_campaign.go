package main

import "github.com/spf13/cobra"

func newLessonCampaignCmd() *cobra.Command {
	var flags campaignFlags
	command := lessonCmd("campaign N", "Run your controller through every scenario under every fault", func(cmd *cobra.Command, l lesson) error {
		if err := l.runsSequences("so there is no campaign for it"); err != nil {
			return err
		}
		if err := l.hasCode(); err != nil {
			return err
		}
		flags.impl = l.folder()
		return runCampaign(cmd.Context(), flags, cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
	command.Flags().StringVar(&flags.plan, "plan", "", "run only this plan, as a finding names it")
	command.Flags().StringSliceVar(&flags.scenarios, "scenario", nil, "run only these scenarios")
	command.Flags().BoolVar(&flags.smoke, "smoke", false, "run a fixed sample of the plans")
	command.MarkFlagsMutuallyExclusive("plan", "smoke")
	command.MarkFlagsMutuallyExclusive("plan", "scenario")
	flags.repeat = 1
	return command
}
