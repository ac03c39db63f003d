package crds_test

import (
	"testing"

	"example.com/controller-course/tests/checks/crds"
	"example.com/controller-course/tests/kit/assert"
)

func TestNaming(t *testing.T) {
	for said, want := range map[string]bool{
		"spec.steps[0].jobTemplate: Invalid value: metadata may set labels only": true,
		"spec.steps[0]: Invalid value: jobTemplate must not set finalizers":      true,
		"spec: Invalid value: every step's jobTemplate must not set finalizers":  true,
		"<nil>: Invalid value: Steps must not set metadata":                      true,
		"spec.steps[0].jobTemplate: Invalid value: must not set labels":          false,
		"metadata: Invalid value: must not set finalizers":                       false,
	} {
		refusal := crds.Refusal{Causes: []string{"spec.startAt: Invalid value: must be the name of a step", said}}
		naming := []string{}
		if want {
			naming = []string{said}
		}
		assert.Equal(t, said, refusal.Naming("steps", "metadata or finalizers"), naming)
	}
}
