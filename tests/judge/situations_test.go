package judge

import (
	"testing"

	"example.com/controller-course/tests/checks/script"
	"example.com/controller-course/tests/kit/finding"
)

func TestTheFirstSituationThatFailedDecides(t *testing.T) {
	t.Parallel()
	passed := played{}
	failed := func(what string) played {
		return played{Outcome: script.Outcome{Findings: []finding.Finding{{What: what}}}}
	}
	unclear := func(needs string) played { return played{Outcome: script.Outcome{NotJudged: needs}} }
	for _, test := range []struct {
		came []played
		want string
	}{
		{[]played{passed, passed}, ""},
		{[]played{passed, failed("a"), failed("b")}, "a"},
		{[]played{unclear("c"), passed, failed("b")}, "b"},
		{[]played{passed, unclear("c"), unclear("d")}, "c"},
	} {
		got := decisive(test.came)
		said := got.NotJudged
		if got.failed() {
			said = got.Findings[0].What
		}
		if said != test.want {
			t.Errorf("%+v: the result is %q, want %q", test.came, said, test.want)
		}
	}
}
