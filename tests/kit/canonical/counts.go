package canonical

import (
	"fmt"

	"example.com/controller-course/tests/kit/history"
)

// Count is how many Jobs that stand for the same step came and went.
type Count struct{ Created, Deleted int }

// Counts are those of a run, by what the Jobs stand for.
type Counts map[history.Logical]Count

// CountJobs counts the Jobs that came and went up to a resourceVersion.
func CountJobs(changes []history.Change, frontier uint64) Counts {
	counts := Counts{}
	for _, change := range changes {
		if change.Resource != "jobs" || change.ResourceVersion > frontier || change.Initial {
			continue
		}
		logical := history.LogicalOf(change.Object)
		count := counts[logical]
		switch change.Type {
		case "ADDED":
			count.Created++
		case "DELETED":
			count.Deleted++
		default:
			continue
		}
		counts[logical] = count
	}
	return counts
}

// DiffCounts tells in what two counts differ, a line for each difference; none when they are equal.
func DiffCounts(want, got Counts) []string {
	var lines []string
	for _, logical := range keys(want, got) {
		if wanted, counted := want[logical], got[logical]; counted != wanted {
			lines = append(lines, fmt.Sprintf("%s: %s, should be %s", logical, counted, wanted))
		}
	}
	return lines
}

func (c Count) String() string { return fmt.Sprintf("%d created and %d deleted", c.Created, c.Deleted) }
