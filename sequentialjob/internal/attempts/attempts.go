// Package attempts says when something that goes wrong again and again may be tried the next time.
package attempts

import "time"

// Pace says how long to wait between attempts: not at all before there have been Free of them, then First, and twice as long each
// time, up to Longest.
type Pace struct {
	Free           int
	First, Longest time.Duration
}

// calm is after how long without an attempt the next one is the first again.
const calm = 30 * time.Minute

// Attempts are what was tried for one object. The zero value is none.
type Attempts struct {
	count int
	last  time.Time
}

// Record records an attempt.
func (a *Attempts) Record(now time.Time) {
	if now.Sub(a.last) > calm {
		a.count = 0
	}
	a.count++
	a.last = now
}

// Next returns when the next attempt may be made; zero for now.
func (a Attempts) Next(at Pace) time.Time {
	if a.count <= at.Free {
		return time.Time{}
	}
	wait := at.First
	for range a.count - at.Free - 1 {
		wait = min(2*wait, at.Longest)
	}
	return a.last.Add(wait)
}
