package finding

import (
	"fmt"
	"slices"
	"time"

	"example.com/controller-course/tests/kit/history"
)

// Waited begins the sentence that says what the controller does not do: it had been waited for that long when it was given up. A
// fault that is still active may hold back an event on purpose.
func Waited(run history.Run, since time.Duration) string {
	if slices.ContainsFunc(run.Faults, func(f history.Strike) bool { return f.Healed == 0 }) {
		return fmt.Sprintf("For %.0f s nothing new reached your controller, and ", since.Seconds())
	}
	return fmt.Sprintf("With no fault active for %.0f s, ", since.Seconds())
}
