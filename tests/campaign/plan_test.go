package campaign

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/proxy"
)

func TestAPlanIsReadFromItsLine(t *testing.T) {
	for _, line := range []string{
		"three-steps: no fault",
		"suspend: native protobuf",
		"three-steps: lose reply: create jobs web/build #1",
		"ttl: hold all: MODIFIED sequentialjobs web #2",
		"three-steps: crash after commit: create jobs web/build #1; crash after commit: write #2 of instance 2",
		"suspend: crash at: MODIFIED jobs web/build #1; start stale at: ADDED sequentialjobs web #1",
	} {
		plan, err := ParsePlan(line)
		if err != nil {
			t.Errorf("ParsePlan(%q): %v", line, err)
		}
		if plan.String() != line {
			t.Errorf("ParsePlan(%q) is a plan with the line %q", line, plan)
		}
	}
}

func TestABadPlanIsExplained(t *testing.T) {
	for line, want := range map[string]string{
		"":                               "is no plan such as",
		"three-steps":                    "is no plan such as",
		"four-steps: no fault":           "there are: three-steps, continue",
		"three-steps: unplug: the cable": "there are these actions: lose request",
		"three-steps: lose reply: create jobs web/build":               "is no call such as",
		"three-steps: hold: MODIFIED jobs web/build #0":                "is no number from 1 on",
		"three-steps: crash after commit: write #x of you":             `is not of the form "write #3 of instance 2"`,
		"three-steps: lose reply: create jobs web/build #1; and so on": "is no fault such as",
	} {
		if _, err := ParsePlan(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParsePlan(%q): %v; want an error with %q", line, err, want)
		}
	}
}

var (
	claim  = history.Call{Verb: "patch", Resource: "sequentialjobs/status", Object: "web", Nth: 1}
	create = history.Call{Verb: "create", Resource: "jobs", Object: "web/fetch", Nth: 1}
	read   = history.Call{Verb: "get", Resource: "jobs", Object: "web/fetch", Nth: 1}

	jobAdded   = history.Moment{Type: "ADDED", Resource: "jobs", Object: "web/fetch", Nth: 1}
	jobDeleted = history.Moment{Type: "DELETED", Resource: "jobs", Object: "web/fetch", Nth: 1}
)

func TestEnumerate(t *testing.T) {
	// at are the plans with actions at one place.
	at := func(place string, actions ...string) (plans []string) {
		for _, action := range actions {
			plans = append(plans, "ttl: "+action+": "+place)
		}
		return plans
	}
	tests := map[string]struct {
		baseline Baseline
		want     [][]string // besides those without faults
	}{
		"a read can fail and nothing else": {
			Baseline{Calls: []history.Call{read}},
			[][]string{at("get jobs web/fetch #1", "lose request", "answer 429", "answer 500", "answer 504")},
		},
		"nobody can write on an object that does not exist yet": {
			Baseline{Calls: []history.Call{create}},
			[][]string{at("create jobs web/fetch #1", "lose request", "answer 429", "answer 500", "answer 504", "lose reply",
				"answer 503 after commit", "crash before", "crash after commit", "crash after reply", "commit late")},
		},
		"a deletion can be missed; a stale list shows what was before": {
			Baseline{Moments: []history.Moment{jobAdded, jobDeleted}},
			[][]string{
				at("ADDED jobs web/fetch #1", "hold", "hold all", "cut", "crash at"),
				at("DELETED jobs web/fetch #1", "hold", "hold all", "cut", "crash at", "hold, cut, 410"),
				{"ttl: crash at: DELETED jobs web/fetch #1; start stale at: ADDED jobs web/fetch #1"},
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.baseline.Scenario = "ttl"
			want := append([]string{"ttl: no fault", "ttl: native protobuf"}, slices.Concat(test.want...)...)
			if diff := cmp.Diff(want, lines(enumerate(test.baseline))); diff != "" {
				t.Errorf("plans (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStaleStarts(t *testing.T) {
	moment := func(resource string, nth int) history.Moment {
		return history.Moment{Type: "MODIFIED", Resource: resource, Object: "web", Nth: nth}
	}
	const objects = "sequentialjobs"
	earlier := []history.Moment{moment(jobs, 1), moment(objects, 1), moment(jobs, 2), moment(jobs, 3), moment(jobs, 4), moment(objects, 2)}
	tests := map[string]struct {
		earlier []history.Moment
		moment  history.Moment
		want    []proxy.Fault
	}{
		"nothing was before": {moment: moment(objects, 1)},
		"at a Job's event all is stale": {
			earlier: earlier, moment: moment(jobs, 5),
			want: []proxy.Fault{{Action: proxy.StaleStart, Moment: moment(objects, 2)}},
		},
		"at a SequentialJob's event its Jobs may be": {
			earlier: earlier, moment: moment(objects, 3),
			want: []proxy.Fault{
				{Action: proxy.StaleStart, Moment: moment(objects, 2)},
				{Action: proxy.StaleKind, Moment: moment(jobs, 4)},
				{Action: proxy.StaleKind, Moment: moment(jobs, 3)},
				{Action: proxy.StaleKind, Moment: moment(jobs, 2)},
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, staleStarts(test.earlier, test.moment)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSecondCrashesComeAfterEachWriteThatIsLeft(t *testing.T) {
	want := [][]proxy.Fault{{
		{Action: proxy.CrashAfterCommit, Call: claim},
		{Action: proxy.CrashAfterCommit, Write: 1, Instance: 2},
	}}
	if diff := cmp.Diff(want, secondCrashes([]history.Call{read, claim, create})); diff != "" {
		t.Errorf("second crashes (-want +got):\n%s", diff)
	}
}

func TestEveryEnumeratedPlanCanBeReplayed(t *testing.T) {
	baseline := Baseline{Scenario: "three-steps", Calls: []history.Call{claim, create, read}, Moments: []history.Moment{jobAdded, jobDeleted}}
	for _, plan := range enumerate(baseline) {
		again, err := ParsePlan(plan.String())
		if err != nil {
			t.Errorf("%s: %v", plan, err)
		}
		if diff := cmp.Diff(plan.Faults, again.Faults); diff != "" {
			t.Errorf("%s, read again (-want +got):\n%s", plan, diff)
		}
	}
}

func TestASampleIsFixedAndSpread(t *testing.T) {
	plans := enumerate(Baseline{Scenario: "three-steps", Calls: []history.Call{claim, create}, Moments: []history.Moment{jobAdded}})
	first, second := lines(share(plans, 8)), lines(share(plans, 8))
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("two samples differ:\n%s", diff)
	}
	kinds := map[string]bool{}
	for _, plan := range share(plans, 8) {
		kinds[plan.Kind] = true
	}
	if len(first) != 8 || len(kinds) != 8 {
		t.Errorf("a sample of 8 has %d plans of %d kinds: %q", len(first), len(kinds), first)
	}
}

func lines(plans []Plan) []string {
	var lines []string
	for _, plan := range plans {
		lines = append(lines, plan.String())
	}
	return lines
}
