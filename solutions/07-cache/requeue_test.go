package main

import (
	"math"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestRequeueAfter(t *testing.T) {
	longest := started(0, makeObject())
	longest.Spec.ActiveDeadlineSeconds = ptr.To(int64(math.MaxInt32))
	spent := limited(time.Hour, started(2*time.Hour, makeObject()))
	spent.Status.SuspendedSeconds = int64((90 * time.Minute) / time.Second)

	for name, test := range map[string]struct {
		object *v1alpha1.SequentialJob
		want   time.Duration
		reason string
	}{
		"no limit":                  {started(0, makeObject()), 0, "only an event can change anything"},
		"not started":               {limited(time.Hour, makeObject()), 0, "the clock does not run"},
		"half of the time has gone": {limited(time.Hour, started(30*time.Minute, makeObject())), 30 * time.Minute, "nothing else happens at the deadline"},
		"the longest deadline":      {longest, math.MaxInt32 * time.Second, "it is legal"},
		"suspended":                 {suspendedFor(10*time.Minute, limited(time.Hour, started(30*time.Minute, makeObject()))), 0, "the clock stands still"},
		"has been suspended":        {spent, 30 * time.Minute, "that time does not count"},
		"reached":                   {limited(time.Hour, started(2*time.Hour, makeObject())), 0, "that is dealt with already"},
		"ended, and kept":           {ended(time.Hour, 3*time.Hour), 2 * time.Hour, "nothing else happens then"},
		"ended, and expired":        {ended(3*time.Hour, time.Hour), 0, "that is dealt with already"},
		"ended, with a deadline":    {limited(3*time.Hour, started(2*time.Hour, ended(time.Hour, 2*time.Hour))), time.Hour, "the deadline is over"},
	} {
		if got := requeueAfter(facts{now: noon, object: test.object}, test.object.Status); got != test.want {
			t.Errorf("%s: %s, want %s: %s", name, got, test.want, test.reason)
		}
	}
}

func TestSuspendedTimeDoesNotCount(t *testing.T) {
	object := suspendedFor(time.Hour, limited(2*time.Hour, started(90*time.Minute, makeObject(v1alpha1.StepSucceeded))))
	object.Status.SuspendedSeconds = 60
	seen := facts{now: noon, object: object}
	if left, _ := timeLeft(object, &object.Status, noon); left != 91*time.Minute {
		t.Errorf("%s left, want 1h31m0s: the clock has stood still for an hour, and for a minute before", left)
	}
	if got, want := assess(seen).SuspendedSeconds, int64(3660); got != want {
		t.Errorf("suspendedSeconds is %d, want %d: the suspension ends now", got, want)
	}
	suspended(object)
	if got, want := assess(seen).SuspendedSeconds, int64(60); got != want {
		t.Errorf("suspendedSeconds is %d, want %d: the suspension still lasts", got, want)
	}
}
