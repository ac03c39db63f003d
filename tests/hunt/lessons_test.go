package hunt

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/lesson"
	"example.com/controller-course/tests/mutants"
)

func TestWhatAMutantDoesNotNameIsShown(t *testing.T) {
	failed := func(id lesson.ID) judge.Verdict {
		return judge.Verdict{Check: lesson.Check{ID: id}, Findings: []finding.Finding{{What: string(id)}}}
	}
	catch := Catch{
		Trial: Trial{Mutant: mutants.Mutant{CaughtBy: mutants.Noticed{Check: "9.1"}, AlsoBy: []string{"9.2"}, Earlier: []string{"3.4"}}},
		Verdicts: []judge.Verdict{
			failed("3.4"), failed("9.1"), failed("9.2"), failed("9.9"), {Check: lesson.Check{ID: "9.10"}},
		},
	}
	var got []string
	for _, found := range catch.Unnamed() {
		got = append(got, found.What)
	}
	if diff := cmp.Diff([]string{"9.9"}, got); diff != "" {
		t.Errorf("findings to be shown (-want +got):\n%s", diff)
	}
}
