package campaigns

import (
	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/usage"
)

// LessonCommand returns the command that runs a campaign with the code of a lesson.
func LessonCommand() *cobra.Command {
	var flags flags
	command := usage.Command("campaign N", "Run your controller through every scenario under every fault", func(cmd *cobra.Command, l usage.Lesson) error {
		if err := l.MustRunSequences("so there is no campaign for it"); err != nil {
			return err
		}
		if err := l.MustHave(l.OwnCode()); err != nil {
			return err
		}
		flags.impl = l.Folder()
		return run(cmd.Context(), flags, cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
	flags.addTo(command)
	return command
}
