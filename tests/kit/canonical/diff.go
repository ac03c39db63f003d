package canonical

import (
	"fmt"
	"maps"
	"slices"

	"example.com/controller-course/tests/kit/history"
)

// Diff tells in what two states differ, a line for each difference; none when they are equal.
func Diff(want, got State) []string {
	var lines []string
	for _, logical := range keys(want, got) {
		wanted, gotten := want[logical], got[logical]
		if len(wanted) != len(gotten) {
			lines = append(lines, fmt.Sprintf("%s: there %s, should be %d", logical, are(len(gotten)), len(wanted)))
			continue
		}
		for i := range wanted {
			lines = append(lines, diffObject(logical, wanted[i], gotten[i])...)
		}
	}
	return lines
}

func diffObject(logical history.Logical, want, got Object) []string {
	var lines []string
	for _, path := range keys(want, got) {
		wanted, expected := want[path]
		value, there := got[path]
		switch {
		case !expected:
			lines = append(lines, fmt.Sprintf("%s: %s is %q, should not be set", logical, path, value))
		case !there:
			lines = append(lines, fmt.Sprintf("%s: %s is not set, should be %q", logical, path, wanted))
		case value != wanted:
			lines = append(lines, fmt.Sprintf("%s: %s is %q, should be %q", logical, path, value, wanted))
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
func keys[K ~string, V any](a, b map[K]V) []K {
	both := maps.Clone(a)
	if both == nil {
		both = map[K]V{}
	}
	maps.Copy(both, b)
	return slices.Sorted(maps.Keys(both))
}
