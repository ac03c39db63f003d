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
	var s span
	s.include(f.At)
	for _, r := range d.run.Requests {
		if slices.Contains(f.Requests, r.ID) {
			s.include(r.Received, r.Committed, r.Answered)
		}
	}
	for _, c := range d.run.Changes {
		if slices.Contains(f.Changes, c.ResourceVersion) {
			s.include(c.Seen)
		}
	}
	whole := d.whole()
	if s.to == 0 {
		return whole
	}
	if len(f.Requests)+len(f.Changes) == 0 {
		s.include(max(1, f.At-reach))
	}
	cited := s
	for _, fault := range d.run.Faults {
		if healed := d.until(fault.Healed); fault.Struck <= cited.to && healed >= cited.from {
			s.include(max(fault.Struck, cited.from-reach, 1), min(healed, cited.to+reach))
		}
	}
	margin := max(around, (s.to-s.from)/8)
	return [2]int64{max(whole[0], (s.from - margin).Microseconds()), min(whole[1], (s.to + margin).Microseconds())}
}
