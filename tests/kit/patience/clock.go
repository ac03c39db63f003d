// Package patience measures how long a controller has had for what it has to do. On a busy machine that is less than
// the time that has passed: a process that waits for a processor can't do anything. So no controller is blamed for
// how busy the machine is, and on a quiet machine patience ends as soon as a clock on the wall says.
package patience

import (
	"cmp"
	"slices"
	"time"
)

// lapse is the most that passes on a Clock from one look to the next. When more time has passed, the
// judge itself could not run, and neither could the proxy between the controller and the API server.
const lapse = 100 * time.Millisecond

// Look is what can be seen of a controller at a moment.
type Look struct {
	At       time.Duration // since the run started
	Runnable bool          // it runs, or would if it were given a processor
	Used     time.Duration // the processor time that it has had
	Blocked  bool          // since the last look, it has had nothing but one and the same response to wait for
}

// Clock measures how much time a controller has had. It is stopped while the controller waits for a processor, or for
// a response. The zero value is ready for the first look.
type Clock struct {
	looks []look
	last  Look
}

// look is a moment, and what the clock showed then.
type look struct{ at, shown time.Duration }

// Look lets the clock run to a moment. Looks come in the order of their moments.
func (c *Clock) Look(now Look) {
	passed := min(now.At-c.last.At, lapse)
	switch {
	case now.Blocked:
		passed = 0
	case now.Runnable: // it has had what it has used: all of it if no other process wants the processor
		passed = min(passed, max(0, now.Used-c.last.Used))
	}
	c.looks = append(c.looks, look{now.At, c.shows() + passed})
	c.last = now
}

// Since is how long the controller has had from a moment of the run until the last look.
func (c *Clock) Since(moment time.Duration) time.Duration {
	i, _ := slices.BinarySearchFunc(c.looks, moment, func(l look, at time.Duration) int { return cmp.Compare(l.at, at) })
	if i == len(c.looks) {
		return 0
	}
	return c.shows() - c.looks[i].shown
}

func (c *Clock) shows() time.Duration {
	if len(c.looks) == 0 {
		return 0
	}
	return c.looks[len(c.looks)-1].shown
}
