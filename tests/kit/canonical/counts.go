package canonical

import (
	"fmt"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
)

// Count is how many objects of a kind that stand for the same came and went.
type Count struct{ Created, Deleted int }

// Counts are those of a run, by what State lists the objects under.
type Counts map[string]Count

// CountsOf counts the objects that came and went up to a resourceVersion.
func CountsOf(changes []history.Change, frontier uint64) Counts {
	counts := Counts{}
	for _, change := range changes {
		if change.ResourceVersion > frontier || change.Initial || !kinds.Of(change.Object).Compared() {
			continue
		}
		count := counts[subjectOf(change.Object)]
		switch change.Type {
		case "ADDED":
			count.Created++
		case "DELETED":
			count.Deleted++
		default:
			continue
		}
		counts[subjectOf(change.Object)] = count
	}
	return counts
}

// DiffCounts returns the differences between two counts, a line for each; none when they are equal.
func DiffCounts(want, got Counts) []string {
	var lines []string
	for _, subject := range keys(want, got) {
		if wanted, counted := want[subject], got[subject]; counted != wanted {
			lines = append(lines, fmt.Sprintf("%s: %s, should be %s", subject, counted, wanted))
		}
	}
	return lines
}

func (c Count) String() string { return fmt.Sprintf("%d created and %d deleted", c.Created, c.Deleted) }
