package hunt

import (
	"maps"
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/lesson"
	"example.com/controller-course/tests/mutants"
)

func TestWhatHasToBeTriedAgain(t *testing.T) {
	t.Parallel()
	all, err := mutants.LoadLesson(3)
	if err != nil {
		t.Fatal(err)
	}
	mutant := all[0]
	by := mutant.CaughtBy.Check
	other := map[bool]string{true: "3.2", false: "3.1"}[by == "3.1"]
	p, err := newProofs()
	if err != nil {
		t.Fatal(err)
	}
	ids, err := judgedBy(mutant)
	if err != nil {
		t.Fatal(err)
	}
	edits := hashOfEdits(mutant)
	proven := proof{edits, map[string]outcome{}}
	for _, id := range ids {
		hash, err := p.hashOf(mutant, string(id))
		if err != nil {
			t.Fatal(err)
		}
		proven.judged[string(id)] = outcome{hash, string(id) == by}
	}
	known := func(edits string, changes map[string]outcome) proof {
		judged := maps.Clone(proven.judged)
		maps.Copy(judged, changes)
		return proof{edits, judged}
	}
	whole := &Trial{mutant, ids, true}
	only := func(id string) *Trial { return &Trial{mutant, []lesson.ID{lesson.ID(id)}, false} }
	for name, test := range map[string]struct {
		known proof
		want  *Trial
	}{
		"nothing is known":                    {proof{}, whole},
		"nothing has changed":                 {proven, nil},
		"its edits":                           {known("changed", nil), whole},
		"what must catch it, or the solution": {known(edits, map[string]outcome{by: {"changed", true}}), only(by)},
		"another check":                       {known(edits, map[string]outcome{other: {"changed", false}}), only(other)},
		"another check, which failed":         {known(edits, map[string]outcome{other: {"changed", true}}), only(other)},
		"it was not caught":                   {known(edits, map[string]outcome{by: {proven.judged[by].hash, false}}), whole},
		"another check failed":                {known(edits, map[string]outcome{other: {proven.judged[other].hash, true}}), whole},
		"an earlier one failed":               {known(edits, map[string]outcome{"1.1": {"any", true}}), whole},
		"an earlier one passed":               {known(edits, map[string]outcome{"1.1": {"any", false}}), nil},
	} {
		got, err := p.stale(mutant, test.known)
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, name, got, test.want)
	}
}

func TestOnlyWhatMustCatchAMutantIsPlayedAgainWhenTheSolutionChanges(t *testing.T) {
	t.Parallel()
	all, err := mutants.LoadLesson(3)
	if err != nil {
		t.Fatal(err)
	}
	p, err := newProofs()
	if err != nil {
		t.Fatal(err)
	}
	ids, err := judgedBy(all[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		check, err := p.hashOfJudge(string(id))
		if err != nil {
			t.Fatal(err)
		}
		decides, err := p.hashOf(all[0], string(id))
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, string(id)+" depends on the solution", decides != check, string(id) == all[0].CaughtBy.Check)
	}
}

func TestWhichCommentsDecideNothing(t *testing.T) {
	t.Parallel()
	for line, nothing := range map[string]bool{
		"// It says why.\n":                              true,
		"\t// It says why.\n":                            true,
		"\t//exercise:begin order Find the next step.\n": true,
		"// +kubebuilder:rbac:groups=batch,verbs=get\n":  false,
		"//go:build unix\n":                              false,
		"\treturn nil // It says why.\n":                 false,
	} {
		assert.Equal(t, line, len(comment.ReplaceAllString(line, "")) == 0, nothing)
	}
}
