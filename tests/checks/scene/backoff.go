package scene

import (
	"fmt"
	"slices"
	"time"

	"example.com/controller-course/tests/kit/history"
)

// PausesBetween are the times from one try to the next.
func PausesBetween(tries []history.Request) []time.Duration {
	var pauses []time.Duration
	for i := 1; i < len(tries); i++ {
		pauses = append(pauses, tries[i].Received-tries[i-1].Received)
	}
	return pauses
}

// Grown says whether more than one pause is much longer than the shortest: a single one may be the machine's.
func Grown(pauses []time.Duration) bool {
	const much = 3
	inOrder := slices.Sorted(slices.Values(pauses))
	n := len(inOrder)
	return n > 2 && inOrder[n-2] >= much*inOrder[0]
}

func InMilliseconds(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }

// many is more often than a controller that backs off tries again in a run.
const Many = 100
