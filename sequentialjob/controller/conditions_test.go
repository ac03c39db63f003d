package controller

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestSetConditions(t *testing.T) {
	goingOn := outcome{status: metav1.ConditionUnknown, reason: v1alpha1.ReasonRunning, message: "going on"}
	done := outcome{status: metav1.ConditionTrue, reason: v1alpha1.ReasonAllStepsSucceeded, message: "done"}
	failed := outcome{status: metav1.ConditionFalse, reason: v1alpha1.ReasonStepFailed, message: "failed"}

	for name, test := range map[string]struct {
		recorded             *objectBuilder
		job                  *jobBuilder
		run                  outcome
		wantAccepted         string // status and reason
		wantSuspended        string
		wantSucceeded        string
		wantSuspendedSeconds int64
		reason               string
	}{
		"first reconcile": {
			recorded:     makeObject("web").steps("build"),
			run:          goingOn,
			wantAccepted: "True Accepted", wantSuspended: "False NotSuspended", wantSucceeded: "Unknown Running",
			reason: "all conditions are there from the first status on",
		},
		"first reconcile, suspended": {
			recorded:     makeObject("web").steps("build").suspend(),
			run:          goingOn,
			wantAccepted: "True Accepted", wantSuspended: "True Suspended", wantSucceeded: "Unknown Running",
			reason: "nothing has to stop first",
		},
		"suspend requested, Job runs": {
			recorded:     makeObject("web").steps("build").running("build").suspend(),
			job:          makeJob("build"),
			run:          goingOn,
			wantAccepted: "True Accepted", wantSuspended: "False Suspending", wantSucceeded: "Unknown Running",
			reason: "True means that nothing runs, not that this was asked for",
		},
		"suspend requested, Job's suspend set": {
			recorded:     makeObject("web").steps("build").running("build").suspend(),
			job:          makeJob("build").suspendWanted(),
			run:          goingOn,
			wantAccepted: "True Accepted", wantSuspended: "False Suspending", wantSucceeded: "Unknown Running",
			reason: "its pods may still run",
		},
		"suspend requested, Job being deleted": {
			recorded:     makeObject("web").steps("build").running("build").suspend(),
			job:          makeJob("build").deleting(),
			run:          goingOn,
			wantAccepted: "True Accepted", wantSuspended: "False Suspending", wantSucceeded: "Unknown Running",
			reason: "its pods may still run",
		},
		"suspend requested, Job stopped": {
			recorded:     makeObject("web").steps("build").running("build").suspend(),
			job:          makeJob("build").confirmSuspended(),
			run:          goingOn,
			wantAccepted: "True Accepted", wantSuspended: "True Suspended", wantSucceeded: "Unknown Running",
			reason: "from here on the deadline's clock is stopped",
		},
		"suspend requested, the step before has finished": {
			recorded:     makeObject("web").steps("build", "test").running("build").suspend(),
			job:          makeJob("build").complete(),
			run:          goingOn,
			wantAccepted: "True Accepted", wantSuspended: "True Suspended", wantSucceeded: "Unknown Running",
			reason: "a finished Job has nothing to stop",
		},
		"still suspended": {
			recorded:     makeObject("web").steps("build").running("build").suspend().recordSuspended(noon),
			job:          makeJob("build").confirmSuspended(),
			run:          goingOn,
			wantAccepted: "True Accepted", wantSuspended: "True Suspended", wantSucceeded: "Unknown Running",
			reason: "a suspension is counted when it ends, once",
		},
		"resume requested, Job's suspend still set": {
			recorded:     makeObject("web").steps("build").running("build").recordSuspended(noon),
			job:          makeJob("build").confirmSuspended(),
			run:          goingOn,
			wantAccepted: "True Accepted", wantSuspended: "True Suspended", wantSucceeded: "Unknown Running",
			reason: "nothing runs yet, so the clock must not either",
		},
		"resume requested while still suspending, Job's suspend still set": {
			recorded: makeObject("web").steps("build").running("build").
				condition(v1alpha1.ConditionSuspended, metav1.ConditionFalse, v1alpha1.ReasonSuspending, "waiting for Job web-build to stop"),
			job:          makeJob("build").suspendWanted(),
			run:          goingOn,
			wantAccepted: "True Accepted", wantSuspended: "False NotSuspended", wantSucceeded: "Unknown Running",
			reason: "it never was suspended, and spec.suspend is not set",
		},
		"resumed": {
			recorded:     makeObject("web").steps("build").running("build").recordSuspended(noon),
			job:          makeJob("build"),
			run:          goingOn,
			wantAccepted: "True Accepted", wantSuspended: "False NotSuspended", wantSucceeded: "Unknown Running",
			wantSuspendedSeconds: 60,
			reason:               "the deadline moves by the time that was lost",
		},
		"resumed without a Job": {
			recorded:     makeObject("web").steps("build").about("build").recordSuspended(noon),
			run:          goingOn,
			wantAccepted: "True Accepted", wantSuspended: "False NotSuspended", wantSucceeded: "Unknown Running",
			wantSuspendedSeconds: 60,
			reason:               "there is nothing to resume first",
		},
		"Job suspended by another client": {
			recorded:     makeObject("web").steps("build").running("build"),
			job:          makeJob("build").confirmSuspended(),
			run:          goingOn,
			wantAccepted: "True Accepted", wantSuspended: "False NotSuspended", wantSucceeded: "Unknown Running",
			reason: "the condition speaks of spec.suspend",
		},
		"finished": {
			recorded:     makeObject("web").steps("build").running("build").suspend(),
			job:          makeJob("build").complete(),
			run:          done,
			wantAccepted: "True Accepted", wantSuspended: "False Finished", wantSucceeded: "True AllStepsSucceeded",
			reason: "nothing is left to suspend",
		},
		"ended while suspended": {
			recorded:     makeObject("web").steps("build").running("build").suspend().recordSuspended(noon),
			run:          failed,
			wantAccepted: "True Accepted", wantSuspended: "False Finished", wantSucceeded: "False StepFailed",
			wantSuspendedSeconds: 60,
			reason:               "the status says in the end how long the run really took",
		},
		"invalid template": {
			recorded:     makeObject("web").steps("build", "test").claimed("build").record("build", v1alpha1.StepFailed, v1alpha1.ReasonInvalidJobTemplate),
			run:          failed,
			wantAccepted: "False InvalidJobTemplate", wantSuspended: "False Finished", wantSucceeded: "False StepFailed",
			reason: "the spec itself is at fault, which no other failure says",
		},
		"invalid template of an earlier step": {
			recorded:     makeObject("web").steps("build", "test").running("test").record("build", v1alpha1.StepFailed, v1alpha1.ReasonInvalidJobTemplate),
			job:          makeJob("test"),
			run:          goingOn,
			wantAccepted: "False InvalidJobTemplate", wantSuspended: "False NotSuspended", wantSucceeded: "Unknown Running",
			reason: "steps are immutable, so it stays",
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen := facts{now: noon.Add(time.Minute), object: test.recorded.obj()}
			if test.job != nil {
				seen.job = test.job.obj()
			}
			status := seen.object.Status.DeepCopy()
			status.ObservedGeneration = 7
			setConditions(status, seen, test.run)

			want := map[string]string{"Accepted": test.wantAccepted, "Suspended": test.wantSuspended, "Succeeded": test.wantSucceeded}
			got := map[string]string{}
			for _, condition := range status.Conditions {
				got[condition.Type] = string(condition.Status) + " " + condition.Reason
				if condition.ObservedGeneration != 7 {
					t.Errorf("condition %s is of generation %d, want 7: every condition speaks of the same spec", condition.Type, condition.ObservedGeneration)
				}
				if condition.Message == "" {
					t.Errorf("condition %s has no message for people", condition.Type)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s; conditions (-want +got):\n%s", test.reason, diff)
			}
			if status.SuspendedSeconds != test.wantSuspendedSeconds {
				t.Errorf("suspendedSeconds = %d, want %d: %s", status.SuspendedSeconds, test.wantSuspendedSeconds, test.reason)
			}
			if summary := summary(status); summary.Message != test.run.message {
				t.Errorf("message of Succeeded = %q, want that of the run, %q", summary.Message, test.run.message)
			}
		})
	}
}

func TestSetConditionsKeepsTransitionTimes(t *testing.T) {
	object := makeObject("web").steps("build").running("build").obj()
	status := object.Status.DeepCopy()
	later := noon.Add(time.Minute + 400*time.Millisecond)
	setConditions(status, facts{now: later, object: object}, outcome{status: metav1.ConditionTrue, reason: "Done", message: "done"})

	want := map[string]time.Time{
		v1alpha1.ConditionAccepted:  noon,
		v1alpha1.ConditionSuspended: noon,                  // another reason, but the same status
		v1alpha1.ConditionSucceeded: noon.Add(time.Minute), // as the API stores it
	}
	for conditionType, at := range want {
		if got := meta.FindStatusCondition(status.Conditions, conditionType).LastTransitionTime; !got.Time.Equal(at) {
			t.Errorf("lastTransitionTime of %s = %v, want %v: it is when the status changed, in whole seconds", conditionType, got, at)
		}
	}
}

func TestSuspendedMessageNamesTheJob(t *testing.T) {
	object := makeObject("web").steps("build").running("build").suspend().obj()
	got := suspendedCondition(facts{now: noon, object: object, job: makeJob("build").obj()}, outcome{status: metav1.ConditionUnknown}, nil)
	if want := "waiting for Job web-build to stop"; got.Message != want {
		t.Errorf("message = %q, want %q: a user wants to know what the run waits for", got.Message, want)
	}
}

func TestSuspendedMessageSaysThatTheJobIsStillToBeResumed(t *testing.T) {
	object := makeObject("web").steps("build").running("build").recordSuspended(noon).obj()
	before := meta.FindStatusCondition(object.Status.Conditions, v1alpha1.ConditionSuspended)
	got := suspendedCondition(facts{now: noon, object: object, job: makeJob("build").confirmSuspended().obj()}, outcome{status: metav1.ConditionUnknown}, before)
	if want := "Job web-build has not resumed yet"; got.Message != want {
		t.Errorf("message = %q, want %q: spec.suspend asks for nothing any more", got.Message, want)
	}
}

func TestAcceptedMessageNamesTheStep(t *testing.T) {
	b := makeObject("web").steps("build", "test").running("test").record("build", v1alpha1.StepFailed, v1alpha1.ReasonInvalidJobTemplate)
	b.entry("build").Message = "no image"
	if got, want := acceptedCondition(&b.obj().Status).Message, `step "build": no image`; got != want {
		t.Errorf("message = %q, want %q: there may be fifty steps", got, want)
	}
}
