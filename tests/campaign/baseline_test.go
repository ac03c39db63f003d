package campaign

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/tests/kit/history"
)

func TestABaselineHasTheLongestWayOfAllItsRuns(t *testing.T) {
	short, long := suspendedGoes("one", "False"), suspendedGoes("two", "False", "True", "False")
	longer := suspendedGoes("three", "False", "True", "False", "True")
	for name, order := range map[string][]history.Run{
		"it comes first":  {long, short, short},
		"it comes second": {short, long, short},
		"it comes last":   {short, short, long},
	} {
		var results []Result
		for _, run := range order {
			results = append(results, Result{Run: run})
		}
		baseline, failed := newBaseline(scenario{name: "web"}, results)
		if failed != nil {
			t.Fatalf("%s: the runs have nothing in common: %v", name, failed.Findings)
		}
		if more := flipsOf(long).more(baseline.flips); more != nil {
			t.Errorf("%s: a way that one of the runs went is too long: %q", name, more)
		}
		want := []string{"Suspended went False, True, False, True; without faults False, True, False"}
		if diff := cmp.Diff(want, flipsOf(longer).more(baseline.flips)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
