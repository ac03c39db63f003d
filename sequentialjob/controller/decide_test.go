package controller

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestDecide(t *testing.T) {
	const (
		unknown = metav1.ConditionUnknown
		yes     = metav1.ConditionTrue
		no      = metav1.ConditionFalse
	)
	for name, test := range map[string]struct {
		object  *objectBuilder
		job     *jobBuilder
		created types.UID     // by this process
		after   time.Duration // since noon
		retryAt time.Duration // since noon; 0 for never
		want    action
		reason  string
	}{
		"no status yet": {
			object: makeObject("web").steps("build"),
			want:   doNothing,
			reason: "a Job is created only for a step that an earlier reconcile has claimed",
		},
		"turn without a claim": {
			object: makeObject("web").steps("build").about("build"),
			want:   doNothing,
			reason: "a Job is created only for a step that an earlier reconcile has claimed",
		},
		"claimed": {
			object: makeObject("web").steps("build", "test").claimed("build"),
			want:   createJob,
			reason: "the claim is in the status, so a crash after the create can be understood",
		},
		"later step claimed": {
			object: makeObject("web").steps("build", "test").claimed("test"),
			want:   createJob,
			reason: "the current step is the first that is not finished",
		},
		"claimed for a step that the spec doesn't have": {
			object: func() *objectBuilder {
				b := makeObject("web").steps("build").claimed("build")
				b.object.Spec.Steps[0].Name = "other"
				return b
			}(),
			want:   doNothing,
			reason: "there is nothing to build a Job from, and nothing else may be done in its place",
		},
		"claimed and refused for now": {
			object: makeObject("web").steps("build").claimed("build").succeeded(unknown, v1alpha1.ReasonJobRefused, "quota"),
			want:   createJob,
			reason: "what the API server forbids today it may allow tomorrow",
		},
		"claimed and refused for now, a moment ago": {
			object:  makeObject("web").steps("build").claimed("build").succeeded(unknown, v1alpha1.ReasonJobRefused, "quota"),
			retryAt: time.Second,
			want:    doNothing,
			reason:  "the event of the status that says so must not bring the next attempt",
		},
		"claimed and refused for now, and it is time": {
			object:  makeObject("web").steps("build").claimed("build").succeeded(unknown, v1alpha1.ReasonJobRefused, "quota"),
			retryAt: time.Second,
			after:   time.Second,
			want:    createJob,
			reason:  "what the API server forbids today it may allow tomorrow",
		},
		"claimed and the name taken": {
			object: makeObject("web").steps("build").claimed("build").succeeded(unknown, v1alpha1.ReasonJobConflict, "taken"),
			want:   createJob,
			reason: "the step starts once the name is free",
		},
		"claimed, then suspended": {
			object: makeObject("web").steps("build").claimed("build").suspend(),
			want:   doNothing,
			reason: "nothing starts while spec.suspend is set, claim or not",
		},
		"claimed, then past the deadline": {
			object: makeObject("web").steps("build").claimed("build").deadline(60),
			after:  time.Minute,
			want:   doNothing,
			reason: "a Job that would have to be stopped immediately must not be created",
		},
		"claimed, just before the deadline": {
			object: makeObject("web").steps("build").claimed("build").deadline(60),
			after:  time.Minute - time.Nanosecond,
			want:   createJob,
			reason: "the run has its whole time",
		},
		"claimed, and the run to be stopped": {
			object: makeObject("web").steps("build").claimed("build").succeeded(unknown, v1alpha1.ReasonDeadlineExceeded, ""),
			want:   doNothing,
			reason: "the stop is in the status, whatever the clock or the spec say by now",
		},
		"claimed, and the Job is there": {
			object: makeObject("web").steps("build").claimed("build"),
			job:    makeJob("build"),
			want:   doNothing,
			reason: "an earlier create succeeded and its response was lost",
		},
		"claimed, the Job created by this process is gone": {
			object:  makeObject("web").steps("build").claimed("build"),
			created: "uid-of-web-build",
			want:    doNothing,
			reason:  "a Job that was there may have had an effect, recorded or not: never a silent rerun",
		},
		"claimed and refused, the Job created by this process is gone": {
			object:  makeObject("web").steps("build").claimed("build").succeeded(unknown, v1alpha1.ReasonJobRefused, "quota"),
			created: "uid-of-web-build",
			want:    doNothing,
			reason:  "it was created in the end; the status is only late to tell",
		},
		"claimed, the Job created by this process is there": {
			object:  makeObject("web").steps("build").claimed("build"),
			job:     makeJob("build"),
			created: "uid-of-web-build",
			want:    doNothing,
			reason:  "only the status is missing",
		},
		"claimed, then suspended, the Job created by this process is there": {
			object:  makeObject("web").steps("build").claimed("build").suspend(),
			job:     makeJob("build"),
			created: "uid-of-web-build",
			want:    suspendJob,
			reason:  "a Job whose creation was not recorded is suspended like any other",
		},
		"claimed, another Job in the place of the one created by this process": {
			object:  makeObject("web").steps("build").claimed("build"),
			job:     makeJob("build").uid("other"),
			created: "uid-of-web-build",
			want:    doNothing,
			reason:  "a Job is stopped only once that is in the status",
		},
		"pending, another Job in the place of the one created by this process, claimed to be stopped": {
			object: func() *objectBuilder {
				b := makeObject("web").steps("build").claimed("build").succeeded(unknown, v1alpha1.ReasonJobDeleted, "")
				b.entry("build").JobUID = "uid-of-web-build"
				return b
			}(),
			job:     makeJob("build").uid("other"),
			created: "uid-of-web-build",
			want:    stopJob,
			reason:  "what nobody asked for must not run outside the ledger",
		},
		"pending, its UID recorded by an earlier process, and no Job": {
			object: func() *objectBuilder {
				b := makeObject("web").steps("build").claimed("build")
				b.entry("build").JobUID = "uid-of-web-build"
				return b
			}(),
			want:   doNothing,
			reason: "the UID in the status says that the Job was there, whatever the state says",
		},
		"running": {
			object: makeObject("web").steps("build").running("build"),
			job:    makeJob("build"),
			want:   doNothing,
			reason: "the Job is the Job controller's",
		},
		"running, and the Job is gone": {
			object: makeObject("web").steps("build").running("build"),
			want:   doNothing,
			reason: "a Job that ran may have had an effect: never a silent rerun",
		},
		"all steps finished, summary not yet final": {
			object: makeObject("web").steps("build").running("build").record("build", v1alpha1.StepSucceeded, ""),
			want:   doNothing,
			reason: "no step is left to act on",
		},
		"suspend requested": {
			object: makeObject("web").steps("build").running("build").suspend(),
			job:    makeJob("build"),
			want:   suspendJob,
			reason: "a suspended run has no running pods",
		},
		"suspend requested, Job claimed but not recorded": {
			object: makeObject("web").steps("build").claimed("build").suspend(),
			job:    makeJob("build"),
			want:   suspendJob,
			reason: "a Job whose creation was not recorded is suspended like any other",
		},
		"suspend requested and passed on": {
			object: makeObject("web").steps("build").running("build").suspend(),
			job:    makeJob("build").suspendWanted(),
			want:   doNothing,
			reason: "at rest there are no writes",
		},
		"suspend requested, Job finished": {
			object: makeObject("web").steps("build").running("build").suspend(),
			job:    makeJob("build").complete(),
			want:   doNothing,
			reason: "a finished Job has nothing to suspend",
		},
		"suspend requested, success announced": {
			object: makeObject("web").steps("build").running("build").suspend(),
			job:    makeJob("build").condition(batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue),
			want:   suspendJob,
			reason: "SuccessCriteriaMet only announces the end: pods may still run",
		},
		"suspend requested, Job being deleted": {
			object: makeObject("web").steps("build").running("build").suspend(),
			job:    makeJob("build").deleting(),
			want:   doNothing,
			reason: "a Job that is going is not written to any more",
		},
		"resume requested": {
			object: makeObject("web").steps("build").running("build").recordSuspended(noon),
			job:    makeJob("build").confirmSuspended(),
			want:   resumeJob,
			reason: "spec.suspend is passed on in both directions",
		},
		"resume requested, with a limit that is used up": {
			object: makeObject("web").steps("build").running("build").deadline(20).recordSuspended(noon.Add(20 * time.Second)),
			job:    makeJob("build").confirmSuspended(),
			want:   doNothing,
			reason: "its pods would start, and be stopped right after",
		},
		"Job suspended by another client": {
			object: makeObject("web").steps("build").running("build"),
			job:    makeJob("build").suspendWanted(),
			want:   resumeJob,
			reason: "the SequentialJob's own spec.suspend says whether the step runs",
		},
		"past the deadline, not yet claimed": {
			object: makeObject("web").steps("build").running("build").deadline(60),
			job:    makeJob("build"),
			after:  time.Hour,
			want:   doNothing,
			reason: "a Job is stopped only once that is in the status",
		},
		"past the deadline, claimed": {
			object: makeObject("web").steps("build").running("build").succeeded(unknown, v1alpha1.ReasonDeadlineExceeded, ""),
			job:    makeJob("build"),
			want:   stopJob,
			reason: "the deadline ends what runs, also when the spec has no deadline any more",
		},
		"past the deadline, claimed, then suspended": {
			object: makeObject("web").steps("build").running("build").suspend().succeeded(unknown, v1alpha1.ReasonDeadlineExceeded, ""),
			job:    makeJob("build"),
			want:   stopJob,
			reason: "suspending can't take back a stop that was announced",
		},
		"past the deadline, claimed, Job completed meanwhile": {
			object: makeObject("web").steps("build").running("build").succeeded(unknown, v1alpha1.ReasonDeadlineExceeded, ""),
			job:    makeJob("build").complete(),
			want:   doNothing,
			reason: "a finished Job is kept: it is what people look at",
		},
		"past the deadline, claimed, Job failed meanwhile": {
			object: makeObject("web").steps("build").running("build").succeeded(unknown, v1alpha1.ReasonDeadlineExceeded, ""),
			job:    makeJob("build").failed("BackoffLimitExceeded", ""),
			want:   doNothing,
			reason: "a finished Job is kept: it is what people look at",
		},
		"past the deadline, Job being deleted": {
			object: makeObject("web").steps("build").running("build").succeeded(unknown, v1alpha1.ReasonDeadlineExceeded, ""),
			job:    makeJob("build").deleting(),
			want:   doNothing,
			reason: "one delete is enough",
		},
		"another Job in its place, claimed": {
			object: makeObject("web").steps("build").running("build").succeeded(unknown, v1alpha1.ReasonJobDeleted, ""),
			job:    makeJob("build").uid("other"),
			want:   stopJob,
			reason: "what nobody asked for must not run outside the ledger",
		},
		"another Job in its place, not claimed": {
			object: makeObject("web").steps("build").running("build"),
			job:    makeJob("build").uid("other"),
			want:   doNothing,
			reason: "a Job is stopped only once that is in the status",
		},
		"succeeded, kept for good": {
			object: makeObject("web").steps("build").claimed("build").succeeded(yes, v1alpha1.ReasonAllStepsSucceeded, "").completed(noon),
			after:  1000 * time.Hour,
			want:   doNothing,
			reason: "without ttlSecondsAfterFinished nothing is deleted, and a finished run never acts, whatever its ledger says",
		},
		"failed, time to live not over": {
			object: makeObject("web").steps("build").claimed("build").succeeded(no, v1alpha1.ReasonStepFailed, "").completed(noon).ttl(60),
			after:  time.Minute - time.Nanosecond,
			want:   doNothing,
			reason: "the object is kept for all of its time",
		},
		"failed, time to live over": {
			object: makeObject("web").steps("build").claimed("build").succeeded(no, v1alpha1.ReasonStepFailed, "").completed(noon).ttl(60),
			after:  time.Minute,
			want:   deleteObject,
			reason: "the time to live holds for failed runs too",
		},
		"succeeded, time to live of zero": {
			object: makeObject("web").steps("build").claimed("build").succeeded(yes, v1alpha1.ReasonAllStepsSucceeded, "").completed(noon).ttl(0),
			want:   deleteObject,
			reason: "0 deletes immediately",
		},
		"running, time to live of zero": {
			object: makeObject("web").steps("build").running("build").completed(noon).ttl(0),
			job:    makeJob("build"),
			want:   doNothing,
			reason: "only a finished run is deleted",
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen := facts{now: noon.Add(test.after), object: test.object.obj(), created: test.created}
			if test.retryAt > 0 {
				seen.retryAt = noon.Add(test.retryAt)
			}
			if test.job != nil {
				seen.job = test.job.obj()
			}
			if got := decide(seen); got != test.want {
				t.Errorf("decide() = %q, want %q: %s", got, test.want, test.reason)
			}
		})
	}
}

func TestCurrentStep(t *testing.T) {
	for name, test := range map[string]struct {
		states []v1alpha1.StepState
		want   string // "" for none
		reason string
	}{
		"none recorded":      {nil, "", "a first reconcile has no ledger"},
		"first":              {[]v1alpha1.StepState{v1alpha1.StepPending, v1alpha1.StepPending}, "a", "steps run in the spec's order"},
		"running":            {[]v1alpha1.StepState{v1alpha1.StepSucceeded, v1alpha1.StepRunning, v1alpha1.StepPending}, "b", "a running step is not finished"},
		"after a failure":    {[]v1alpha1.StepState{v1alpha1.StepFailed, v1alpha1.StepPending}, "b", "whether the run continues after it is another question"},
		"after skipped ones": {[]v1alpha1.StepState{v1alpha1.StepSkipped, v1alpha1.StepSkipped, v1alpha1.StepPending}, "c", "a skipped step never runs"},
		"all finished":       {[]v1alpha1.StepState{v1alpha1.StepSucceeded, v1alpha1.StepFailed, v1alpha1.StepSkipped}, "", "nothing is left to run"},
	} {
		t.Run(name, func(t *testing.T) {
			var steps []v1alpha1.StepStatus
			for i, state := range test.states {
				steps = append(steps, v1alpha1.StepStatus{Name: string(rune('a' + i)), State: state})
			}
			got := ""
			if step := currentStep(steps); step != nil {
				got = step.Name
			}
			if got != test.want {
				t.Errorf("currentStep() = %q, want %q: %s", got, test.want, test.reason)
			}
		})
	}
}
