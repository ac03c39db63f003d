package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestAssess(t *testing.T) {
	for name, test := range map[string]struct {
		object      *v1alpha1.SequentialJob
		jobs        map[string]*batchv1.Job
		created     types.UID // of the Job that this process created for the current step
		refusal     *refusal
		wantStates  string
		wantJobs    string // the name of each step's Job, - for none
		wantCurrent string
		wantStatus  metav1.ConditionStatus
		wantReason  string
		wantMessage string
		reason      string
	}{
		"created in this reconcile": {
			object:      claimed(makeObject()),
			jobs:        map[string]*batchv1.Job{"build": makeJob("build")},
			wantStates:  "Running Pending Pending",
			wantJobs:    "web-build - -",
			wantCurrent: "build",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "build" is running as Job web-build`,
			reason: "the status says immediately which Job runs",
		},
		"announced success": {
			object:      makeObject(v1alpha1.StepRunning),
			jobs:        map[string]*batchv1.Job{"build": makeJob("build", batchv1.JobSuccessCriteriaMet)},
			wantStates:  "Running Pending Pending",
			wantJobs:    "web-build - -",
			wantCurrent: "build",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "build" is running as Job web-build`,
			reason: "its pods may still be running",
		},
		"complete": {
			object:      makeObject(v1alpha1.StepRunning),
			jobs:        map[string]*batchv1.Job{"build": makeJob("build", batchv1.JobComplete)},
			wantStates:  "Succeeded Pending Pending",
			wantJobs:    "web-build web-test -",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "test" is about to start`,
			reason: "one write records the end of a step and claims the next one",
		},
		"next one refused": {
			object:      claimed(makeObject(v1alpha1.StepSucceeded)),
			refusal:     &refusal{reason: v1alpha1.ReasonJobRefused, message: "exceeded quota"},
			wantStates:  "Succeeded Pending Pending",
			wantJobs:    "web-build web-test -",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "JobRefused", wantMessage: `step "test" can't start: exceeded quota`,
			reason: "users need to know why the run does not continue",
		},
		"a recorded step's Job is gone": {
			object:      makeObject(v1alpha1.StepSucceeded, v1alpha1.StepRunning),
			jobs:        map[string]*batchv1.Job{"test": makeJob("test")},
			wantStates:  "Succeeded Running Pending",
			wantJobs:    "web-build web-test -",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "test" is running as Job web-test`,
			reason: "what is recorded as done stays done",
		},
		"the running step's Job is gone": {
			object:     makeObject(v1alpha1.StepSucceeded, v1alpha1.StepRunning),
			wantStates: "Succeeded Failed Skipped",
			wantJobs:   "web-build web-test -",
			wantStatus: metav1.ConditionFalse, wantReason: "JobDeleted", wantMessage: `step "test" failed: JobDeleted: Job web-test was deleted`,
			reason: "nobody knows what it has done",
		},
		"refused before, and not tried again yet": {
			object:      saying(v1alpha1.ReasonJobRefused, claimed(makeObject(v1alpha1.StepSucceeded))),
			wantStates:  "Succeeded Pending Pending",
			wantJobs:    "web-build web-test -",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "JobRefused", wantMessage: "recorded before",
			reason: "the step still has no Job",
		},
		"refused for good": {
			object:     claimed(makeObject(v1alpha1.StepSucceeded)),
			refusal:    &refusal{reason: v1alpha1.ReasonJobRefused, message: "spec.template: Required value", final: true},
			wantStates: "Succeeded Failed Skipped",
			wantJobs:   "web-build web-test -",
			wantStatus: metav1.ConditionFalse, wantReason: "InvalidJobTemplate", wantMessage: `step "test" failed: InvalidJobTemplate: spec.template: Required value`,
			reason: "steps never change, so the template stays invalid",
		},
		"refused for good, and may fail": {
			object:      continuing("test", claimed(makeObject(v1alpha1.StepSucceeded))),
			refusal:     &refusal{reason: v1alpha1.ReasonJobRefused, message: "spec.template: Required value", final: true},
			wantStates:  "Succeeded Failed Pending",
			wantJobs:    "web-build web-test web-release",
			wantCurrent: "release",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "release" is about to start`,
			reason: "it is a failure like others",
		},
		"failed, and may": {
			object:      continuing("test", makeObject(v1alpha1.StepSucceeded, v1alpha1.StepRunning)),
			jobs:        map[string]*batchv1.Job{"test": makeJob("test", batchv1.JobFailed)},
			wantStates:  "Succeeded Failed Pending",
			wantJobs:    "web-build web-test web-release",
			wantCurrent: "release",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "release" is about to start`,
			reason: "the run continues",
		},
		"the last one fails, and may": {
			object:     continuing("release", makeObject(v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepRunning)),
			jobs:       map[string]*batchv1.Job{"release": makeJob("release", batchv1.JobFailed)},
			wantStates: "Succeeded Succeeded Failed",
			wantJobs:   "web-build web-test web-release",
			wantStatus: metav1.ConditionTrue, wantReason: "CompletedWithFailedSteps", wantMessage: "2 succeeded, 1 failed",
			reason: "the run has succeeded, and the failure is visible",
		},
		"a retry from the second step": {
			object:      claimed(startingAt("test", makeObject())),
			jobs:        map[string]*batchv1.Job{"test": makeJob("test")},
			wantStates:  "Skipped Running Pending",
			wantJobs:    "- web-test -",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "test" is running`,
			reason: "the first step finished in an earlier run",
		},
		"the deadline has been reached while a step runs": {
			object:      started(2*time.Hour, limited(time.Hour, makeObject(v1alpha1.StepRunning))),
			jobs:        map[string]*batchv1.Job{"build": makeJob("build")},
			wantStates:  "Running Pending Pending",
			wantJobs:    "web-build - -",
			wantCurrent: "build",
			wantStatus:  metav1.ConditionUnknown, wantReason: "DeadlineExceeded", wantMessage: "activeDeadlineSeconds has passed; stopping Job web-build",
			reason: "its pods may still run",
		},
		"stopped at the deadline": {
			object:     saying(v1alpha1.ReasonDeadlineExceeded, continuing("build", makeObject(v1alpha1.StepRunning))),
			wantStates: "Failed Skipped Skipped",
			wantJobs:   "web-build - -",
			wantStatus: metav1.ConditionFalse, wantReason: "DeadlineExceeded", wantMessage: `step "build" failed: DeadlineExceeded: stopped`,
			reason: "a run that is stopped does not continue, whatever onFailure says",
		},
		"complete when it should be stopped": {
			object:     saying(v1alpha1.ReasonDeadlineExceeded, makeObject(v1alpha1.StepRunning)),
			jobs:       map[string]*batchv1.Job{"build": makeJob("build", batchv1.JobComplete)},
			wantStates: "Succeeded Skipped Skipped",
			wantJobs:   "web-build - -",
			wantStatus: metav1.ConditionFalse, wantReason: "DeadlineExceeded", wantMessage: `activeDeadlineSeconds had passed before step "test"`,
			reason: "the step has done its work, and no other one starts",
		},
		"failed by itself when it should be stopped": {
			object:     saying(v1alpha1.ReasonDeadlineExceeded, continuing("build", makeObject(v1alpha1.StepRunning))),
			jobs:       map[string]*batchv1.Job{"build": failedFor(batchv1.JobReasonDeadlineExceeded, makeJob("build", batchv1.JobFailed))},
			wantStates: "Failed Skipped Skipped",
			wantJobs:   "web-build - -",
			wantStatus: metav1.ConditionFalse, wantReason: "DeadlineExceeded", wantMessage: `activeDeadlineSeconds had passed before step "test"`,
			reason: "the Job had a deadline of its own, and the step may fail",
		},
		"failed because it was stopped": {
			object:     saying(v1alpha1.ReasonDeadlineExceeded, continuing("build", makeObject(v1alpha1.StepRunning))),
			jobs:       map[string]*batchv1.Job{"build": deleting(makeJob("build", batchv1.JobFailed))},
			wantStates: "Failed Skipped Skipped",
			wantJobs:   "web-build - -",
			wantStatus: metav1.ConditionFalse, wantReason: "DeadlineExceeded", wantMessage: `step "build" failed: DeadlineExceeded: stopped`,
			reason: "a pod that is deleted counts as failed",
		},
		"failed while a user deletes it": {
			object:      continuing("build", makeObject(v1alpha1.StepRunning)),
			jobs:        map[string]*batchv1.Job{"build": deleting(makeJob("build", batchv1.JobFailed))},
			wantStates:  "Failed Pending Pending",
			wantJobs:    "web-build web-test -",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "test" is about to start`,
			reason: "nothing says that the run is being stopped",
		},
		"failed": {
			object:     makeObject(v1alpha1.StepSucceeded, v1alpha1.StepRunning),
			jobs:       map[string]*batchv1.Job{"test": makeJob("test", batchv1.JobFailed)},
			wantStates: "Succeeded Failed Skipped",
			wantJobs:   "web-build web-test -",
			wantStatus: metav1.ConditionFalse, wantReason: "StepFailed",
			wantMessage: `step "test" failed: BackoffLimitExceeded: Job has reached the specified backoff limit`,
			reason:      "the summary names the failed step, with the Job's reason",
		},
		"the last one is complete": {
			object:     makeObject(v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepRunning),
			jobs:       map[string]*batchv1.Job{"release": makeJob("release", batchv1.JobComplete)},
			wantStates: "Succeeded Succeeded Succeeded",
			wantJobs:   "web-build web-test web-release",
			wantStatus: metav1.ConditionTrue, wantReason: "AllStepsSucceeded", wantMessage: "3 succeeded",
			reason: "that is the end",
		},
		"first reconcile": {
			object:      makeObject(),
			wantStates:  "Pending Pending Pending",
			wantJobs:    "web-build - -",
			wantCurrent: "build",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "build" is about to start`,
			reason: "the first step is claimed, and no other",
		},
		"first reconcile of a retry": {
			object:      startingAt("test", makeObject()),
			wantStates:  "Skipped Pending Pending",
			wantJobs:    "- web-test -",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "test" is about to start`,
			reason: "the first step that runs is claimed",
		},
		"first reconcile, suspended": {
			object:      suspended(makeObject()),
			wantStates:  "Pending Pending Pending",
			wantJobs:    "- - -",
			wantCurrent: "build",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Suspended", wantMessage: `suspended at step "build"`,
			reason: "a suspended run claims nothing",
		},
		"suspended after the claim": {
			object:      suspended(claimed(makeObject())),
			wantStates:  "Pending Pending Pending",
			wantJobs:    "web-build - -",
			wantCurrent: "build",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Suspended", wantMessage: `suspended at step "build"`,
			reason: "a claim is never taken back: the Job may exist",
		},
		"complete while suspended": {
			object:      suspended(makeObject(v1alpha1.StepRunning)),
			jobs:        map[string]*batchv1.Job{"build": makeJob("build", batchv1.JobComplete)},
			wantStates:  "Succeeded Pending Pending",
			wantJobs:    "web-build - -",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Suspended", wantMessage: `suspended at step "test"`,
			reason: "a suspended run claims nothing",
		},
		"resumed between two steps": {
			object:      saying(v1alpha1.ReasonSuspended, makeObject(v1alpha1.StepSucceeded)),
			wantStates:  "Succeeded Pending Pending",
			wantJobs:    "web-build web-test -",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "test" is about to start`,
			reason: "the claim that the suspension delayed is made now",
		},
		"complete after the deadline": {
			object:     started(2*time.Hour, limited(time.Hour, makeObject(v1alpha1.StepRunning))),
			jobs:       map[string]*batchv1.Job{"build": makeJob("build", batchv1.JobComplete)},
			wantStates: "Succeeded Skipped Skipped",
			wantJobs:   "web-build - -",
			wantStatus: metav1.ConditionFalse, wantReason: "DeadlineExceeded", wantMessage: `activeDeadlineSeconds had passed before step "test"`,
			reason: "no time is left for the next step, so it is not claimed",
		},
		"refused without a claim": {
			object:      makeObject(v1alpha1.StepSucceeded),
			refusal:     &refusal{reason: v1alpha1.ReasonJobRefused, message: "exceeded quota"},
			wantStates:  "Succeeded Pending Pending",
			wantJobs:    "web-build web-test -",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "JobRefused", wantMessage: `step "test" can't start: exceeded quota`,
			reason: "the next attempt needs a claim too",
		},

		"created, and gone before the status named it": {
			object:     claimed(makeObject(v1alpha1.StepSucceeded)),
			created:    "uid-of-test",
			wantStates: "Succeeded Failed Skipped",
			wantJobs:   "web-build web-test -",
			wantStatus: metav1.ConditionFalse, wantReason: "JobDeleted", wantMessage: `step "test" failed: JobDeleted: Job web-test was deleted`,
			reason: "the step has had its Job, and nobody knows what it has done",
		},
		"created, and gone before the status named it, and may fail": {
			object:      continuing("test", claimed(makeObject(v1alpha1.StepSucceeded))),
			created:     "uid-of-test",
			wantStates:  "Succeeded Failed Pending",
			wantJobs:    "web-build web-test web-release",
			wantCurrent: "release",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "release" is about to start`,
			reason: "it is a failure like others",
		},
		"created, and gone while suspended": {
			object:     suspended(claimed(makeObject())),
			created:    "uid-of-build",
			wantStates: "Failed Skipped Skipped",
			wantJobs:   "web-build - -",
			wantStatus: metav1.ConditionFalse, wantReason: "JobDeleted", wantMessage: `step "build" failed: JobDeleted`,
			reason: "an end comes before everything else",
		},
		"created after a refusal, and gone": {
			object:     saying(v1alpha1.ReasonJobRefused, claimed(makeObject())),
			created:    "uid-of-build",
			wantStates: "Failed Skipped Skipped",
			wantJobs:   "web-build - -",
			wantStatus: metav1.ConditionFalse, wantReason: "JobDeleted", wantMessage: `step "build" failed: JobDeleted`,
			reason: "the refusal stood only until the Job was created",
		},
		"created, stopped at the deadline, and gone": {
			object:     saying(v1alpha1.ReasonDeadlineExceeded, claimed(makeObject())),
			created:    "uid-of-build",
			wantStates: "Failed Skipped Skipped",
			wantJobs:   "web-build - -",
			wantStatus: metav1.ConditionFalse, wantReason: "DeadlineExceeded", wantMessage: `step "build" failed: DeadlineExceeded: stopped`,
			reason: "the controller stopped it, not a user",
		},
		"created, and shown": {
			object:      claimed(makeObject()),
			jobs:        map[string]*batchv1.Job{"build": makeJob("build")},
			created:     "uid-of-build",
			wantStates:  "Running Pending Pending",
			wantJobs:    "web-build - -",
			wantCurrent: "build",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "build" is running as Job web-build`,
			reason: "only the status was missing",
		},

		"the name is taken": {
			object:      claimed(makeObject(v1alpha1.StepSucceeded)),
			refusal:     &refusal{reason: v1alpha1.ReasonJobConflict, message: "a Job named web-test exists", requeueAfter: nameTakenRetry},
			wantStates:  "Succeeded Pending Pending",
			wantJobs:    "web-build web-test -",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "JobConflict", wantMessage: `step "test" can't start: a Job named web-test exists`,
			reason: "users need to know why the run does not continue",
		},
		"the name was taken, and there was no other attempt": {
			object:      saying(v1alpha1.ReasonJobConflict, claimed(makeObject(v1alpha1.StepSucceeded))),
			wantStates:  "Succeeded Pending Pending",
			wantJobs:    "web-build web-test -",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "JobConflict", wantMessage: "recorded before",
			reason: "the step still has no Job",
		},
		"the name was taken, and the Job is created": {
			object:      saying(v1alpha1.ReasonJobConflict, claimed(makeObject(v1alpha1.StepSucceeded))),
			jobs:        map[string]*batchv1.Job{"test": makeJob("test")},
			wantStates:  "Succeeded Running Pending",
			wantJobs:    "web-build web-test -",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "test" is running as Job web-test`,
			reason: "the conflict is over",
		},
		"the name was taken, and the Job is created and complete": {
			object:      saying(v1alpha1.ReasonJobConflict, claimed(makeObject(v1alpha1.StepSucceeded))),
			jobs:        map[string]*batchv1.Job{"test": makeJob("test", batchv1.JobComplete)},
			wantStates:  "Succeeded Succeeded Pending",
			wantJobs:    "web-build web-test web-release",
			wantCurrent: "release",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "release" is about to start`,
			reason: "the conflict was about the step before",
		},
		"the name was taken, and the other Job is being deleted": {
			object:      saying(v1alpha1.ReasonJobConflict, claimed(makeObject(v1alpha1.StepSucceeded))),
			refusal:     &refusal{reason: v1alpha1.ReasonRunning, message: "waiting until another Job named web-test", requeueAfter: nameTakenRetry},
			wantStates:  "Succeeded Pending Pending",
			wantJobs:    "web-build web-test -",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "test" can't start: waiting until another Job named web-test`,
			reason: "there is nothing for a user to do any more",
		},
		"the name was taken, and the run is suspended": {
			object:      suspended(saying(v1alpha1.ReasonJobConflict, claimed(makeObject(v1alpha1.StepSucceeded)))),
			wantStates:  "Succeeded Pending Pending",
			wantJobs:    "web-build web-test -",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Suspended", wantMessage: `suspended at step "test"`,
			reason: "the step would not start even if the name were free",
		},
	} {
		t.Run(name, func(t *testing.T) {
			status := assess(facts{now: noon, object: test.object, jobs: test.jobs, created: test.created, refusal: test.refusal})
			var states, jobs []string
			for _, step := range status.Steps {
				states = append(states, string(step.State))
				jobs = append(jobs, orDash(step.JobName))
			}
			if diff := cmp.Diff(test.wantStates, strings.Join(states, " ")); diff != "" {
				t.Errorf("states (-want +got): %s%s", test.reason, diff)
			}
			if diff := cmp.Diff(test.wantJobs, strings.Join(jobs, " ")); diff != "" {
				t.Errorf("names of Jobs (-want +got): %s%s", test.reason, diff)
			}
			if status.CurrentStep != test.wantCurrent {
				t.Errorf("current step %q, want %q: %s", status.CurrentStep, test.wantCurrent, test.reason)
			}
			summary := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded)
			if summary == nil {
				t.Fatal("there is no condition Succeeded")
			}
			if summary.Status != test.wantStatus || summary.Reason != test.wantReason || !strings.HasPrefix(summary.Message, test.wantMessage) {
				t.Errorf("Succeeded is %s, %s, %q; want %s, %s, %q…: %s",
					summary.Status, summary.Reason, summary.Message, test.wantStatus, test.wantReason, test.wantMessage, test.reason)
			}
			if ended := test.wantStatus != metav1.ConditionUnknown; ended != (status.CompletionTime != nil) {
				t.Errorf("completionTime is %v, and the run has finished: %t", status.CompletionTime, ended)
			}
		})
	}
}

func orDash(name string) string {
	if name == "" {
		return "-"
	}
	return name
}

// A status that differs without a reason is written, and each write triggers the next reconcile.
func TestAssessAgain(t *testing.T) {
	quota := &refusal{reason: v1alpha1.ReasonJobRefused, message: "exceeded quota"}
	conflict := &refusal{reason: v1alpha1.ReasonJobConflict, message: "a Job named web-build exists", requeueAfter: nameTakenRetry}
	for name, seen := range map[string]facts{
		"claimed":            {object: makeObject()},
		"suspended":          {object: suspended(makeObject())},
		"running":            {object: makeObject(v1alpha1.StepSucceeded, v1alpha1.StepRunning), jobs: map[string]*batchv1.Job{"test": makeJob("test")}},
		"refused":            {object: claimed(makeObject()), refusal: quota},
		"the name is taken":  {object: claimed(makeObject()), refusal: conflict},
		"created, and gone":  {object: claimed(makeObject()), created: "uid-of-build"},
		"created, and shown": {object: claimed(makeObject()), created: "uid-of-build", jobs: map[string]*batchv1.Job{"build": makeJob("build")}},
	} {
		t.Run(name, func(t *testing.T) {
			seen.now = noon
			seen.object.Status = assess(seen)
			meta.SetStatusCondition(&seen.object.Status.Conditions, metav1.Condition{Type: "Others", Status: metav1.ConditionTrue, LastTransitionTime: noon})

			seen.now = metav1.NewTime(noon.Add(1))
			if diff := cmp.Diff(seen.object.Status, assess(seen)); diff != "" {
				t.Errorf("nothing has happened, so the status must stay as it is (-before +after): %s", diff)
			}
		})
	}
}
