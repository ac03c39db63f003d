package main

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestIsJobOf(t *testing.T) {
	for name, test := range map[string]struct {
		recorded types.UID
		created  types.UID
		want     bool // of the Job uid-of-build
		reason   string
	}{
		"nothing known":                    {"", "", true, "an earlier process has created it"},
		"created":                          {"", "uid-of-build", true, "it is the one"},
		"another was created":              {"", "uid-of-another", false, "a user has replaced it"},
		"recorded":                         {"uid-of-build", "", true, "it is the one"},
		"another is recorded":              {"uid-of-another", "", false, "a user has replaced it"},
		"another is recorded, created":     {"uid-of-another", "uid-of-build", false, "the status comes first"},
		"recorded, and another is created": {"uid-of-build", "uid-of-another", true, "the status comes first"},
	} {
		step := &v1alpha1.StepStatus{Name: "build", JobName: "web-build", JobUID: test.recorded}
		if got := isJobOf(step, test.created, makeJob("build")); got != test.want {
			t.Errorf("%s: is the step's: %t, want %t: %s", name, got, test.want, test.reason)
		}
	}
	if isJobOf(&v1alpha1.StepStatus{Name: "test", JobName: "web-test"}, "", makeJob("build")) {
		t.Error("Job web-build is the step's whose Job is web-test, want that it is not: its name can't change")
	}
}
