package learn

import (
	"slices"
	"testing"

	"example.com/controller-course/scripts/course/report"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/lesson"
)

// failedLast judges by lesson 4, where three checks failed last time: two of its own and one of lesson 3.
func failedLast(t *testing.T) (judging, worlds.World) {
	t.Helper()
	l, err := usage.Find(4)
	if err != nil {
		t.Fatal(err)
	}
	hard := worlds.Of(lesson.Controller)[1]
	j := judging{request: request{lesson: l}}
	j.failed = []judge.Verdict{
		{Check: lesson.Check{ID: "4.2"}, World: worlds.Plain},
		{Check: lesson.Check{ID: "4.5"}, World: hard},
		{Check: lesson.Check{ID: "3.1"}, World: worlds.Plain},
	}
	return j, hard
}

func TestWhatFailedIsPlayedAgainWhereItFailed(t *testing.T) {
	j, hard := failedLast(t)
	again := j.again(len(j.lesson.Checks))
	if len(again) != 2 || again[0].lesson.Number != 4 || len(again[0].checks) != 2 || again[1].lesson.Number != 3 || len(again[1].checks) != 1 {
		t.Fatalf("got %v", again)
	}
	if got := again[0].world(lesson.Check{ID: "4.5"}).Name; got != hard.Name {
		t.Errorf("4.5 is played in %s, want %s", got, hard.Name)
	}
	if again := j.again(len(j.failed)); len(again) > 0 {
		t.Errorf("if all of them failed, these come first: %v", again)
	}
}

func TestWhatFailsAgainIsAllThatIsJudged(t *testing.T) {
	for name, test := range map[string]struct {
		fails lesson.ID
		own   []lesson.ID
	}{
		"a check of the lesson fails":        {"4.5", []lesson.ID{"4.2", "4.5"}},
		"a check of an earlier lesson fails": {"3.1", []lesson.ID{"4.2", "4.5"}},
		"none fails, so it is no result yet": {"", nil},
	} {
		j, _ := failedLast(t)
		came := report.Result{Lesson: j.lesson}
		failing, err := tryAgain(&came, j.again(len(j.lesson.Checks)), func(_ lesson.Lesson, chosen []lesson.Check, _ chooser) ([]judge.Verdict, error) {
			var verdicts []judge.Verdict
			for _, check := range chosen {
				verdict := judge.Verdict{Check: check}
				if check.ID == test.fails {
					verdict.Findings = []finding.Finding{{What: "It failed."}}
				}
				verdicts = append(verdicts, verdict)
			}
			return verdicts, nil
		})
		fails := test.fails != ""
		if err != nil || failing != fails || came.Partial != fails || came.Failed() != fails {
			t.Errorf("%s: failing %t, partial %t, failed %t, %v", name, failing, came.Partial, came.Failed(), err)
		}
		var own []lesson.ID
		for _, verdict := range came.Own {
			own = append(own, verdict.Check.ID)
		}
		if !slices.Equal(own, test.own) {
			t.Errorf("%s: the verdicts of the lesson's own checks are about %v, want %v", name, own, test.own)
		}
	}
}
