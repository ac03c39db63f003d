package canonical

import (
	"fmt"
	"maps"
	"slices"
)

// Diff returns the differences between two states, a line for each; none when they are equal.
func Diff(want, got State) []string {
	var lines []string
	for _, subject := range keys(want, got) {
		wanted, gotten := want[subject], got[subject]
		if len(wanted) != len(gotten) {
			lines = append(lines, fmt.Sprintf("%s: there %s, should be %d", subject, are(len(gotten)), len(wanted)))
			continue
		}
		for i := range wanted {
			lines = append(lines, diffObject(subject, wanted[i], gotten[i])...)
		}
	}
	return lines
}

func diffObject(subject string, want, got Object) []string {
	var lines []string
	for _, path := range keys(want, got) {
		wanted, expected := want[path]
		value, there := got[path]
		switch {
		case !expected:
			lines = append(lines, fmt.Sprintf("%s: %s is %q, should not be set", subject, path, value))
		case !there:
			lines = append(lines, fmt.Sprintf("%s: %s is not set, should be %q", subject, path, wanted))
		case value != wanted:
			lines = append(lines, fmt.Sprintf("%s: %s is %q, should be %q", subject, path, value, wanted))
		}
	}
	return lines
}

func are(n int) string {
	if n == 1 {
		return "is 1"
	}
	return fmt.Sprintf("are %d", n)
}

// keys are those of either map, in order.
func keys[V any](a, b map[string]V) []string {
	both := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(both)
	return slices.Compact(both)
}
