// Package learn has the commands for learners.
package learn

import (
	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/usage"
)

// LessonCommand returns the command lesson.
func LessonCommand() *cobra.Command {
	command := usage.Command("lesson N", "Show where you are in a lesson, and what to do next", showWhere)
	command.AddCommand(testCommand(), watchCommand(), findingCommand(), hintCommand(), textCommand(), runCommand())
	command.AddCommand(fileCommands()...)
	return command
}
