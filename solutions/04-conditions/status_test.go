package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestAssess(t *testing.T) {
	for name, test := range map[string]struct {
		object      *v1alpha1.SequentialJob
		jobs        map[string]*batchv1.Job
		refusal     string
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
			refusal:     "exceeded quota",
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

func TestRefusal(t *testing.T) {
	job := makeJob("build")
	job.GenerateName = "web-build-"
	forbidden := apierrors.NewForbidden(batchv1.Resource("jobs"), "web-build-x7k2p", errors.New("exceeded quota"))
	if got, want := refusal(forbidden, job), `jobs.batch "web-build-" is forbidden: exceeded quota`; got != want {
		t.Errorf("refusal is %q, want %q: a generated name would differ in each attempt", got, want)
	}
	if got := refusal(apierrors.NewInternalError(errors.New("no leader")), job); got != "" {
		t.Errorf("refusal is %q, want none: the API server has not refused the Job", got)
	}
}
