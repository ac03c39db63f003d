package scene

import (
	"math"
	"slices"
	"time"

	"example.com/controller-course/tests/kit/finding"
)

// claim makes findings about broken invariants the check's own, where the check is about them. They then have the
// check's reason and section, not those of the check that usually covers the invariant. If one event breaks several
// invariants, only one finding remains.
func (s *Scene) claim(findings []finding.Finding) []finding.Finding {
	var all []finding.Finding
	for _, f := range findings {
		if s.program != "" && (f.Check == finding.CheckStart || f.Check == finding.CheckWatch || f.Check == finding.CheckEnd) {
			f.What, f.Check, f.Why, f.Read = s.program+" "+f.What, "", "", ""
		}
		if s.own != nil && f.Check != "" && !f.Check.OfProgram() && s.own(&f) {
			f.Check, f.Why = "", ""
			if slices.ContainsFunc(all, func(other finding.Finding) bool { return other.What == f.What }) {
				continue
			}
		}
		all = append(all, f)
	}
	return all
}

// FromHere says that the check is about every invariant that is broken from now on, until untilHere is called.
func (s *Scene) FromHere() (untilHere func()) {
	before, from, to := s.own, s.Log.Now(), time.Duration(math.MaxInt64)
	s.own = func(f *finding.Finding) bool {
		return f.At >= from && f.At <= to || before != nil && before(f)
	}
	return func() { to = s.Log.Now() }
}

// AboutProgram says that the check is about whether the controller starts and keeps running, until untilHere is called. Because says
// what it has to cope with, as a sentence.
func (s *Scene) AboutProgram(because string) (untilHere func()) {
	s.program = because
	return func() { s.program = "" }
}

// About says how to tell that the check is about an invariant that was broken. It may rewrite the finding.
func (s *Scene) About(own func(*finding.Finding) bool) { s.own = own }
