package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/scripts/course/record"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/lesson"
)

func verdict(id lesson.ID, of record.Result) judge.Verdict {
	title := "Rule " + string(id)
	v := judge.Verdict{Check: lesson.Check{ID: id, Title: title}}
	switch of {
	case record.Failed:
		v.Findings = []finding.Finding{{Check: finding.Check(id), Title: title, What: "It did not " + string(id) + "."}}
	case record.NotJudged:
		v.NotJudged = "it needs metrics"
	}
	return v
}

// made is a result of lesson 4 with made-up verdicts.
func made(change func(*Result)) Result {
	r := Result{Command: "make lesson-4 test", Code: usage.Code{Own: true}}
	r.Lesson.Number, r.Lesson.Slug = 4, "04-conditions"
	change(&r)
	return r
}

func TestReport(t *testing.T) {
	panics := verdict("4.2", record.Failed)
	panics.Findings[0].Check, panics.Findings[0].Title = "panic", "The controller does not panic"
	for name, test := range map[string]struct {
		result Result
		says   string
		ends   string // with this error; without one where it is empty
	}{
		"all pass": {
			made(func(r *Result) {
				r.Own = []judge.Verdict{verdict("4.1", record.Passed), verdict("4.2", record.Passed)}
				r.Earlier = []judge.Verdict{verdict("3.1", record.Passed), verdict("3.2", record.Passed)}
			}),
			"\nAll 2 checks of lesson 4 pass, and so do all 2 of the lessons before it.\n", "",
		},
		"some are not judged": {
			made(func(r *Result) {
				r.Own = []judge.Verdict{verdict("4.1", record.Passed), verdict("4.2", record.NotJudged)}
				r.Earlier = []judge.Verdict{verdict("3.1", record.NotJudged), verdict("3.2", record.Passed)}
			}), "", "lesson 4: nothing failed, but 2 of 4 checks could not be judged: 4.2, 3.1",
		},
		"one fails and one is not judged": {
			made(func(r *Result) {
				r.Single, r.Own = true, []judge.Verdict{verdict("4.2", record.Failed), verdict("4.3", record.NotJudged)}
			}), `
✗ 4.2  Rule 4.2

   What happened   It did not 4.2.

A hint: make lesson-4 hint CHECK=4.2
`, "lesson 4: 1 of 2 checks failed",
		},
		"one passes that was chosen": {
			made(func(r *Result) { r.Single, r.Own = true, []judge.Verdict{verdict("4.2", record.Passed)} }),
			"\nCheck 4.2 passes. All of them: make lesson-4 test\n", "",
		},
		"some fail": {
			made(func(r *Result) {
				r.Own = []judge.Verdict{verdict("4.1", record.Passed), verdict("4.8", record.Failed), verdict("4.9", record.Failed), verdict("4.10", record.Failed)}
			}), `
Start with: 4.10
May be consequences of it: 4.8
Perhaps other mistakes: 4.9

✗ 4.10  Rule 4.10

   What happened   It did not 4.10.

Another finding: make lesson-4 finding CHECK=4.8
A hint: make lesson-4 hint
`, "lesson 4: 3 of 4 checks failed",
		},
		"one fails by which others may fail too": {
			made(func(r *Result) { r.Own = []judge.Verdict{verdict("4.1", record.Failed), panics} }), `
Start with: panic
May be consequences of it: 4.1

✗ panic  The controller does not panic

   What happened   It did not 4.2.

Another finding: make lesson-4 finding CHECK=4.1
A hint: make lesson-4 hint
`, "lesson 4: 2 of 2 checks failed",
		},
		"one fails that was chosen": {
			made(func(r *Result) { r.Single, r.Own = true, []judge.Verdict{verdict("4.2", record.Failed)} }), `
✗ 4.2  Rule 4.2

   What happened   It did not 4.2.

A hint: make lesson-4 hint CHECK=4.2
`, "lesson 4: 1 of 1 check failed",
		},
		"one fails again": {
			made(func(r *Result) {
				r.Partial = true
				r.Own = []judge.Verdict{verdict("4.1", record.Passed)}
				r.Earlier = []judge.Verdict{verdict("3.1", record.Failed)}
			}), `
✗ 3.1  Rule 3.1

   What happened   It did not 3.1.

A hint: make lesson-3 hint CHECK=3.1
`, "lesson 4: 1 of 2 checks failed again; the others are played once these pass",
		},
		"one of an earlier lesson fails": {
			made(func(r *Result) {
				r.Own = []judge.Verdict{verdict("4.1", record.Passed)}
				r.Earlier = []judge.Verdict{verdict("3.1", record.Failed), verdict("3.2", record.Failed)}
			}), `
Start with: 3.1
Perhaps other mistakes: 3.2

✗ 3.1  Rule 3.1

   What happened   It did not 3.1.

Another finding: make lesson-4 finding CHECK=3.2
A hint: make lesson-3 hint CHECK=3.1
`, "lesson 4: its own checks pass, but 2 of 2 checks of earlier lessons failed",
		},
		"other code fails": {
			made(func(r *Result) {
				r.Code, r.Own = usage.Code{Typed: " IMPL='x'"}, []judge.Verdict{verdict("4.1", record.Failed), verdict("4.2", record.Failed)}
			}), `
Start with: 4.2
Perhaps other mistakes: 4.1

✗ 4.2  Rule 4.2

   What happened   It did not 4.2.

Another finding: make lesson-4 test CHECK=4.1 IMPL='x'
`, "lesson 4: 2 of 2 checks failed",
		},
		"the solution fails an earlier lesson": {
			made(func(r *Result) {
				r.Code, r.Own = usage.Code{}, []judge.Verdict{verdict("4.1", record.Passed)}
				r.Earlier = []judge.Verdict{verdict("3.1", record.Failed), verdict("3.2", record.Failed)}
			}), `
Start with: 3.1
Perhaps other mistakes: 3.2

✗ 3.1  Rule 3.1

   What happened   It did not 3.1.

Another finding: make lesson-3 test CHECK=3.2 IMPL=solutions/04-conditions
`, "lesson 4: its own checks pass, but 2 of 2 checks of earlier lessons failed",
		},
		"nothing can be judged": {
			made(func(r *Result) {
				r.Blocked = &finding.Finding{Check: finding.CheckBuild, Title: "The controller compiles", What: "It does not."}
			}), `✗ build  The controller compiles

   What happened   It does not.

Nothing was judged.
`, "lesson 4: nothing could be judged",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := test.result.WriteProblem(&got); err != nil {
				t.Fatal(err)
			}
			err := test.result.Conclude(&got)
			if diff := cmp.Diff(test.says, got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if said := message(err); said != test.ends || test.result.Passed() != (test.ends == "") {
				t.Errorf("it ends with %q and passed: %t; want %q", said, test.result.Passed(), test.ends)
			}
		})
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestACheckThatWasNotJudgedHasNotPassedInTheNextRound(t *testing.T) {
	came := made(func(r *Result) {
		r.Own = []judge.Verdict{verdict("4.1", record.NotJudged), verdict("4.2", record.NotJudged), verdict("4.3", record.Passed)}
	})
	came.Add([]judge.Verdict{verdict("4.1", record.Passed), verdict("4.2", record.Failed), verdict("4.3", record.Passed)})
	var got []record.Result
	for _, one := range came.Own {
		got = append(got, record.ResultOf(one))
	}
	if diff := cmp.Diff([]record.Result{record.NotJudged, record.Failed, record.Passed}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestVerdictLines(t *testing.T) {
	var got strings.Builder
	for _, one := range []judge.Verdict{verdict("3.1", record.Passed), verdict("3.10", record.Failed), verdict("3.2", record.NotJudged)} {
		Verdict(&got, one)
	}
	want := "✓ 3.1   Rule 3.1\n✗ 3.10  Rule 3.10\n– 3.2   Rule 3.2 (not judged: it needs metrics)\n"
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", &got, want)
	}
}

func TestTimes(t *testing.T) {
	one := made(func(r *Result) {
		r.Took = Times{Whole: 9 * time.Second, Took: judge.Took{Building: 2 * time.Second, ControlPlane: 4 * time.Second}, Own: 5 * time.Second}
	})
	var got strings.Builder
	one.writeTimes(&got)
	if want := "9.0 s in all: building 2.0 s (control plane 4.0 s, in parallel), checks 5.0 s\n"; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
}

func TestTheLastResultIsShownAgain(t *testing.T) {
	l, err := usage.Find(4)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if _, err := Last(l, folder); message(err) != "lesson 4 has no finding, as nothing has been judged yet: make lesson-4 test judges your code" {
		t.Errorf("before the first run: %v", err)
	}
	came := made(func(r *Result) {
		r.Own = []judge.Verdict{verdict("4.1", record.Passed), verdict("4.8", record.Failed), verdict("4.9", record.Failed), verdict("4.3", record.NotJudged)}
		r.Own[1].Findings[0].At, r.Own[1].Findings[0].Requests = time.Second, []int{7}
	})
	if err := came.Keep(folder); err != nil {
		t.Fatal(err)
	}
	last, err := Last(l, folder)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(came.Own[1].Findings, last.Own[1].Findings); diff != "" {
		t.Errorf("(-judged +kept):\n%s", diff)
	}
	if root, err := last.Root(); root != "4.9" || err != nil {
		t.Errorf("the check to start with is %q, error %v; want 4.9", root, err)
	}
	for id, want := range map[lesson.ID]struct{ says, err string }{
		"4.8":  {says: "✗ 4.8  Rule 4.8\n\n   What happened   It did not 4.8.\n"},
		"4.1":  {err: "check 4.1 passed in the last run, so there is no finding of it; there is one of 4.8, 4.9"},
		"4.3":  {err: "check 4.3 could not be judged in the last run, so there is no finding of it: it needs metrics"},
		"4.2":  {err: "check 4.2 was not judged in the last run: make lesson-4 test judges by all checks"},
		"3.2":  {err: "check 3.2 is one of lesson 3: make lesson-3 finding CHECK=3.2"},
		"4.99": {err: "lesson 4 has no check 4.99; it has 4.1, 4.2, 4.3, 4.4, 4.5, 4.6, 4.7, 4.8, 4.9, 4.10, 4.11, 4.12, 4.13"},
	} {
		var said strings.Builder
		err := last.Show(&said, id)
		if said.String() != want.says || message(err) != want.err {
			t.Errorf("%s: it said %q, error %q; want %q, %q", id, &said, message(err), want.says, want.err)
		}
	}
}

func TestWhatCouldNotBeJudgedIsShownAgain(t *testing.T) {
	l, err := usage.Find(4)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	blocked := made(func(r *Result) {
		r.Blocked = &finding.Finding{Check: finding.CheckBuild, Title: "The controller compiles"}
	})
	if err := blocked.Keep(folder); err != nil {
		t.Fatal(err)
	}
	last, err := Last(l, folder)
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	if err := last.WriteProblem(&said); err != nil || !strings.HasPrefix(said.String(), "✗ build  The controller compiles\n") {
		t.Errorf("it said %q, error %v", &said, err)
	}
	if err := last.Show(&said, "4.1"); message(err) != "the last run could not judge anything: make lesson-4 finding says why" {
		t.Errorf("of a check: %v", err)
	}
}

func TestWhyThereIsNoFinding(t *testing.T) {
	for name, test := range map[string]struct {
		own  judge.Verdict
		want string
	}{
		"all passed":         {verdict("4.2", record.Passed), "Everything passed that was judged in the last run, so there is no finding.\n"},
		"one was not judged": {verdict("4.2", record.NotJudged), "Nothing failed in the last run, so there is no finding. Not judged:\n  4.2 Rule 4.2: it needs metrics\n"},
	} {
		var out strings.Builder
		result := made(func(r *Result) { r.Own = []judge.Verdict{verdict("4.1", record.Passed), test.own} })
		if err := result.ShowProblem(&out); err != nil || out.String() != test.want {
			t.Errorf("%s: error %v, got\n%s\nwant\n%s", name, err, &out, test.want)
		}
	}
}
