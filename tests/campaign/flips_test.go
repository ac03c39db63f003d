package campaign

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/kit/history"
)

// suspendedGoes is a run in which the condition Suspended of an object goes through statuses.
func suspendedGoes(uid string, statuses ...string) history.Run {
	var run history.Run
	for _, status := range statuses {
		run.Changes = append(run.Changes, history.Change{Resource: "sequentialjobs", Object: &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"uid": uid},
			"status":   map[string]any{"conditions": []any{map[string]any{"type": "Suspended", "status": status}}},
		}}})
	}
	return run
}

func TestAConditionThatGoesBackAndForthIsNoticed(t *testing.T) {
	calm := suspendedGoes("one", "False", "False", "True", "False")
	again := suspendedGoes("one", "False")
	again.Changes = append(again.Changes, suspendedGoes("two", "False", "True", "False").Changes...)
	tests := map[string]struct {
		run  history.Run
		want []string
	}{
		"the same":                       {run: calm},
		"a state was passed by":          {run: suspendedGoes("one", "False")},
		"another object of the name":     {run: again},
		"to and fro":                     {run: suspendedGoes("one", "False", "True", "False", "True", "False"), want: []string{"Suspended went False, True, False, True, False; without faults False, True, False"}},
		"nothing is said":                {run: history.Run{}},
		"nothing was known at first":     {run: suspendedGoes("one", "Unknown", "False", "True", "False")},
		"nothing was known in between":   {run: suspendedGoes("one", "False", "Unknown", "True", "False"), want: []string{"Suspended went False, Unknown, True, False; without faults False, True, False"}},
		"the same is written many times": {run: suspendedGoes("one", "False", "True", "True", "True", "False")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, flipsOf(test.run).more(flipsOf(calm))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
