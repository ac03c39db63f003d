package main

import (
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestEventsBetween(t *testing.T) {
	quota := &refusal{reason: v1alpha1.ReasonJobRefused, message: "exceeded quota"}
	conflict := &refusal{reason: v1alpha1.ReasonJobConflict, message: "a Job named web-build exists"}
	leaving := &refusal{reason: v1alpha1.ReasonRunning, message: "waiting until another Job named web-build is gone"}
	failed := map[string]*batchv1.Job{"build": makeJob("build", batchv1.JobFailed)}
	for name, test := range map[string]struct {
		seen   facts
		want   string
		reason string
	}{
		"a step starts":         {facts{object: makeObject(), jobs: map[string]*batchv1.Job{"build": makeJob("build")}}, "", "the status says so"},
		"a step fails":          {facts{object: makeObject(v1alpha1.StepRunning), jobs: failed}, "Failed", "one event is enough for the failure that ends the run"},
		"a step fails and may":  {facts{object: continuing("build", makeObject(v1alpha1.StepRunning)), jobs: failed}, "StepFailed", "the run continues"},
		"a step is claimed":     {facts{object: makeObject()}, "", "nothing has started"},
		"refused":               {facts{object: claimed(makeObject()), refusal: quota}, "JobRefused", "a user may have to do something"},
		"refused again":         {facts{object: saying(v1alpha1.ReasonJobRefused, claimed(makeObject())), refusal: quota}, "", "that has been said"},
		"the name is taken":     {facts{object: claimed(makeObject()), refusal: conflict}, "JobConflict", "a user may have to do something"},
		"it is still taken":     {facts{object: saying(v1alpha1.ReasonJobConflict, claimed(makeObject())), refusal: conflict}, "", "that has been said"},
		"it is free soon":       {facts{object: claimed(makeObject()), refusal: leaving}, "", "there is nothing for a user to do"},
		"a created Job is gone": {facts{object: claimed(makeObject()), created: "uid-of-build"}, "Failed", "that is the end"},
		"the last one ends": {facts{object: makeObject(v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepRunning),
			jobs: map[string]*batchv1.Job{"release": makeJob("release", batchv1.JobComplete)}}, "Succeeded", "that is the end"},
	} {
		test.seen.now = noon
		status := assess(test.seen)
		var got []string
		for _, one := range eventsBetween(&test.seen.object.Status, &status) {
			got = append(got, one.reason)
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s: events %q, want %q: %s", name, got, test.want, test.reason)
		}
		if again := eventsBetween(&status, &status); len(again) > 0 {
			t.Errorf("%s: %v is said again", name, again)
		}
	}
}
