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
		"the one that is named": {id: "3.3", want: "3.3"},
		"one on a real cluster": {id: "K1", want: "3.2"},
		"nothing judged yet":    {why: "Nothing has been judged yet"},
		"hints but no verdict":  {known: record.Lesson{Checks: map[lesson.ID]*record.Check{"3.1": {Hints: 1}}}, why: "Nothing has been judged yet"},
		"nothing failed":        {known: record.Lesson{Checks: map[lesson.ID]*record.Check{"3.1": {Result: record.Passed}, "3.2": {Result: record.Skipped}}}, why: "No check failed"},
		"nothing could be": {
			known: record.Lesson{Blocked: "The controller compiles", Checks: map[lesson.ID]*record.Check{"3.1": {Result: record.Failed}}},
			why:   `When it was judged last, nothing could be judged; what did not hold: "The controller compiles".`,
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
