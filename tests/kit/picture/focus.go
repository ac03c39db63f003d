package picture

import (
	"slices"
	"time"

	"example.com/controller-course/tests/kit/finding"
)

const (
	around = 100 * time.Millisecond // at least this much is shown on both sides of what is in focus
	reach  = time.Second            // this far, faults in force and what a finding without places speaks of
)

// whole is the run from its beginning to its end, with room for what is written at both.
func (d *drafter) whole() [2]int64 {
	span := d.end - d.begin
	return [2]int64{(d.begin - span/50).Microseconds(), (d.end + span/30).Microseconds()}
}

// focus is the stretch of the run that shows a finding best: its moment, what it cites, and the
// faults in force then, as far as they are near; the whole run where it says nothing of all that.
func (d *drafter) focus(f finding.Finding) [2]int64 {
	var from, to time.Duration
	include := func(times ...time.Duration) {
		for _, t := range times {
			if t == 0 {
				continue
			}
			if to == 0 {
				from, to = t, t
			}
			from, to = min(from, t), max(to, t)
		}
	}
	include(f.At)
	for _, r := range d.run.Requests {
		if slices.Contains(f.Requests, r.ID) {
			include(r.Received, r.Committed, r.Answered)
		}
	}
	for _, c := range d.run.Changes {
		if slices.Contains(f.Changes, c.ResourceVersion) {
			include(c.Seen)
		}
	}
	if to == 0 {
		return d.whole()
	}
	if len(f.Requests)+len(f.Changes) == 0 {
		include(max(1, f.At-reach))
	}
	first, last := from, to
	for _, fault := range d.run.Faults {
		if healed := d.until(fault.Healed); fault.Struck <= last && healed >= first {
			include(max(fault.Struck, first-reach, 1), min(healed, last+reach))
		}
	}
	margin := max(around, (to-from)/8)
	whole := d.whole()
	return [2]int64{max(whole[0], (from - margin).Microseconds()), min(whole[1], (to + margin).Microseconds())}
}
