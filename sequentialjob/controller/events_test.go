package controller

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestEventsBetween(t *testing.T) {
	const undecided = metav1.ConditionUnknown
	running := func() *objectBuilder { return makeObject("web").steps("build", "test").running("build") }
	for name, test := range map[string]struct {
		before *objectBuilder
		after  *objectBuilder
		want   []string // kind, reason, action: message
		reason string
	}{
		"first status": {
			before: makeObject("web"),
			after:  makeObject("web").steps("build").claimed("build"),
			reason: "a claim is no event yet",
		},
		"nothing new": {
			before: running(), after: running(),
			reason: "an event that is sent in each reconcile hides all others",
		},
		"step started": {
			before: makeObject("web").steps("build", "test").claimed("build"),
			after:  running(),
			reason: "the status says so, with the Job's name and the time",
		},
		"next step claimed": {
			before: running(),
			after:  makeObject("web").steps("build", "test").claimed("test"),
			reason: "the Job controller has reported the success; a claim is no event",
		},
		"step failed, the run continues": {
			before: running(),
			after:  makeObject("web").steps("build", "test").claimed("test").record("build", v1alpha1.StepFailed, "BackoffLimitExceeded"),
			want:   []string{`Warning StepFailed RunStep: step "build" failed: BackoffLimitExceeded: `},
			reason: "a run that continues can still succeed, so nothing else would tell",
		},
		"last step failed, and the run succeeds nevertheless": {
			before: running(),
			after:  running().record("build", v1alpha1.StepFailed, "BackoffLimitExceeded").succeeded(metav1.ConditionTrue, v1alpha1.ReasonStepsFailed, "1 failed with onFailure: Continue"),
			want: []string{
				`Warning StepFailed RunStep: step "build" failed: BackoffLimitExceeded: `,
				"Normal Succeeded Finish: 1 failed with onFailure: Continue",
			},
			reason: "the run's message counts failures, but doesn't say which step failed, nor why",
		},
		"step failed, then the run is stopped": {
			before: running(),
			after:  running().record("build", v1alpha1.StepFailed, "BackoffLimitExceeded").succeeded(undecided, v1alpha1.ReasonDeadlineExceeded, "stopping"),
			want: []string{
				`Warning StepFailed RunStep: step "build" failed: BackoffLimitExceeded: `,
				"Warning DeadlineExceeded StopJob: stopping",
			},
			reason: "in the order in which it happened",
		},
		"step skipped": {
			before: running(),
			after:  running().record("test", v1alpha1.StepSkipped, v1alpha1.ReasonRunFailed),
			reason: "the event about the run's end says that",
		},
		"succeeded": {
			before: running(),
			after:  running().record("build", v1alpha1.StepSucceeded, "").succeeded(metav1.ConditionTrue, v1alpha1.ReasonAllStepsSucceeded, "2 succeeded"),
			want:   []string{"Normal Succeeded Finish: 2 succeeded"},
			reason: "one event for the end",
		},
		"failed": {
			before: running(),
			after:  running().record("build", v1alpha1.StepFailed, v1alpha1.ReasonJobDeleted).succeeded(metav1.ConditionFalse, v1alpha1.ReasonJobDeleted, `step "build" failed: JobDeleted: `),
			want:   []string{`Warning Failed Finish: step "build" failed: JobDeleted: `},
			reason: "the run's message names the step, and why; saying it twice hides other events",
		},
		"still failed, for a new generation": {
			before: running().succeeded(metav1.ConditionFalse, v1alpha1.ReasonStepFailed, "failed"),
			after:  running().succeeded(metav1.ConditionFalse, v1alpha1.ReasonStepFailed, "failed").generation(2),
			reason: "a run ends once",
		},
		"name taken": {
			before: makeObject("web").steps("build").claimed("build"),
			after:  makeObject("web").steps("build").claimed("build").succeeded(undecided, v1alpha1.ReasonJobConflict, "delete that Job"),
			want:   []string{"Warning JobConflict CreateJob: delete that Job"},
			reason: "a user must act",
		},
		"name still taken, by another": {
			before: makeObject("web").steps("build").claimed("build").succeeded(undecided, v1alpha1.ReasonJobConflict, "delete that Job"),
			after:  makeObject("web").steps("build").claimed("build").succeeded(undecided, v1alpha1.ReasonJobConflict, "delete the other Job"),
			reason: "a changing message is no new event: it would come with each try",
		},
		"refused": {
			before: makeObject("web").steps("build").claimed("build"),
			after:  makeObject("web").steps("build").claimed("build").succeeded(undecided, v1alpha1.ReasonJobRefused, "quota"),
			want:   []string{"Warning JobRefused CreateJob: quota"},
			reason: "a user must act",
		},
		"refused in the first status": {
			before: makeObject("web"),
			after:  makeObject("web").steps("build").claimed("build").succeeded(undecided, v1alpha1.ReasonJobRefused, "quota"),
			want:   []string{"Warning JobRefused CreateJob: quota"},
			reason: "what was not recorded before is new",
		},
		"stopping at the deadline": {
			before: running(),
			after:  running().succeeded(undecided, v1alpha1.ReasonDeadlineExceeded, "stopping"),
			want:   []string{"Warning DeadlineExceeded StopJob: stopping"},
			reason: "a user who sees a Job being deleted wants to know why",
		},
		"stopping a replacement": {
			before: running(),
			after:  running().succeeded(undecided, v1alpha1.ReasonJobDeleted, "stopping"),
			want:   []string{"Warning JobDeleted StopJob: stopping"},
			reason: "a user who sees a Job being deleted wants to know why",
		},
		"deadline, from stopping to failed": {
			before: running().succeeded(undecided, v1alpha1.ReasonDeadlineExceeded, "stopping"),
			after:  running().record("build", v1alpha1.StepFailed, v1alpha1.ReasonDeadlineExceeded).succeeded(metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, `step "build" failed: DeadlineExceeded: `),
			want:   []string{`Warning Failed Finish: step "build" failed: DeadlineExceeded: `},
			reason: "the same reason, but with another status",
		},
		"running again": {
			before: makeObject("web").steps("build", "test").claimed("build").succeeded(undecided, v1alpha1.ReasonJobConflict, ""),
			after:  running(),
			reason: "the status says that the conflict is over",
		},
		"suspended": {
			before: running(),
			after:  running().recordSuspended(noon).succeeded(undecided, v1alpha1.ReasonSuspended, ""),
			want:   []string{`Normal Suspended Suspend: suspended at step "build"`},
			reason: "reported when it is so, not when it was asked for",
		},
		"suspended in the first status": {
			before: makeObject("web"),
			after:  makeObject("web").steps("build").about("build").recordSuspended(noon),
			want:   []string{`Normal Suspended Suspend: suspended at step "build"`},
			reason: "it explains why nothing starts",
		},
		"resumed": {
			before: running().recordSuspended(noon).succeeded(undecided, v1alpha1.ReasonSuspended, ""),
			after:  running(),
			want:   []string{`Normal Resumed Resume: resumed at step "build"`},
			reason: "the counterpart",
		},
		"ended while suspended": {
			before: running().recordSuspended(noon).succeeded(undecided, v1alpha1.ReasonSuspended, ""),
			after:  running().record("build", v1alpha1.StepFailed, v1alpha1.ReasonJobDeleted).succeeded(metav1.ConditionFalse, v1alpha1.ReasonJobDeleted, `step "build" failed: JobDeleted: `),
			want:   []string{`Warning Failed Finish: step "build" failed: JobDeleted: `},
			reason: "an ended run was not resumed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, event := range eventsBetween(&test.before.obj().Status, &test.after.obj().Status) {
				got = append(got, event.kind+" "+event.reason+" "+event.action+": "+event.message)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s; events (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}

// The API refuses an event whose note is longer than 1024 bytes, and no log or metric would show it.
func TestEventsFitIntoTheAPI(t *testing.T) {
	const most = 1024
	name, step := strings.Repeat("o", 22), strings.Repeat("s", 40) // as long as the API allows
	object := makeObject(name).steps(step).claimed(step).obj()
	long := shorten(strings.Repeat("message ", 1000))
	for _, reason := range []string{v1alpha1.ReasonInvalidJobTemplate, v1alpha1.ReasonJobRefused, v1alpha1.ReasonJobConflict} {
		seen := facts{now: noon, object: object, refusal: &refusal{reason: reason, message: long}}
		after := assess(seen)
		events := eventsBetween(&object.Status, &after)
		if len(events) == 0 {
			t.Errorf("%s: no event", reason)
		}
		for _, event := range events {
			if length := len(event.message); length > most {
				t.Errorf("%s: event %s is %d bytes long, more than %d", reason, event.reason, length, most)
			}
		}
	}
}

func TestFailureThatDoesNotEndTheRunIsReported(t *testing.T) {
	object := makeObject("web").steps("build", "test").continueAfter("build").running("build").deadline(60).obj()
	after := assess(facts{now: noon.Add(time.Hour), object: object, job: makeJob("build").failed("BackoffLimitExceeded", "too often").obj()})
	if summary(&after).Reason != v1alpha1.ReasonDeadlineExceeded {
		t.Fatalf("the run ended with %s, and was to end at its deadline", summary(&after).Reason)
	}
	for _, event := range eventsBetween(&object.Status, &after) {
		if event.reason == "StepFailed" {
			return
		}
	}
	t.Error("no event says that build failed: the one about the run's end speaks of the deadline")
}
