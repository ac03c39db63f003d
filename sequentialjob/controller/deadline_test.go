package controller

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestDeadlineLeft(t *testing.T) {
	running := func() *objectBuilder { return makeObject("web").steps("build").running("build") }
	for name, test := range map[string]struct {
		object      *objectBuilder
		after       time.Duration
		want        time.Duration
		wantLimited bool
		wantReached bool
		reason      string
	}{
		"no deadline": {
			object: running(), after: 1000 * time.Hour,
			reason: "without activeDeadlineSeconds a run may take indefinitely",
		},
		"not started": {
			object: makeObject("web").steps("build").deadline(60), after: time.Hour,
			reason: "the clock starts with the run, not with the object",
		},
		"halfway": {
			object: running().deadline(60), after: 20 * time.Second,
			want: 40 * time.Second, wantLimited: true,
			reason: "counted from status.startTime",
		},
		"to the nanosecond": {
			object: running().deadline(60), after: time.Minute - 1,
			want: 1, wantLimited: true,
			reason: "a wake-up that comes just before the deadline must come again",
		},
		"reached": {
			object: running().deadline(60), after: time.Minute,
			want: 0, wantLimited: true, wantReached: true,
			reason: "a wake-up at the very moment must find it reached, or nothing wakes the run again",
		},
		"long past": {
			object: running().deadline(60), after: time.Hour,
			want: -59 * time.Minute, wantLimited: true, wantReached: true,
			reason: "the controller may have been down when it passed",
		},
		"suspended": {
			object: running().deadline(60).recordSuspended(noon.Add(20 * time.Second)), after: time.Hour,
			want: 40 * time.Second, wantLimited: true,
			reason: "the clock stands still",
		},
		"suspended, and the limit lowered to what is used up": {
			object: running().deadline(20).recordSuspended(noon.Add(20 * time.Second)), after: time.Hour,
			want: 0, wantLimited: true, wantReached: true,
			reason: "no time is left in which it could continue",
		},
		"suspended before": {
			object: running().deadline(60).suspendedFor(30), after: 80 * time.Second,
			want: 10 * time.Second, wantLimited: true,
			reason: "time spent suspended is not counted",
		},
		"suspension requested only": {
			object: running().deadline(60).suspend(), after: 50 * time.Second,
			want: 10 * time.Second, wantLimited: true,
			reason: "the clock is stopped only once nothing runs",
		},
	} {
		t.Run(name, func(t *testing.T) {
			object := test.object.obj()
			got, limited := deadlineLeft(object, &object.Status, noon.Add(test.after))
			if got != test.want || limited != test.wantLimited {
				t.Errorf("deadlineLeft() = %v, %t, want %v, %t: %s", got, limited, test.want, test.wantLimited, test.reason)
			}
			if reached := deadlineReached(facts{object: object, now: noon.Add(test.after)}); reached != test.wantReached {
				t.Errorf("deadlineReached() = %t, want %t: %s", reached, test.wantReached, test.reason)
			}
		})
	}
}

// The longest deadline that the API takes, after a longer suspension than there can have been: it
// must not overflow into one that is reached immediately.
func TestLongestDeadline(t *testing.T) {
	const (
		longest      = 1<<31 - 1 // the CRD's maximum, in seconds
		twoCenturies = 200 * 365 * 24 * 60 * 60
	)
	for name, suspendedFor := range map[string]int64{"never suspended": 0, "suspended once": 60, "suspended for two centuries": twoCenturies} {
		t.Run(name, func(t *testing.T) {
			object := makeObject("web").steps("build").running("build").deadline(longest).suspendedFor(suspendedFor).obj()
			end := noon.Add(longest * time.Second).Add(time.Duration(suspendedFor) * time.Second)
			if left, limited := deadlineLeft(object, &object.Status, end.Add(-time.Second)); left != time.Second || !limited {
				t.Errorf("a second before the deadline, deadlineLeft() = %v, %t", left, limited)
			}
			if deadlineReached(facts{object: object, now: noon.Add(time.Hour)}) {
				t.Errorf("reached after an hour")
			}
			if !deadlineReached(facts{object: object, now: end}) {
				t.Errorf("not reached at %v", end)
			}
		})
	}
}

func TestCountSuspension(t *testing.T) {
	for name, test := range map[string]struct {
		status v1alpha1.SequentialJobStatus
		since  time.Duration // of noon
		until  time.Duration
		want   int64
		reason string
	}{
		"before the run": {
			since: 0, until: time.Hour, want: 0,
			reason: "what was before the start is not part of the run's time",
		},
		"first": {
			status: makeObject("web").started(noon).obj().Status,
			since:  10 * time.Second, until: 30 * time.Second, want: 20,
			reason: "the deadline moves by what was lost",
		},
		"second": {
			status: makeObject("web").started(noon).suspendedFor(5).obj().Status,
			since:  10 * time.Second, until: 30 * time.Second, want: 25,
			reason: "suspensions add up",
		},
		"since before the start": {
			status: makeObject("web").started(noon.Add(20 * time.Second)).obj().Status,
			since:  0, until: 30 * time.Second, want: 10,
			reason: "only what lies within the run's time extends it",
		},
		"clock set back": {
			status: makeObject("web").started(noon).suspendedFor(5).obj().Status,
			since:  30 * time.Second, until: 10 * time.Second, want: 5,
			reason: "another replica's clock must not shorten the deadline, and the API refuses negative values",
		},
	} {
		t.Run(name, func(t *testing.T) {
			suspended := &metav1.Condition{LastTransitionTime: metav1.NewTime(noon.Add(test.since))}
			countSuspension(&test.status, suspended, noon.Add(test.until))
			if got := test.status.SuspendedSeconds; got != test.want {
				t.Errorf("suspendedSeconds = %d, want %d: %s", got, test.want, test.reason)
			}
		})
	}
}

// Of two steps that have the reason, only the one that was running was stopped.
func TestStoppedAtDeadlineIsTheCurrentStep(t *testing.T) {
	stopping := makeObject("web").steps("build", "test").running("test").
		record("build", v1alpha1.StepFailed, "DeadlineExceeded").succeeded(metav1.ConditionUnknown, v1alpha1.ReasonDeadlineExceeded, "")
	ended := makeObject("web").steps("build", "test").running("test").succeeded(metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "")
	failed := func(name, reason string) *v1alpha1.StepStatus {
		return &v1alpha1.StepStatus{Name: name, State: v1alpha1.StepFailed, Reason: reason}
	}
	for name, test := range map[string]struct {
		object *objectBuilder
		job    *jobBuilder
		step   *v1alpha1.StepStatus
		want   bool
		reason string
	}{
		"current step":                      {stopping, nil, failed("test", v1alpha1.ReasonDeadlineExceeded), true, "it was to be stopped"},
		"earlier step":                      {stopping, nil, failed("build", "DeadlineExceeded"), false, "it had finished before; the reason is its Job's"},
		"current step, failed of something": {stopping, nil, failed("test", "BackoffLimitExceeded"), false, "what happened counts, not what was meant to"},
		"current step, Job's own deadline":  {stopping, makeJob("test").failed("DeadlineExceeded", "it took too long"), failed("test", "DeadlineExceeded"), false, "the Job failed by itself"},
		"no stop claimed":                   {ended, nil, failed("test", "DeadlineExceeded"), false, "the reason is the Job's"},
	} {
		t.Run(name, func(t *testing.T) {
			seen := facts{object: test.object.obj()}
			if test.job != nil {
				seen.job = test.job.obj()
			}
			if got := stoppedAtDeadline(test.step, seen); got != test.want {
				t.Errorf("stoppedAtDeadline() = %t, want %t: %s", got, test.want, test.reason)
			}
		})
	}
}

func TestDeadlineOnceClaimedIsNotTakenBack(t *testing.T) {
	object := makeObject("web").steps("build", "test").continueAfter("build").running("build").
		succeeded(metav1.ConditionUnknown, v1alpha1.ReasonDeadlineExceeded, "").obj() // the deadline has been removed since
	object.Status = assess(facts{now: noon, object: object, job: makeJob("build").uid("other").obj()})
	if after := assess(facts{now: noon, object: object}); !finished(&after) {
		t.Errorf("the run continues after its Job was stopped at the deadline: %s", summary(&after).Message)
	}
}
