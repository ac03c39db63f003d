package picture

import (
	"slices"
	"time"
)

// mostRows is how high a lane may become; beyond it marks are drawn on each other.
const mostRows = 6

type span struct{ from, to time.Duration }

// rows puts spans, in the order of their beginnings, into rows so that those of a row don't overlap,
// and says how many rows that takes.
func rows(spans []span) (places []int, count int) {
	var ends []time.Duration
	for _, s := range spans {
		row := slices.IndexFunc(ends, func(end time.Duration) bool { return end <= s.from })
		switch {
		case row >= 0:
		case len(ends) < mostRows:
			row = len(ends)
			ends = append(ends, 0)
		default:
			row = slices.Index(ends, slices.Min(ends))
		}
		ends[row] = max(ends[row], s.to)
		places = append(places, row)
	}
	return places, max(1, len(ends))
}
