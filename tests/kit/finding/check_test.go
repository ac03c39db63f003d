package finding_test

import (
	"testing"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/invariants"
)

func TestCheck(t *testing.T) {
	for check, want := range map[finding.Check]struct {
		ofProgram, blocks bool
		invariant         invariants.ID
	}{
		finding.CheckRBAC:     {ofProgram: true, blocks: true},
		finding.CheckFlood:    {ofProgram: true},
		finding.CheckLiveness: {},
		"I3":                  {invariant: invariants.I3},
		"3.2":                 {},
	} {
		id, is := check.Invariant()
		if check.OfProgram() != want.ofProgram || check.Blocks() != want.blocks || is != (want.invariant != "") || is && id != want.invariant {
			t.Errorf("%s: of the program %v, blocks %v, invariant %v %v", check, check.OfProgram(), check.Blocks(), id, is)
		}
	}
}
