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

// No event shows that another owner's Job is gone, or what becomes of a Job that the cache does not have.
func TestRequeueAfterWithoutEvents(t *testing.T) {
	conflict := &refusal{reason: v1alpha1.ReasonJobConflict, requeueAfter: nameTakenRetry}
	quota := &refusal{reason: v1alpha1.ReasonJobRefused}
	limitedTo := func(deadline time.Duration) *v1alpha1.SequentialJob {
		return limited(deadline, started(0, claimed(makeObject())))
	}
	for name, test := range map[string]struct {
		object    *v1alpha1.SequentialJob
		unwatched bool
		refusal   *refusal
		want      time.Duration
		reason    string
	}{
		"the Job is not in the cache": {
			object: makeObject(v1alpha1.StepRunning), unwatched: true,
			want: lookAgain, reason: "its events may never arrive",
		},
		"the Job is not in the cache, and the deadline is near": {
			object: limitedTo(4 * time.Second), unwatched: true,
			want: 4 * time.Second, reason: "the deadline comes first",
		},
		"the Job is not in the cache, and the deadline is far": {
			object: limitedTo(time.Hour), unwatched: true,
			want: lookAgain, reason: "the deadline comes later",
		},
		"the name is taken": {
			object: claimed(makeObject()), refusal: conflict,
			want: nameTakenRetry, reason: "the cache does not have the other Job",
		},
		"the name is taken, and the deadline is near": {
			object: limitedTo(4 * time.Second), refusal: conflict,
			want: 4 * time.Second, reason: "the deadline comes first",
		},
		"the name is taken, and the deadline is far": {
			object: limitedTo(time.Hour), refusal: conflict,
			want: nameTakenRetry, reason: "the deadline comes later",
		},
		"refused": {
			object: claimed(makeObject()), refusal: quota,
			want: 0, reason: "retryAt says when to try again",
		},
		"refused, with a deadline": {
			object: limitedTo(time.Hour), refusal: quota,
			want: time.Hour, reason: "a refusal without a time of its own leaves the deadline as it is",
		},
		"ended": {
			object: ended(time.Hour, 3*time.Hour), unwatched: true, refusal: conflict,
			want: 2 * time.Hour, reason: "a finished run waits only for its ttlSecondsAfterFinished",
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen := facts{now: noon, object: test.object, unwatched: test.unwatched, refusal: test.refusal}
			if got := requeueAfter(seen, test.object.Status); got != test.want {
				t.Errorf("requeued after %s, want %s: %s", got, test.want, test.reason)
			}
		})
	}
}

func TestSooner(t *testing.T) {
	for name, test := range map[string]struct {
		a, b, want time.Duration
		reason     string
	}{
		"never, and never":      {0, 0, 0, "nothing is due"},
		"never, and sometime":   {0, time.Minute, time.Minute, "0 is not a time"},
		"sometime, and never":   {time.Minute, 0, time.Minute, "0 is not a time"},
		"the first is shorter":  {time.Second, time.Minute, time.Second, "the first comes first"},
		"the second is shorter": {time.Minute, time.Second, time.Second, "the second comes first"},
	} {
		if got := sooner(test.a, test.b); got != test.want {
			t.Errorf("%s: sooner(%s, %s) is %s, want %s: %s", name, test.a, test.b, got, test.want, test.reason)
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
