package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestAssess(t *testing.T) {
	for name, test := range map[string]struct {
		object      *v1alpha1.SequentialJob
		jobs        map[string]*batchv1.Job
		refusal     *refusal
		wantStates  string
		wantCurrent string
		wantStatus  metav1.ConditionStatus
		wantReason  string
		wantMessage string
		reason      string
	}{
		"created in this reconcile": {
			object:      makeObject(),
			jobs:        map[string]*batchv1.Job{"build": makeJob("build")},
			wantStates:  "Running Pending Pending",
			wantCurrent: "build",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "build" is running as Job web-build`,
			reason: "the first write has everything",
		},
		"announced success": {
			object:      makeObject(v1alpha1.StepRunning),
			jobs:        map[string]*batchv1.Job{"build": makeJob("build", batchv1.JobSuccessCriteriaMet)},
			wantStates:  "Running Pending Pending",
			wantCurrent: "build",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "build" is running as Job web-build`,
			reason: "its pods may still be running",
		},
		"complete": {
			object:      makeObject(v1alpha1.StepRunning),
			jobs:        map[string]*batchv1.Job{"build": makeJob("build", batchv1.JobComplete)},
			wantStates:  "Succeeded Pending Pending",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "test" is about to start`,
			reason: "the end of a step is recorded before the next one starts",
		},
		"next one refused": {
			object:      makeObject(v1alpha1.StepSucceeded),
			refusal:     &refusal{message: "exceeded quota"},
			wantStates:  "Succeeded Pending Pending",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "JobRefused", wantMessage: `step "test" can't start: exceeded quota`,
			reason: "users need to know why the run does not continue",
		},
		"a recorded step's Job is gone": {
			object:      makeObject(v1alpha1.StepSucceeded, v1alpha1.StepRunning),
			jobs:        map[string]*batchv1.Job{"test": makeJob("test")},
			wantStates:  "Succeeded Running Pending",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "test" is running as Job web-test`,
			reason: "what is recorded as done stays done",
		},
		"the running step's Job is gone": {
			object:     makeObject(v1alpha1.StepSucceeded, v1alpha1.StepRunning),
			wantStates: "Succeeded Failed Skipped",
			wantStatus: metav1.ConditionFalse, wantReason: "JobDeleted", wantMessage: `step "test" failed: JobDeleted: Job web-test was deleted`,
			reason: "nobody knows what it has done",
		},
		"refused before, and not tried again yet": {
			object:      saying(v1alpha1.ReasonJobRefused, makeObject(v1alpha1.StepSucceeded)),
			wantStates:  "Succeeded Pending Pending",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "JobRefused", wantMessage: "recorded before",
			reason: "the step still has no Job",
		},
		"refused for good": {
			object:     makeObject(v1alpha1.StepSucceeded),
			refusal:    &refusal{message: "spec.template: Required value", final: true},
			wantStates: "Succeeded Failed Skipped",
			wantStatus: metav1.ConditionFalse, wantReason: "InvalidJobTemplate", wantMessage: `step "test" failed: InvalidJobTemplate: spec.template: Required value`,
			reason: "steps never change, so the template stays invalid",
		},
		"refused for good, and may fail": {
			object:      continuing("test", makeObject(v1alpha1.StepSucceeded)),
			refusal:     &refusal{message: "spec.template: Required value", final: true},
			wantStates:  "Succeeded Failed Pending",
			wantCurrent: "release",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "release" is about to start`,
			reason: "it is a failure like others",
		},
		"failed, and may": {
			object:      continuing("test", makeObject(v1alpha1.StepSucceeded, v1alpha1.StepRunning)),
			jobs:        map[string]*batchv1.Job{"test": makeJob("test", batchv1.JobFailed)},
			wantStates:  "Succeeded Failed Pending",
			wantCurrent: "release",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "release" is about to start`,
			reason: "the run continues",
		},
		"the last one fails, and may": {
			object:     continuing("release", makeObject(v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepRunning)),
			jobs:       map[string]*batchv1.Job{"release": makeJob("release", batchv1.JobFailed)},
			wantStates: "Succeeded Succeeded Failed",
			wantStatus: metav1.ConditionTrue, wantReason: "CompletedWithFailedSteps", wantMessage: "2 succeeded, 1 failed",
			reason: "the run has succeeded, and the failure is visible",
		},
		"a retry from the second step": {
			object:      startingAt("test", makeObject()),
			jobs:        map[string]*batchv1.Job{"test": makeJob("test")},
			wantStates:  "Skipped Running Pending",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "test" is running`,
			reason: "the first step finished in an earlier run",
		},
		"the deadline has been reached while a step runs": {
			object:      started(2*time.Hour, limited(time.Hour, makeObject(v1alpha1.StepRunning))),
			jobs:        map[string]*batchv1.Job{"build": makeJob("build")},
			wantStates:  "Running Pending Pending",
			wantCurrent: "build",
			wantStatus:  metav1.ConditionUnknown, wantReason: "DeadlineExceeded", wantMessage: "activeDeadlineSeconds has passed; stopping Job web-build",
			reason: "its pods may still run",
		},
		"stopped at the deadline": {
			object:     saying(v1alpha1.ReasonDeadlineExceeded, continuing("build", makeObject(v1alpha1.StepRunning))),
			wantStates: "Failed Skipped Skipped",
			wantStatus: metav1.ConditionFalse, wantReason: "DeadlineExceeded", wantMessage: `step "build" failed: DeadlineExceeded: stopped`,
			reason: "a run that is stopped does not continue, whatever onFailure says",
		},
		"complete when it should be stopped": {
			object:     saying(v1alpha1.ReasonDeadlineExceeded, makeObject(v1alpha1.StepRunning)),
			jobs:       map[string]*batchv1.Job{"build": makeJob("build", batchv1.JobComplete)},
			wantStates: "Succeeded Skipped Skipped",
			wantStatus: metav1.ConditionFalse, wantReason: "DeadlineExceeded", wantMessage: `activeDeadlineSeconds had passed before step "test"`,
			reason: "the step has done its work, and no other one starts",
		},
		"failed by itself when it should be stopped": {
			object:     saying(v1alpha1.ReasonDeadlineExceeded, continuing("build", makeObject(v1alpha1.StepRunning))),
			jobs:       map[string]*batchv1.Job{"build": failedFor(batchv1.JobReasonDeadlineExceeded, makeJob("build", batchv1.JobFailed))},
			wantStates: "Failed Skipped Skipped",
			wantStatus: metav1.ConditionFalse, wantReason: "DeadlineExceeded", wantMessage: `activeDeadlineSeconds had passed before step "test"`,
			reason: "the Job had a deadline of its own, and the step may fail",
		},
		"failed because it was stopped": {
			object:     saying(v1alpha1.ReasonDeadlineExceeded, continuing("build", makeObject(v1alpha1.StepRunning))),
			jobs:       map[string]*batchv1.Job{"build": deleted(makeJob("build", batchv1.JobFailed))},
			wantStates: "Failed Skipped Skipped",
			wantStatus: metav1.ConditionFalse, wantReason: "DeadlineExceeded", wantMessage: `step "build" failed: DeadlineExceeded: stopped`,
			reason: "a pod that is deleted counts as failed",
		},
		"failed while a user deletes it": {
			object:      continuing("build", makeObject(v1alpha1.StepRunning)),
			jobs:        map[string]*batchv1.Job{"build": deleted(makeJob("build", batchv1.JobFailed))},
			wantStates:  "Failed Pending Pending",
			wantCurrent: "test",
			wantStatus:  metav1.ConditionUnknown, wantReason: "Running", wantMessage: `step "test" is about to start`,
			reason: "nothing says that the run is being stopped",
		},
		"failed": {
			object:     makeObject(v1alpha1.StepSucceeded, v1alpha1.StepRunning),
			jobs:       map[string]*batchv1.Job{"test": makeJob("test", batchv1.JobFailed)},
			wantStates: "Succeeded Failed Skipped",
			wantStatus: metav1.ConditionFalse, wantReason: "StepFailed",
			wantMessage: `step "test" failed: BackoffLimitExceeded: Job has reached the specified backoff limit`,
			reason:      "the summary names the failed step, with the Job's reason",
		},
		"the last one is complete": {
			object:     makeObject(v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepRunning),
			jobs:       map[string]*batchv1.Job{"release": makeJob("release", batchv1.JobComplete)},
			wantStates: "Succeeded Succeeded Succeeded",
			wantStatus: metav1.ConditionTrue, wantReason: "AllStepsSucceeded", wantMessage: "3 succeeded",
			reason: "that is the end",
		},
	} {
		t.Run(name, func(t *testing.T) {
			status := assess(facts{now: noon, object: test.object, jobs: test.jobs, refusal: test.refusal})
			var states []string
			for _, step := range status.Steps {
				states = append(states, string(step.State))
			}
			if diff := cmp.Diff(test.wantStates, strings.Join(states, " ")); diff != "" {
				t.Errorf("states (-want +got): %s%s", test.reason, diff)
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

func TestAssessAgain(t *testing.T) {
	seen := facts{now: noon, object: makeObject(v1alpha1.StepSucceeded, v1alpha1.StepRunning), jobs: map[string]*batchv1.Job{"test": makeJob("test")}}
	seen.object.Status = assess(seen)
	meta.SetStatusCondition(&seen.object.Status.Conditions, metav1.Condition{Type: "Others", Status: metav1.ConditionTrue, LastTransitionTime: noon})

	seen.now = metav1.NewTime(noon.Add(1))
	if diff := cmp.Diff(seen.object.Status, assess(seen)); diff != "" {
		t.Errorf("nothing has happened, so the status must stay as it is (-before +after): %s", diff)
	}
}
