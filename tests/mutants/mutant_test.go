package mutants

import (
	"bytes"
	"go/format"
	"slices"
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/kit/stage"
)

func TestEveryMutantIsCodeThatCompiles(t *testing.T) {
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	packages := packagesUnder(t, root, "./sequentialjob/...", "./solutions/...", "k8s.io/client-go/util/retry")
	for _, mutant := range all(t) {
		t.Run(mutant.Slug, func(t *testing.T) {
			edited, err := mutant.edited(root)
			if err != nil {
				t.Fatal(err)
			}
			for file, text := range edited {
				formatted, err := format.Source(text)
				if err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				if !bytes.Equal(text, formatted) {
					t.Errorf("%s is not formatted as gofmt does:\n%s", file, text)
				}
			}
			packages.check(t, edited)
		})
	}
}

func TestEveryMutantSaysHowItIsCaught(t *testing.T) {
	for _, mutant := range ofFinished(t) {
		_, faults, found := strings.Cut(mutant.CaughtBy.Plan, ": ")
		if !found {
			t.Errorf("%s: the plan %q has no scenario", mutant, mutant.CaughtBy.Plan)
		}
		if faults == "no fault" {
			continue
		}
		for line := range strings.SplitSeq(faults, "; ") {
			if _, err := stage.ParseFault(line); err != nil {
				t.Errorf("%s: %v", mutant, err)
			}
		}
	}
}

func TestEveryBugHasAMutantOrAReasonForNone(t *testing.T) {
	bugs, err := Bugs()
	if err != nil {
		t.Fatal(err)
	}
	mutants := ofFinished(t)
	for _, bug := range bugs {
		has := slices.ContainsFunc(mutants, func(m Mutant) bool { return slices.Contains(m.Bugs, bug.ID) })
		if has == (bug.NoMutant != "") {
			t.Errorf("%s: it has a mutant: %t; why it has none: %q", bug.ID, has, bug.NoMutant)
		}
	}
	for _, mutant := range mutants {
		for _, id := range mutant.Bugs {
			if !slices.ContainsFunc(bugs, func(bug Bug) bool { return bug.ID == id }) {
				t.Errorf("%s: there is no bug %s", mutant, id)
			}
		}
	}
}

func TestAMutantThatCannotBeReadSaysWhy(t *testing.T) {
	const whole = "{id: M99, title: t, why: w, edits: [{file: f, find: a, replace: b}], caughtBy: {plan: p, finding: I3}}"
	tests := map[string]struct{ text, want string }{
		"field that is not known": {strings.Replace(whole, "why", "wye", 1), `unknown field "wye"`},
		"field that is missing":   {strings.Replace(whole, "plan: p, ", "", 1), "caughtBy.plan is missing"},
		"no edits":                {strings.Replace(whole, "{file: f, find: a, replace: b}", "", 1), "it has no edits"},
	}
	if _, err := parse("right.yaml", []byte(whole), 0); err != nil {
		t.Fatal(err)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := parse("wrong.yaml", []byte(test.text), 0)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "wrong.yaml") {
				t.Errorf("got %v; want one about wrong.yaml that contains %q", err, test.want)
			}
		})
	}
}

func TestAnEditThatDoesNotFitSaysWhere(t *testing.T) {
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		edit Edit
		want string
	}{
		"text that is not there":      {Edit{"go.mod", "modul e", "x"}, "go.mod does not contain this text:\nmodul e"},
		"text that is there twice":    {Edit{"go.mod", "require (", "x"}, "go.mod contains this text 2 times instead of once:\nrequire ("},
		"no text":                     {Edit{"go.mod", "", "x"}, "an edit of go.mod does not say what to find"},
		"file that is not there":      {Edit{"go.mood", "a", "x"}, "go.mood: no such file"},
		"text that was edited before": {Edit{"go.mod", "module example.com/controller-course", "x"}, "go.mod does not contain this text:\nmodule"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			first := Edit{"go.mod", "module example.com/", "module example.org/"}
			_, err := Mutant{ID: "M99", Slug: "wrong", Edits: []Edit{first, test.edit}}.edited(root)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "mutant M99 (wrong)") {
				t.Errorf("got %v; want one about mutant M99 (wrong) that contains %q", err, test.want)
			}
		})
	}
}

func ofFinished(t *testing.T) []Mutant {
	t.Helper()
	mutants, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return mutants
}

func all(t *testing.T) []Mutant {
	t.Helper()
	mutants, err := All()
	if err != nil {
		t.Fatal(err)
	}
	return mutants
}
