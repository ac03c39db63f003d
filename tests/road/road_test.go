package road

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/tests/campaign"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/proxy"
)

func plan(scenario string, survived bool, actions ...proxy.Action) campaign.Result {
	result := campaign.Result{Plan: campaign.Plan{Scenario: scenario, Kind: campaign.NoFault}}
	for _, action := range actions {
		result.Plan.Kind = string(action)
		result.Plan.Faults = append(result.Plan.Faults, proxy.Fault{Action: action})
	}
	if !survived {
		result.Findings = []finding.Finding{{What: "wrong"}}
	}
	return result
}

func resultOf(t *testing.T, plans ...campaign.Result) Result {
	t.Helper()
	result, err := ResultOf("h1:code", campaign.Report{Results: plans})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestResultOf(t *testing.T) {
	nothing := plan("ttl", true, proxy.Cut)
	nothing.Missed = nothing.Plan.Faults
	got := resultOf(t,
		plan("suspend", false),
		plan("ttl", true), plan("ttl", false, proxy.Hold), plan("ttl", true, proxy.HoldAll), nothing,
		plan("ttl", true, proxy.CrashAtEvent, proxy.StaleKind), plan("ttl", false, proxy.CrashAfterCommit, proxy.CrashAfterCommit),
		plan("ttl", true, proxy.Conflict), plan("ttl", false, proxy.Conflict), plan("ttl", true, proxy.Conflict), // three runs of one plan
	)
	want := Result{Code: "h1:code", Unfit: []string{"suspend"}, Plans: map[string]map[Fault]Count{"ttl": {
		"none":                             {1, 1},
		"events that are late":             {1, 2},
		"a crash":                          {0, 1},
		"another client that writes first": {0, 1},
		"a crash, and a restart with a stale list": {1, 1},
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ResultOf (-want +got): %s", diff)
	}
}

func TestAPlanWithoutARowIsAnError(t *testing.T) {
	_, err := ResultOf("", campaign.Report{Results: []campaign.Result{plan("ttl", true, proxy.AnswerDenied)}})
	if err == nil || !strings.Contains(err.Error(), "tests/road/faults.go") {
		t.Errorf("error %v, want one that says where to add a row", err)
	}
}

func TestPage(t *testing.T) {
	all := []Controller{{"lesson 7", "seven"}, {"lesson 8", "eight"}, Operator}
	record := Record{Sample: true, Results: map[string]Result{"lesson 8": resultOf(t, plan("suspend", false), plan("ttl", true), plan("ttl", false, proxy.Hold))}}
	var empty strings.Builder
	record.write(&empty, all)
	if strings.Contains(empty.String(), "| fault |") {
		t.Errorf("without the operator, with which the others are compared, there is a table:\n%s", empty.String())
	}

	record.Results["operator"] = resultOf(t, plan("suspend", true), plan("suspend", true, proxy.Hold), plan("suspend", true, proxy.Cut), plan("ttl", true))
	var page strings.Builder
	record.write(&page, all)
	for _, want := range []string{
		"x-axis [\"lesson 8\", \"operator\"]\n", "  bar [20, 100]\n", // lesson 8: one of its own two plans, none of the operator's three
		"\nA fixed sample of the plans",
		"| fault | lesson 8 | operator |\n|---|---|---|\n",
		"| none | 1 of 2 | 2 of 2 |\n",
		"| a watch that is interrupted | 0 of 1 | 1 of 1 |\n",
		"| a crash | — | — |\n",
		"| **all** | 1 of 5 | 4 of 4 |\n",
		"| lesson 8 | suspend |\n| operator | none |\n",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks\n%s\nIt is\n%s", want, page.String())
		}
	}
}

func TestAlmostAllIsNotAll(t *testing.T) {
	if got := (Count{999, 1000}).percent(); got != 99 {
		t.Errorf("999 of 1000 are shown as %d %%", got)
	}
}

func TestTheHashOfAControllerChangesWithItsCode(t *testing.T) {
	hashes := map[string]string{}
	for _, controller := range Controllers() {
		hash, err := controller.Hash()
		if err != nil {
			t.Fatalf("%s: %v", controller.Name, err)
		}
		if other, is := hashes[hash]; is {
			t.Errorf("%s and %s have the same hash", controller.Name, other)
		}
		hashes[hash] = controller.Name
	}
}
