package diagnosis

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/lesson"
)

func TestOf(t *testing.T) {
	known := []Mistake{
		{ID: "status written to the object", Named: "9.6", Fails: ids("9.1 9.2 9.3 9.4 9.5 9.6")},
		{ID: "turn taken from the Jobs", Named: "9.4", Fails: ids("9.2 9.4 9.5")},
		{ID: "no reason", Named: "9.2", Fails: ids("9.2")},
		{ID: "no time", Named: "9.3", Fails: ids("9.2 9.3")},
	}
	for name, test := range map[string]struct {
		failed string // ~ after those that timed out
		want   Diagnosis
	}{
		"one check":                             {"9.2", Diagnosis{Root: "9.2"}},
		"as a known mistake":                    {"9.2 9.4 9.5", Diagnosis{Root: "9.4", Consequences: ids("9.2 9.5")}},
		"about as a known mistake":              {"9.4 9.5", Diagnosis{Root: "9.4", Consequences: ids("9.5")}},
		"as a mistake that fails everything":    {"9.1~ 9.2~ 9.3~ 9.4~ 9.5~ 9.6", Diagnosis{Root: "9.6", Consequences: ids("9.1 9.2 9.3 9.4 9.5")}},
		"nothing happens yet":                   {"9.1~ 9.2~ 9.3~ 9.4~ 9.5~ 9.6~", Diagnosis{Root: "9.1", Others: ids("9.2 9.3 9.4 9.5 9.6"), Unfinished: true}},
		"unknown: the one that few others fail": {"9.1 9.2", Diagnosis{Root: "9.1", Others: ids("9.2")}},
		"unknown: the one that saw something":   {"9.1~ 9.2", Diagnosis{Root: "9.2", Others: ids("9.1")}},
		"as two mistakes":                       {"9.2 9.3 9.4 9.5", Diagnosis{Root: "9.4", Consequences: ids("9.2 9.5"), Others: ids("9.3")}},
	} {
		t.Run(name, func(t *testing.T) {
			var failed []Failure
			for _, one := range strings.Fields(test.failed) {
				id, waited := strings.CutSuffix(one, "~")
				failed = append(failed, Failure{Check: lesson.ID(id), Waited: waited})
			}
			if diff := gocmp.Diff(test.want, Of(failed, 6, known)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func ids(list string) []lesson.ID {
	var all []lesson.ID
	for _, id := range strings.Fields(list) {
		all = append(all, lesson.ID(id))
	}
	return all
}

func TestAStarterIsDiagnosedByItsFirstCheck(t *testing.T) {
	for _, l := range checks.Lessons() {
		var failed []Failure // a starter fails all checks, and a program does so by what it does not do yet
		for _, check := range l.Checks {
			if !checks.IsGenerated(check.ID) {
				failed = append(failed, Failure{Check: check.ID, Waited: l.Kind.IsProgram()})
			}
		}
		if got := Of(failed, Checks(l), knownOf(t, l)); got.Root != l.Checks[0].ID || !got.Unfinished {
			t.Errorf("lesson %d: the starter is diagnosed by check %s, unfinished: %t; want %s, true", l.Number, got.Root, got.Unfinished, l.Checks[0].ID)
		}
	}
}

// twins are wrong versions that fail the same checks as another one, and are diagnosed by the check that is named for
// that one.
var twins = map[string]lesson.ID{
	"L1-11": "1.3", "L1-24": "1.5", "L2-16": "2.5", "L2-57": "2.5", "L3-12": "3.6", "L4-39": "4.9", "L5-12": "5.4", "L5-13": "5.4", "L5-18": "5.1",
}

// TestEachWrongVersionIsDiagnosedByTheCheckThatIsNamedForIt also measures what becomes of mistakes that are not
// known: it diagnoses each wrong version without its own evidence.
func TestEachWrongVersionIsDiagnosedByTheCheckThatIsNamedForIt(t *testing.T) {
	all, right, alone, byNumber := 0, 0, 0, 0
	for _, l := range checks.Lessons() {
		known := knownOf(t, l)
		for i, mistake := range known {
			failed := failuresOf(l, mistake)
			others := slices.Delete(slices.Clone(known), i, i+1)
			all++
			if failed[0].Check == mistake.Named {
				byNumber++
			}
			if Of(failed, Checks(l), others).Root == mistake.Named {
				alone++
			}
			got := Of(failed, Checks(l), known).Root
			if got == mistake.Named {
				right++
			}
			if want := cmp.Or(twins[mistake.ID], mistake.Named); got != want {
				t.Errorf("%s is diagnosed by check %s, want %s", mistake.ID, got, want)
			}
		}
	}
	t.Logf("of %d wrong versions, %d are diagnosed by the check that is named for them, %d without their own evidence, %d by the first failed check",
		all, right, alone, byNumber)
}

func knownOf(t *testing.T, l lesson.Lesson) []Mistake {
	t.Helper()
	known, err := Known(l.Number)
	if err != nil || len(known) == 0 {
		t.Fatalf("lesson %d: known mistakes: %v, error %v", l.Number, known, err)
	}
	return known
}

// failuresOf are the checks that a mistake fails, in the lesson's order.
func failuresOf(l lesson.Lesson, mistake Mistake) []Failure {
	var failed []Failure
	for _, check := range l.Checks {
		if slices.Contains(mistake.Fails, check.ID) {
			failed = append(failed, Failure{Check: check.ID})
		}
	}
	return failed
}
