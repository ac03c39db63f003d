package explore

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// coverage lists what happened, and how often.
func (t *tally) coverage() string {
	var text strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(t.covered)) {
		fmt.Fprintf(&text, "  %-25s %d\n", kind, t.covered[kind])
	}
	return text.String()
}
