package judge

import (
	"context"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/checks/script"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/lesson"
)

// staged is a candidate of which it is known what each check finds.
type staged struct {
	finds map[lesson.ID]finding.Finding
	run   history.Run
}

func (staged) Release()      {}
func (staged) parallel() int { return 1 }

func (s staged) play(_ context.Context, _ lesson.Lesson, check lesson.Check, _ worlds.World, waiting func(string)) (played, error) {
	waiting("web has no Job")
	came := played{run: &s.run}
	if f, is := s.finds[check.ID]; is {
		came.Outcome = script.Outcome{Findings: []finding.Finding{f}}
	}
	return came, nil
}

func TestARefusedRequestBlocksUnlessACheckExplainsIt(t *testing.T) {
	refused := finding.Finding{Check: finding.CheckRBAC}
	atWork := history.Run{
		Processes: []history.Process{{Instance: 1, UpToDate: 1}},
		Requests: []history.Request{
			{ID: 1, Code: 403, Message: `jobs.batch "web-fetch" is forbidden: exceeded quota: none`},
			{ID: 2, Code: 403, Message: `sequentialjobs.batch.example.com "web" is forbidden: User "system:serviceaccount:a:b" cannot patch resource ` +
				`"sequentialjobs" in API group "batch.example.com" in the namespace "run-1"`},
		},
	}
	for name, test := range map[string]struct {
		candidate staged
		blocked   bool
		done      []lesson.ID
	}{
		"before the watches are up": {staged{finds: map[lesson.ID]finding.Finding{"4.1": refused}}, true, nil},
		"at work":                   {staged{map[lesson.ID]finding.Finding{"4.1": refused, "4.2": {Requests: []int{1}}}, atWork}, true, []lesson.ID{"4.2", "4.3"}},
		"explained": {
			staged{map[lesson.ID]finding.Finding{"4.1": refused, "4.2": {Requests: []int{2}}}, atWork},
			false, []lesson.ID{"4.2", "4.3", "4.1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var done []lesson.ID
			verdicts, blocked, err := Judge(t.Context(), test.candidate, lesson.Lesson{}, []lesson.Check{{ID: "4.1"}, {ID: "4.2"}, {ID: "4.3"}},
				Reporting{Done: func(v Verdict) { done = append(done, v.Check.ID) }})
			if err != nil || (blocked != nil) != test.blocked || (len(verdicts) == 3) == test.blocked || !slices.Equal(done, test.done) {
				t.Errorf("%d verdicts, blocked by %v, error %v, reported %v; want blocked %t, reported %v", len(verdicts), blocked, err, done, test.blocked, test.done)
			}
		})
	}
}

func TestAFindingIsCompleted(t *testing.T) {
	l := lesson.Lesson{Slug: "03-reconcile", Checks: []lesson.Check{
		{ID: "3.3", Section: "owners", Why: "of 3.3", About: []invariants.ID{invariants.I4}},
		{ID: "3.8", Section: "deletion", Why: "of 3.8"},
	}}
	run := history.Run{
		Printed: []history.Line{{At: 1, Instance: 1, Text: "writes web"}},
		Changes: []history.Change{{Seen: 1, Type: "ADDED", Object: &unstructured.Unstructured{
			Object: map[string]any{"kind": "SequentialJob", "metadata": map[string]any{"name": "web"}},
		}}},
	}
	const text = "lessons/03-reconcile/README.md"
	for name, test := range map[string]struct {
		found     finding.Finding
		why, read string
		showsLog  bool
	}{
		"the check's own":                          {finding.Finding{}, "of 3.8", text + "#deletion", true},
		"with a reason of its own":                 {finding.Finding{Why: "own"}, "own", text + "#deletion", true},
		"an invariant that another check is about": {finding.Finding{Check: "I4"}, "of 3.3", text + "#owners", true},
		"an invariant that no check is about":      {finding.Finding{Check: "I3", Why: "of I3"}, "of 3.8", text + "#deletion", true},
		"a flood":                                  {finding.Finding{Check: finding.CheckFlood, Why: "of floods", Read: "x#y"}, "of floods", "x#y", true},
		"a panic":                                  {finding.Finding{Check: finding.CheckPanic, Why: "of panics"}, "of panics", "", false},
	} {
		got := Reporting{}.complete(l, l.Checks[1], worlds.Plain, test.found, &run)
		assert.Equal(t, name+": why", got.Why, test.why)
		assert.Equal(t, name+": where to read on", got.Read, test.read)
		assert.Equal(t, name+": whether it shows the log", got.Log != "", test.showsLog)
	}
}

func TestJudgeSaysWhatEachCheckWaitsFor(t *testing.T) {
	var said []string
	_, _, err := Judge(t.Context(), staged{}, lesson.Lesson{}, []lesson.Check{{ID: "4.1"}, {ID: "4.2"}}, Reporting{
		Waiting: func(check lesson.Check, missing string) { said = append(said, string(check.ID)+": "+missing) },
	})
	if want := []string{"4.1: web has no Job", "4.2: web has no Job"}; err != nil || !slices.Equal(said, want) {
		t.Errorf("it said %q, error %v; want %q", said, err, want)
	}
	if _, _, err := Judge(t.Context(), staged{}, lesson.Lesson{}, []lesson.Check{{ID: "4.1"}}, Reporting{}); err != nil {
		t.Errorf("when nobody wants to know: %v", err)
	}
}
