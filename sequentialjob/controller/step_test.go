package controller

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestUpdateStep(t *testing.T) {
	const (
		created  = 0 * time.Minute // since noon
		finished = 1 * time.Minute
		now      = 2 * time.Minute
	)
	at := func(after time.Duration) *metav1.Time { return new(metav1.NewTime(noon.Add(after))) }
	entry := func(state v1alpha1.StepState, started, completed *metav1.Time, reason, message string) v1alpha1.StepStatus {
		return v1alpha1.StepStatus{
			Name: "build", State: state, JobName: "web-build", JobUID: "uid-of-web-build",
			StartTime: started, CompletionTime: completed, Reason: reason, Message: message,
		}
	}
	claimed := v1alpha1.StepStatus{Name: "build", State: v1alpha1.StepPending, JobName: "web-build"}
	deleted := "Job web-build was deleted before the controller saw it finish; it does not run again, because it may have had an effect"

	for name, test := range map[string]struct {
		object  *objectBuilder
		job     *jobBuilder
		created types.UID // by this process
		refusal *refusal
		want    v1alpha1.StepStatus
		reason  string
	}{
		"no Job yet": {
			object: makeObject("web").steps("build").claimed("build"),
			want:   claimed,
			reason: "a claim alone is not a start",
		},
		"Job created": {
			object: makeObject("web").steps("build").claimed("build"),
			job:    makeJob("build"),
			want:   entry(v1alpha1.StepRunning, at(created), nil, "", ""),
			reason: "the UID distinguishes this Job from any later one of its name",
		},
		"Job runs": {
			object: makeObject("web").steps("build").running("build"),
			job:    makeJob("build"),
			want:   entry(v1alpha1.StepRunning, at(created), nil, "", ""),
			reason: "at rest nothing changes",
		},
		"Job being deleted": {
			object: makeObject("web").steps("build").running("build"),
			job:    makeJob("build").deleting(),
			want:   entry(v1alpha1.StepRunning, at(created), nil, "", ""),
			reason: "its pods may run until it is gone",
		},
		"success announced": {
			object: makeObject("web").steps("build").running("build"),
			job:    makeJob("build").condition(batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue),
			want:   entry(v1alpha1.StepRunning, at(created), nil, "", ""),
			reason: "the next step must not start while pods of this one may run",
		},
		"failure announced": {
			object: makeObject("web").steps("build").running("build"),
			job:    makeJob("build").condition(batchv1.JobFailureTarget, corev1.ConditionTrue),
			want:   entry(v1alpha1.StepRunning, at(created), nil, "", ""),
			reason: "the next step must not start while pods of this one may run",
		},
		"Job completed": {
			object: makeObject("web").steps("build").running("build"),
			job:    makeJob("build").complete(),
			want:   entry(v1alpha1.StepSucceeded, at(created), at(finished), "", ""),
			reason: "the time is the Job's, not that of the reconcile that saw it",
		},
		"Job created and completed between two reconciles": {
			object: makeObject("web").steps("build").claimed("build"),
			job:    makeJob("build").complete(),
			want:   entry(v1alpha1.StepSucceeded, at(created), at(finished), "", ""),
			reason: "the controller may have been down for all of it",
		},
		"Job completed being deleted": {
			object: makeObject("web").steps("build").running("build"),
			job:    makeJob("build").complete().deleting(),
			want:   entry(v1alpha1.StepSucceeded, at(created), at(finished), "", ""),
			reason: "tidying a finished Job away doesn't undo what it did",
		},
		"Job completed while it was to be stopped": {
			object: makeObject("web").steps("build").running("build").succeeded(metav1.ConditionUnknown, v1alpha1.ReasonDeadlineExceeded, ""),
			job:    makeJob("build").complete(),
			want:   entry(v1alpha1.StepSucceeded, at(created), at(finished), "", ""),
			reason: "what happened counts, not what was meant to",
		},
		"Job failed": {
			object: makeObject("web").steps("build").running("build"),
			job:    makeJob("build").failed("BackoffLimitExceeded", "Job has reached the specified backoff limit"),
			want: entry(v1alpha1.StepFailed, at(created), at(finished),
				"BackoffLimitExceeded", "Job has reached the specified backoff limit"),
			reason: "the Job knows best why it failed",
		},
		"Job failed with a long message": {
			object: makeObject("web").steps("build").running("build"),
			job:    makeJob("build").failed("PodFailurePolicy", strings.Repeat("x", 5000)),
			want:   entry(v1alpha1.StepFailed, at(created), at(finished), "PodFailurePolicy", strings.Repeat("x", 900)+"…"),
			reason: "fifty such messages must fit into one object",
		},
		"Job gone": {
			object: makeObject("web").steps("build").running("build"),
			want:   entry(v1alpha1.StepFailed, at(created), at(now), v1alpha1.ReasonJobDeleted, deleted),
			reason: "never a silent rerun",
		},
		"Job stopped at the deadline": {
			object: makeObject("web").steps("build").running("build").deadline(60).succeeded(metav1.ConditionUnknown, v1alpha1.ReasonDeadlineExceeded, ""),
			want: entry(v1alpha1.StepFailed, at(created), at(now), v1alpha1.ReasonDeadlineExceeded,
				"stopped: the run's activeDeadlineSeconds had passed"),
			reason: "it was the controller that deleted the Job, and it says so",
		},
		"Job gone past a deadline that was not claimed": {
			object: makeObject("web").steps("build").running("build").deadline(60),
			want:   entry(v1alpha1.StepFailed, at(created), at(now), v1alpha1.ReasonJobDeleted, deleted),
			reason: "it was not the controller that deleted it",
		},
		"another Job in its place": {
			object: makeObject("web").steps("build").running("build"),
			job:    makeJob("build").uid("other"),
			want:   entry(v1alpha1.StepRunning, at(created), nil, "", ""),
			reason: "the step is finished only once nothing runs under its name",
		},
		"another Job in its place, finished": {
			object: makeObject("web").steps("build").running("build"),
			job:    makeJob("build").uid("other").complete(),
			want:   entry(v1alpha1.StepFailed, at(created), at(now), v1alpha1.ReasonJobDeleted, deleted),
			reason: "the success of another Job is not the step's",
		},
		"another Job in its place, being stopped, then gone": {
			object: makeObject("web").steps("build").running("build").succeeded(metav1.ConditionUnknown, v1alpha1.ReasonJobDeleted, ""),
			want:   entry(v1alpha1.StepFailed, at(created), at(now), v1alpha1.ReasonJobDeleted, deleted),
			reason: "the step failed when its own Job was deleted",
		},
		"Job created by this process, not recorded yet": {
			object:  makeObject("web").steps("build").claimed("build"),
			job:     makeJob("build"),
			created: "uid-of-web-build",
			want:    entry(v1alpha1.StepRunning, at(created), nil, "", ""),
			reason:  "the write of the reconcile that created it failed",
		},
		"Job created by this process, not recorded yet, completed": {
			object:  makeObject("web").steps("build").claimed("build"),
			job:     makeJob("build").complete(),
			created: "uid-of-web-build",
			want:    entry(v1alpha1.StepSucceeded, at(created), at(finished), "", ""),
			reason:  "it may be short",
		},
		"Job created by this process, not recorded yet, gone": {
			object:  makeObject("web").steps("build").claimed("build"),
			created: "uid-of-web-build",
			want:    entry(v1alpha1.StepFailed, nil, at(now), v1alpha1.ReasonJobDeleted, deleted),
			reason:  "it may have had an effect, recorded or not: never a silent rerun",
		},
		"Job created by this process, not recorded yet, gone, refused before": {
			object:  makeObject("web").steps("build").claimed("build").succeeded(metav1.ConditionUnknown, v1alpha1.ReasonJobRefused, "quota"),
			created: "uid-of-web-build",
			want:    entry(v1alpha1.StepFailed, nil, at(now), v1alpha1.ReasonJobDeleted, deleted),
			reason:  "what stood in its way before it was created counts no more",
		},
		"Job created by this process, not recorded yet, gone while suspended past the deadline": {
			object:  makeObject("web").steps("build").claimed("build").suspend().deadline(60),
			created: "uid-of-web-build",
			want:    entry(v1alpha1.StepFailed, nil, at(now), v1alpha1.ReasonJobDeleted, deleted),
			reason:  "it was not the controller that deleted it",
		},
		"Job created by this process, stopped at the deadline before the status recorded it": {
			object:  makeObject("web").steps("build").claimed("build").deadline(60).succeeded(metav1.ConditionUnknown, v1alpha1.ReasonDeadlineExceeded, ""),
			created: "uid-of-web-build",
			want:    entry(v1alpha1.StepFailed, nil, at(now), v1alpha1.ReasonDeadlineExceeded, "stopped: the run's activeDeadlineSeconds had passed"),
			reason:  "a claim to stop holds, whether the step was seen running or not",
		},
		"another Job in the place of one that the status had not recorded": {
			object:  makeObject("web").steps("build").claimed("build"),
			job:     makeJob("build").uid("other"),
			created: "uid-of-web-build",
			want:    v1alpha1.StepStatus{Name: "build", State: v1alpha1.StepPending, JobName: "web-build", JobUID: "uid-of-web-build"},
			reason:  "the other one is not the step's, and the next process has to know that too",
		},
		"another Job in the place of one that the status had not recorded, finished": {
			object:  makeObject("web").steps("build").claimed("build"),
			job:     makeJob("build").uid("other").complete(),
			created: "uid-of-web-build",
			want:    entry(v1alpha1.StepFailed, nil, at(now), v1alpha1.ReasonJobDeleted, deleted),
			reason:  "the success of another Job is not the step's",
		},
		"another Job that this process has written to": {
			object:  makeObject("web").steps("build").running("build"),
			job:     makeJob("build").uid("other"),
			created: "other",
			want:    entry(v1alpha1.StepRunning, at(created), nil, "", ""),
			reason:  "what the status says holds",
		},
		"Job invalid": {
			object:  makeObject("web").steps("build").claimed("build"),
			refusal: &refusal{reason: v1alpha1.ReasonInvalidJobTemplate, message: "spec.template: Required value"},
			want: v1alpha1.StepStatus{
				Name: "build", State: v1alpha1.StepFailed, JobName: "web-build", CompletionTime: at(now),
				Reason: v1alpha1.ReasonInvalidJobTemplate, Message: "spec.template: Required value",
			},
			reason: "steps are immutable, so trying again can't help",
		},
		"Job refused for now": {
			object:  makeObject("web").steps("build").claimed("build"),
			refusal: &refusal{reason: v1alpha1.ReasonJobRefused, message: "exceeded quota"},
			want:    claimed,
			reason:  "a quota may be raised",
		},
		"Job's name taken": {
			object:  makeObject("web").steps("build").claimed("build"),
			refusal: &refusal{reason: v1alpha1.ReasonJobConflict, message: "taken"},
			want:    claimed,
			reason:  "the other Job may go",
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen := facts{now: noon.Add(now).Add(300 * time.Millisecond), object: test.object.obj(), created: test.created, refusal: test.refusal}
			if test.job != nil {
				seen.job = test.job.obj()
			}
			got := *currentStep(seen.object.DeepCopy().Status.Steps)
			updateStep(&got, seen)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s; updateStep() (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}

func TestIsReplacement(t *testing.T) {
	for name, test := range map[string]struct {
		recorded types.UID
		job      *batchv1.Job
		want     bool
		reason   string
	}{
		"no Job":            {"uid-of-web-build", nil, false, "what isn't there is nobody's"},
		"the recorded one":  {"uid-of-web-build", makeJob("build").obj(), false, "it is the step's own"},
		"another one":       {"uid-of-web-build", makeJob("build").uid("other").obj(), true, "the name is the same, the Job is not"},
		"none recorded yet": {"", makeJob("build").obj(), false, "it is adopted: a create's response may have been lost"},
	} {
		t.Run(name, func(t *testing.T) {
			step := &v1alpha1.StepStatus{Name: "build", JobUID: test.recorded}
			if got := isReplacement(step, test.job); got != test.want {
				t.Errorf("isReplacement() = %t, want %t: %s", got, test.want, test.reason)
			}
		})
	}
}
