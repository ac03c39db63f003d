package scene

import (
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/finding"
)

func TestWhatACauseConcerns(t *testing.T) {
	deleted := finding.Cause{Names: []string{"web", "web-build-x7k2p"}}
	for name, test := range map[string]struct {
		cause finding.Cause
		text  string
		want  bool
	}{
		"its object":                {deleted, "With no fault active for 10 s, web has no Job.", true},
		"its object, at the end":    {deleted, "the status says nothing about web.", true},
		"its Job":                   {deleted, "Job web-build-x7k2p is not suspended", true},
		"another object":            {deleted, "the status of slow does not say Succeeded=False", false},
		"a name that contains it":   {deleted, "web-2 has no Job", false},
		"a cause that concerns all": {finding.Cause{}, "slow has no Job", true},
	} {
		assert.Equal(t, name, concerns(test.cause, test.text), test.want)
	}
}
