package campaign

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
)

// flips are the statuses that each condition of an object went through, by the object's UID and the condition's type. Unknown at the
// beginning says as little as no condition, so it is left out.
type flips map[string][]string

func flipsOf(run history.Run) flips {
	all := flips{}
	for _, change := range run.Changes {
		if change.Resource == jobs || change.Object.GetDeletionTimestamp() != nil {
			continue // nobody waits for a condition of what is about to go
		}
		for _, condition := range kinds.MapsIn(change.Object, "status", "conditions") {
			key := fmt.Sprint(change.Object.GetUID(), " ", condition["type"])
			status := fmt.Sprint(condition["status"])
			switch seen := all[key]; {
			case len(seen) == 0 && status == string(metav1.ConditionUnknown):
			case len(seen) == 0 || seen[len(seen)-1] != status:
				all[key] = append(seen, status)
			}
		}
	}
	return all
}

// add adds those of another run.
func (f flips) add(others flips) {
	for key, statuses := range others {
		if len(statuses) > len(f[key]) {
			f[key] = statuses
		}
	}
}

// most is, for each type of condition, the longest way that one went.
func (f flips) most() flips {
	longest := flips{}
	for key, statuses := range f {
		_, conditionType, _ := strings.Cut(key, " ")
		if len(statuses) > len(longest[conditionType]) {
			longest[conditionType] = statuses
		}
	}
	return longest
}

// more says which conditions changed more often than in another run.
func (f flips) more(than flips) []string {
	var lines []string
	mine, others := f.most(), than.most()
	for _, conditionType := range slices.Sorted(maps.Keys(mine)) {
		if len(mine[conditionType]) > len(others[conditionType]) {
			lines = append(lines, fmt.Sprintf("%s went %s; without faults %s", conditionType,
				strings.Join(mine[conditionType], ", "), strings.Join(others[conditionType], ", ")))
		}
	}
	return lines
}
