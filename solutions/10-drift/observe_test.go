package main

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"

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
}

func TestIsLate(t *testing.T) {
	running := makeObject(v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepRunning)
	for name, test := range map[string]struct {
		object *v1alpha1.SequentialJob
		job    *batchv1.Job
		want   bool
		reason string
	}{
		"a new one":              {ended(time.Hour, 2*time.Hour), makeJob("late"), true, "the status does not know it"},
		"recorded":               {ended(time.Hour, 2*time.Hour), makeJob("build"), false, "it belongs to the run"},
		"a new one has finished": {ended(time.Hour, 2*time.Hour), makeJob("late", batchv1.JobFailed), false, "nothing of it runs"},
		"a new one is deleted":   {ended(time.Hour, 2*time.Hour), deleting(makeJob("late")), false, "it is being stopped"},
		"the run has not ended":  {running, makeJob("late"), false, "it may become the step's Job"},
	} {
		if got := isLate(test.object, test.job); got != test.want {
			t.Errorf("%s: %t, want %t: %s", name, got, test.want, test.reason)
		}
	}
}

func TestStepOf(t *testing.T) {
	for name, test := range map[string]struct {
		job    string // for which step it was made
		label  string // empty if it has none
		states []v1alpha1.StepState
		want   string
		reason string
	}{
		"nothing recorded":        {"test", "test", []v1alpha1.StepState{v1alpha1.StepSucceeded, v1alpha1.StepPending}, "test", "it has just been created"},
		"recorded":                {"build", "build", []v1alpha1.StepState{v1alpha1.StepRunning}, "build", "it is the one"},
		"recorded, another label": {"build", "test", []v1alpha1.StepState{v1alpha1.StepSucceeded, v1alpha1.StepPending}, "build", "a user can change labels"},
		"recorded, no label":      {"build", "", []v1alpha1.StepState{v1alpha1.StepRunning}, "build", "a user can remove labels"},
		"another is recorded":     {"other", "build", []v1alpha1.StepState{v1alpha1.StepRunning}, "", "a user has replaced it"},
		"no label":                {"test", "", []v1alpha1.StepState{v1alpha1.StepSucceeded, v1alpha1.StepPending}, "", "nothing says which step it is for"},
	} {
		job := makeJob(test.job)
		if test.label != "" {
			job.Labels = map[string]string{v1alpha1.LabelStep: test.label}
		}
		if got := stepOf(makeObject(test.states...), job); got != test.want {
			t.Errorf("%s: step %q, want %q: %s", name, got, test.want, test.reason)
		}
	}
}
