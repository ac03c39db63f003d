package usage

import (
	"fmt"

	"example.com/controller-course/tests/lesson"
)

// Goal is the beginning of each command about a lesson.
func Goal(number int) string { return fmt.Sprintf("make lesson-%d", number) }

// Check is how a user chooses a check in a command.
func Check(id lesson.ID) string { return " CHECK=" + string(id) }

// Test is the command that judges by a check, in the lesson that has it.
func Test(id lesson.ID) string { return Goal(id.Lesson()) + " test" + Check(id) }

// Finding is the command that shows what the last run found by a check, in the lesson that has it.
func Finding(id lesson.ID) string { return Goal(id.Lesson()) + " finding" + Check(id) }

// Hint is the command that helps with a check, in the lesson that has it.
func Hint(id lesson.ID) string { return Goal(id.Lesson()) + " hint" + Check(id) }
