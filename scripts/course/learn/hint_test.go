package learn

import (
	"strings"
	"testing"

	"example.com/controller-course/scripts/course/record"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/e2e"
	"example.com/controller-course/tests/lesson"
)

// The hints for a check on a real cluster are those for a lesson's check about the same.
func TestEachRuleHasTheHintsOfACheck(t *testing.T) {
	for _, rule := range e2e.Rules {
		number := rule.Check.Lesson()
		of, err := usage.Find(number)
		if err != nil {
			t.Fatal(err)
		}
		if number > rule.From {
			t.Errorf("%s holds from lesson %d on, which comes before the hints for %s", rule.ID, rule.From, rule.Check)
		}
		if check, _, err := hintFor(of, &record.Lesson{}, lesson.ID(rule.ID)); err != nil || check.ID != rule.Check {
			t.Errorf("%s: got check %s, error %v", rule.ID, check.ID, err)
		}
	}
	elsewhere, err := usage.Find(5)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := hintFor(elsewhere, &record.Lesson{}, "K1"); err == nil || !strings.Contains(err.Error(), "make lesson-3 hint CHECK=3.2") {
		t.Errorf("the hints for K1 in lesson 5: %v", err)
	}
}

func TestHintFor(t *testing.T) {
	l := usage.Lesson{Lesson: lesson.Lesson{Number: 3, Checks: []lesson.Check{{ID: "3.1"}, {ID: "3.2"}, {ID: "3.3"}}}}
	for name, test := range map[string]struct {
		known record.Lesson
		id    lesson.ID
		want  lesson.ID
		why   string
	}{
		"the first that failed": {known: record.Lesson{Checks: map[lesson.ID]*record.Check{"3.1": {Result: record.Passed}, "3.2": {Result: record.Failed}, "3.3": {Result: record.Failed}}}, want: "3.2"},
		"the one to start with": {
			known: record.Lesson{Root: "3.3", Checks: map[lesson.ID]*record.Check{"3.2": {Result: record.Failed}, "3.3": {Result: record.Failed}}}, want: "3.3",
		},
		"the one to start with passes now": {
			known: record.Lesson{Root: "3.3", Checks: map[lesson.ID]*record.Check{"3.2": {Result: record.Failed}, "3.3": {Result: record.Passed}}}, want: "3.2",
		},
		"the one that is named": {id: "3.3", want: "3.3"},
		"one on a real cluster": {id: "K1", want: "3.2"},
		"nothing judged yet":    {why: "Nothing has been judged yet"},
		"hints but no verdict":  {known: record.Lesson{Checks: map[lesson.ID]*record.Check{"3.1": {Hints: 1}}}, why: "Nothing has been judged yet"},
		"nothing failed":        {known: record.Lesson{Checks: map[lesson.ID]*record.Check{"3.1": {Result: record.Passed}, "3.2": {Result: record.NotJudged}}}, why: "No check failed"},
		"nothing could be": {
			known: record.Lesson{Blocked: "The controller compiles", Checks: map[lesson.ID]*record.Check{"3.1": {Result: record.Failed}}},
			why:   `The last run could not judge anything. This has to hold first: "The controller compiles". make lesson-3 finding`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			check, why, err := hintFor(l, &test.known, test.id)
			if err != nil || check.ID != test.want && why == "" || !strings.HasPrefix(why, test.why) || (why == "") != (test.why == "") {
				t.Errorf("check %q, why %q, error %v; want %q and %q", check.ID, why, err, test.want, test.why)
			}
		})
	}
}

func TestTheLastHintOpensAfterAnotherFailedRun(t *testing.T) {
	of := &record.Check{Result: record.Failed, Failed: at(0)}
	for _, step := range []struct {
		minute int
		fails  bool // the check, before the hint is asked for
		want   int
	}{
		{minute: 1, want: 1}, {minute: 2, want: 2}, {minute: 3, want: 0}, {minute: 5, fails: true, want: 3}, {minute: 6, want: 3},
	} {
		if step.fails {
			of.Failed = at(step.minute - 1)
		}
		if got := take(of, at(step.minute)); got != step.want {
			t.Errorf("in minute %d: hint %d, want %d", step.minute, got, step.want)
		}
	}
	if got := take(&record.Check{Result: record.Passed, Hints: 2, Hinted: at(1)}, at(2)); got != 3 {
		t.Errorf("for a check that passes: hint %d, want 3", got)
	}
	if got := take(&record.Check{Hints: 2, Hinted: at(1)}, at(2)); got != 0 {
		t.Errorf("for a check that was never judged: hint %d, want none", got)
	}
}
