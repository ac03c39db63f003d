package picture

import (
	"slices"
	"time"
)

// mostRows is how high a lane may become; beyond it marks are drawn on each other.
const mostRows = 6

// span is from the first to the last of some times; zero where there are none.
type span struct{ from, to time.Duration }

// include widens the span to times; zero means never.
func (s *span) include(times ...time.Duration) {
	for _, t := range times {
		if t != 0 && *s == (span{}) {
			*s = span{t, t}
		}
		if t != 0 {
			s.from, s.to = min(s.from, t), max(s.to, t)
		}
	}
}

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

// groups sorts things by a key, and has the keys in the order in which they come.
func groups[K comparable, T any](things []T, key func(T) K) (keys []K, of map[K][]T) {
	of = map[K][]T{}
	for _, thing := range things {
		k := key(thing)
		if of[k] == nil {
			keys = append(keys, k)
		}
		of[k] = append(of[k], thing)
	}
	return keys, of
}
