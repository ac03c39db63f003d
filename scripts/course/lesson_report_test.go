package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/tests/checks"
	findings "example.com/controller-course/tests/kit/finding"
)

// made is a trial of lesson 4 with made-up verdicts.
func made(change func(*trial)) trial {
	t := trial{command: "make lesson-4 test", code: code{own: true}}
	t.lesson.Number, t.lesson.Slug = 4, "04-conditions"
	change(&t)
	return t
}

func TestReport(t *testing.T) {
	panics := verdict("4.2", failed)
	panics.Findings[0].Check, panics.Findings[0].Title = "panic", "The controller does not panic"
	for name, test := range map[string]struct {
		trial trial
		says  string
		ends  string // with this error; without one where it is empty
	}{
		"all pass": {
			made(func(t *trial) {
				t.own = []checks.Verdict{verdict("4.1", passed), verdict("4.2", skipped)}
				t.earlier = []checks.Verdict{verdict("3.1", passed), verdict("3.2", passed)}
			}),
			"\nAll 2 checks of lesson 4 pass, and so do all 2 of the lessons before it.\n", "",
		},
		"one passes that was chosen": {
			made(func(t *trial) { t.single, t.own = true, []checks.Verdict{verdict("4.2", passed)} }),
			"\nCheck 4.2 passes. All of them: make lesson-4 test\n", "",
		},
		"some fail": {
			made(func(t *trial) {
				t.own = []checks.Verdict{verdict("4.1", passed), verdict("4.2", failed), verdict("4.3", failed), verdict("4.4", failed)}
			}), `
✗ 4.2  Rule 4.2

   What happened   It did not 4.2.

2 other checks failed too: 4.3, 4.4. One alone: make lesson-4 test CHECK=4.3
A hint: make lesson-4 hint
`, "lesson 4: 3 of 4 checks failed",
		},
		"one fails by which others may fail too": {
			made(func(t *trial) { t.own = []checks.Verdict{verdict("4.1", failed), panics} }), `
✗ panic  The controller does not panic

   What happened   It did not 4.2.

1 other check failed too: 4.1. One alone: make lesson-4 test CHECK=4.1
A hint: make lesson-4 hint CHECK=4.2
`, "lesson 4: 2 of 2 checks failed",
		},
		"one fails that was chosen": {
			made(func(t *trial) { t.single, t.own = true, []checks.Verdict{verdict("4.2", failed)} }), `
✗ 4.2  Rule 4.2

   What happened   It did not 4.2.

A hint: make lesson-4 hint CHECK=4.2
`, "lesson 4: 1 of 1 check failed",
		},
		"one of an earlier lesson fails": {
			made(func(t *trial) {
				t.own = []checks.Verdict{verdict("4.1", passed)}
				t.earlier = []checks.Verdict{verdict("3.1", failed), verdict("3.2", failed)}
			}), `
✗ 3.1  Rule 3.1

   What happened   It did not 3.1.

1 other check failed too: 3.2. One alone: make lesson-3 test CHECK=3.2 IMPL=lessons/04-conditions
A hint: make lesson-3 hint CHECK=3.1
`, "lesson 4: its own checks pass, but 2 of 2 checks of earlier lessons failed",
		},
		"other code fails": {
			made(func(t *trial) {
				t.code, t.own = code{typed: " IMPL='x'"}, []checks.Verdict{verdict("4.1", failed), verdict("4.2", failed)}
			}), `
✗ 4.1  Rule 4.1

   What happened   It did not 4.1.

1 other check failed too: 4.2. One alone: make lesson-4 test CHECK=4.2 IMPL='x'
`, "lesson 4: 2 of 2 checks failed",
		},
		"the solution fails an earlier lesson": {
			made(func(t *trial) {
				t.code, t.own = code{}, []checks.Verdict{verdict("4.1", passed)}
				t.earlier = []checks.Verdict{verdict("3.1", failed), verdict("3.2", failed)}
			}), `
✗ 3.1  Rule 3.1

   What happened   It did not 3.1.

1 other check failed too: 3.2. One alone: make lesson-3 test CHECK=3.2 IMPL=solutions/04-conditions
`, "lesson 4: its own checks pass, but 2 of 2 checks of earlier lessons failed",
		},
		"nothing can be judged": {
			made(func(t *trial) {
				t.blocked = &findings.Finding{Check: "build", Title: "The controller compiles", What: "It does not."}
			}), `✗ build  The controller compiles

   What happened   It does not.

Nothing was judged.
`, "lesson 4: nothing could be judged",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := test.trial.write(&got); err != nil {
				t.Fatal(err)
			}
			err := test.trial.verdict(&got)
			if diff := cmp.Diff(test.says, got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if said := message(err); said != test.ends || test.trial.passed() != (test.ends == "") {
				t.Errorf("it ends with %q and passed: %t; want %q", said, test.trial.passed(), test.ends)
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

func TestVerdictLines(t *testing.T) {
	var got strings.Builder
	for _, one := range []checks.Verdict{verdict("3.1", passed), verdict("3.10", failed), verdict("3.2", skipped)} {
		writeVerdict(&got, one)
	}
	want := "✓ 3.1   Rule 3.1\n✗ 3.10  Rule 3.10\n– 3.2   Rule 3.2 (not judged: it has no metrics)\n"
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", &got, want)
	}
}

func TestSpread(t *testing.T) {
	var all []times
	for _, n := range []time.Duration{3, 1, 2} {
		all = append(all, times{own: n * time.Second})
	}
	if got := spread(all, func(t times) time.Duration { return t.own }); got != "2.0 s (1.0 to 3.0)" {
		t.Errorf("got %q", got)
	}
	if got := spread(all, func(t times) time.Duration { return t.build }); got != "" {
		t.Errorf("of what took no time: %q", got)
	}
}

func TestTimes(t *testing.T) {
	one := made(func(t *trial) {
		t.took = times{whole: 9 * time.Second, build: 2 * time.Second, ground: 4 * time.Second, own: 5 * time.Second}
	})
	var got strings.Builder
	one.writeTimes(&got)
	if want := "9.0 s in all: building 2.0 s, the control plane meanwhile 4.0 s, checks 5.0 s\n"; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
}
