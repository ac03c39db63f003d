package controller

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// outline is the part of a status that TestAssess looks at; the rest has tests of its own.
type outline struct {
	Steps       []string // name, state, reason and Job name, as far as there are any
	CurrentStep string
	Progress    string
	Succeeded   string
	Started     time.Duration // since noon; -1 for never
	Completed   time.Duration
}

func outlineOf(status v1alpha1.SequentialJobStatus) outline {
	since := func(moment *metav1.Time) time.Duration {
		if moment == nil {
			return -1
		}
		return moment.Sub(noon)
	}
	seen := outline{
		CurrentStep: status.CurrentStep, Progress: status.Progress,
		Succeeded: string(summary(&status).Status) + " " + summary(&status).Reason,
		Started:   since(status.StartTime), Completed: since(status.CompletionTime),
	}
	for _, step := range status.Steps {
		line := step.Name + " " + string(step.State)
		for _, more := range []string{step.Reason, step.JobName} {
			if more != "" {
				line += " " + more
			}
		}
		seen.Steps = append(seen.Steps, line)
	}
	return seen
}

func TestAssess(t *testing.T) {
	for name, test := range map[string]struct {
		object  *objectBuilder
		job     *jobBuilder
		created types.UID // by this process
		refusal *refusal
		want    outline
		reason  string
	}{
		"first reconcile": {
			object: makeObject("web").steps("build", "test"),
			want: outline{Steps: []string{"build Pending web-build", "test Pending"},
				CurrentStep: "build", Progress: "0/2", Succeeded: "Unknown Running", Started: time.Minute, Completed: -1},
			reason: "the first step is claimed, and no other",
		},
		"first reconcile, suspended": {
			object: makeObject("web").steps("build", "test").suspend(),
			want: outline{Steps: []string{"build Pending", "test Pending"},
				CurrentStep: "build", Progress: "0/2", Succeeded: "Unknown Suspended", Started: -1, Completed: -1},
			reason: "the run starts once it is first not suspended",
		},
		"first reconcile, starting in the middle": {
			object: makeObject("web").steps("build", "test", "deploy").startAt("test"),
			want: outline{Steps: []string{"build Skipped BeforeStartAt", "test Pending web-test", "deploy Pending"},
				CurrentStep: "test", Progress: "1/3", Succeeded: "Unknown Running", Started: time.Minute, Completed: -1},
			reason: "what lies before startAt never runs",
		},
		"first reconcile, starting at the first step": {
			object: makeObject("web").steps("build", "test").startAt("build"),
			want: outline{Steps: []string{"build Pending web-build", "test Pending"},
				CurrentStep: "build", Progress: "0/2", Succeeded: "Unknown Running", Started: time.Minute, Completed: -1},
			reason: "the step that startAt names runs",
		},
		"resumed before the start": {
			object: makeObject("web").steps("build").waiting(),
			want: outline{Steps: []string{"build Pending web-build"},
				CurrentStep: "build", Progress: "0/1", Succeeded: "Unknown Running", Started: time.Minute, Completed: -1},
			reason: "the clock of the deadline starts now",
		},
		"suspended after the claim": {
			object: makeObject("web").steps("build").claimed("build").suspend(),
			want: outline{Steps: []string{"build Pending web-build"},
				CurrentStep: "build", Progress: "0/1", Succeeded: "Unknown Suspended", Started: 0, Completed: -1},
			reason: "a claim is not taken back: the Job may exist, though no reconcile has seen it",
		},
		"Job created": {
			object: makeObject("web").steps("build", "test").claimed("build"),
			job:    makeJob("build"),
			want: outline{Steps: []string{"build Running web-build", "test Pending"},
				CurrentStep: "build", Progress: "0/2", Succeeded: "Unknown Running", Started: 0, Completed: -1},
			reason: "one step after another",
		},
		"step completed": {
			object: makeObject("web").steps("build", "test").running("build"),
			job:    makeJob("build").complete(),
			want: outline{Steps: []string{"build Succeeded web-build", "test Pending web-test"},
				CurrentStep: "test", Progress: "1/2", Succeeded: "Unknown Running", Started: 0, Completed: -1},
			reason: "one write both ends a step and claims the next one",
		},
		"step completed while suspended": {
			object: makeObject("web").steps("build", "test").running("build").suspend(),
			job:    makeJob("build").complete(),
			want: outline{Steps: []string{"build Succeeded web-build", "test Pending"},
				CurrentStep: "test", Progress: "1/2", Succeeded: "Unknown Suspended", Started: 0, Completed: -1},
			reason: "a suspended run claims nothing",
		},
		"last step completed": {
			object: makeObject("web").steps("build", "test").running("test"),
			job:    makeJob("test").complete(),
			want: outline{Steps: []string{"build Succeeded web-build", "test Succeeded web-test"},
				Progress: "2/2", Succeeded: "True AllStepsSucceeded", Started: 0, Completed: time.Minute},
			reason: "no step is current once the run has ended",
		},
		"step failed": {
			object: makeObject("web").steps("build", "test", "deploy").running("test"),
			job:    makeJob("test").failed("BackoffLimitExceeded", ""),
			want: outline{Steps: []string{"build Succeeded web-build", "test Failed BackoffLimitExceeded web-test", "deploy Skipped RunFailed"},
				Progress: "2/3", Succeeded: "False StepFailed", Started: 0, Completed: time.Minute},
			reason: "no step is left open in a finished run",
		},
		"step failed, onFailure Continue": {
			object: makeObject("web").steps("build", "test").continueAfter("build").running("build"),
			job:    makeJob("build").failed("BackoffLimitExceeded", ""),
			want: outline{Steps: []string{"build Failed BackoffLimitExceeded web-build", "test Pending web-test"},
				CurrentStep: "test", Progress: "1/2", Succeeded: "Unknown Running", Started: 0, Completed: -1},
			reason: "onFailure: Continue starts the next step",
		},
		"Job invalid": {
			object:  makeObject("web").steps("build", "test").claimed("build"),
			refusal: &refusal{reason: v1alpha1.ReasonInvalidJobTemplate, message: "no image"},
			want: outline{Steps: []string{"build Failed InvalidJobTemplate web-build", "test Skipped RunFailed"},
				Progress: "1/2", Succeeded: "False InvalidJobTemplate", Started: 0, Completed: time.Minute},
			reason: "trying again can't help",
		},
		"deadline passed between two steps": {
			object: makeObject("web").steps("build", "test").claimed("test").deadline(60),
			want: outline{Steps: []string{"build Succeeded web-build", "test Skipped RunFailed"},
				Progress: "1/2", Succeeded: "False DeadlineExceeded", Started: 0, Completed: time.Minute},
			reason: "a step that was claimed but never started is skipped, without a Job to its name",
		},
		"deadline passed while a step runs": {
			object: makeObject("web").steps("build", "test").running("build").deadline(60),
			job:    makeJob("build"),
			want: outline{Steps: []string{"build Running web-build", "test Pending"},
				CurrentStep: "build", Progress: "0/2", Succeeded: "Unknown DeadlineExceeded", Started: 0, Completed: -1},
			reason: "it runs until it has been stopped",
		},
		"deadline passed, the Job is gone": {
			object: makeObject("web").steps("build", "test").running("build").deadline(60).succeeded(metav1.ConditionUnknown, v1alpha1.ReasonDeadlineExceeded, ""),
			want: outline{Steps: []string{"build Failed DeadlineExceeded web-build", "test Skipped RunFailed"},
				Progress: "1/2", Succeeded: "False DeadlineExceeded", Started: 0, Completed: time.Minute},
			reason: "the run ends when nothing of it is active any more",
		},
		"deadline passed, the Job failed because it was stopped": {
			object: makeObject("web").steps("build", "test").continueAfter("build").running("build").deadline(60).succeeded(metav1.ConditionUnknown, v1alpha1.ReasonDeadlineExceeded, ""),
			job:    makeJob("build").deleting().failed("BackoffLimitExceeded", ""),
			want: outline{Steps: []string{"build Failed DeadlineExceeded web-build", "test Skipped RunFailed"},
				Progress: "1/2", Succeeded: "False DeadlineExceeded", Started: 0, Completed: time.Minute},
			reason: "a pod that the garbage collector deletes counts as failed, and the Job fails if the collector is slow to remove it",
		},
		"deadline passed, the Job failed by itself before it was stopped": {
			object: makeObject("web").steps("build", "test").running("build").deadline(60).succeeded(metav1.ConditionUnknown, v1alpha1.ReasonDeadlineExceeded, ""),
			job:    makeJob("build").failed("BackoffLimitExceeded", ""),
			want: outline{Steps: []string{"build Failed BackoffLimitExceeded web-build", "test Skipped RunFailed"},
				Progress: "1/2", Succeeded: "False StepFailed", Started: 0, Completed: time.Minute},
			reason: "nobody stopped it",
		},
		"deadline passed, the Job completed while it was being stopped": {
			object: makeObject("web").steps("build").running("build").deadline(60).succeeded(metav1.ConditionUnknown, v1alpha1.ReasonDeadlineExceeded, ""),
			job:    makeJob("build").deleting().complete(),
			want: outline{Steps: []string{"build Succeeded web-build"},
				Progress: "1/1", Succeeded: "True AllStepsSucceeded", Started: 0, Completed: time.Minute},
			reason: "what succeeded has succeeded",
		},
		"Job created by this process, gone before the status recorded it": {
			object:  makeObject("web").steps("build", "test").claimed("build"),
			created: "uid-of-web-build",
			want: outline{Steps: []string{"build Failed JobDeleted web-build", "test Skipped RunFailed"},
				Progress: "1/2", Succeeded: "False JobDeleted", Started: 0, Completed: time.Minute},
			reason: "it may have had an effect: never a silent rerun",
		},
		"Job created by this process, gone before the status recorded it, onFailure Continue": {
			object:  makeObject("web").steps("build", "test").continueAfter("build").claimed("build"),
			created: "uid-of-web-build",
			want: outline{Steps: []string{"build Failed JobDeleted web-build", "test Pending web-test"},
				CurrentStep: "test", Progress: "1/2", Succeeded: "Unknown Running", Started: 0, Completed: -1},
			reason: "onFailure: Continue starts the next step",
		},
		"another Job in the place of one that the status had not recorded": {
			object:  makeObject("web").steps("build", "test").claimed("build").deadline(60),
			job:     makeJob("build").uid("other"),
			created: "uid-of-web-build",
			want: outline{Steps: []string{"build Pending web-build", "test Pending"},
				CurrentStep: "build", Progress: "0/2", Succeeded: "Unknown JobDeleted", Started: 0, Completed: -1},
			reason: "it has to go first, and for that reason, past the deadline or not",
		},
		"past the deadline during a later step, after one that Continued past its own": {
			object: makeObject("web").steps("build", "test").continueAfter("build").running("test").
				record("build", v1alpha1.StepFailed, "DeadlineExceeded").deadline(60).succeeded(metav1.ConditionUnknown, v1alpha1.ReasonDeadlineExceeded, ""),
			job: makeJob("test"),
			want: outline{Steps: []string{"build Failed DeadlineExceeded web-build", "test Running web-test"},
				CurrentStep: "test", Progress: "1/2", Succeeded: "Unknown DeadlineExceeded", Started: 0, Completed: -1},
			reason: "a running step must not turn into one that never ran, nor the run end while its Job is active",
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen := facts{now: noon.Add(time.Minute), object: test.object.obj(), created: test.created, refusal: test.refusal}
			if test.job != nil {
				seen.job = test.job.obj()
			}
			before := seen.object.DeepCopy()
			got := assess(seen)
			if diff := cmp.Diff(test.want, outlineOf(got)); diff != "" {
				t.Errorf("%s; assess() (-want +got):\n%s", test.reason, diff)
			}
			if diff := cmp.Diff(before, seen.object); diff != "" {
				t.Errorf("assess has changed the object of the cache (-before +after):\n%s", diff)
			}
		})
	}
}

func TestAssessFinished(t *testing.T) {
	object := makeObject("web").steps("build", "test").running("build").
		record("build", v1alpha1.StepFailed, "BackoffLimitExceeded").record("test", v1alpha1.StepSkipped, v1alpha1.ReasonRunFailed).
		succeeded(metav1.ConditionFalse, v1alpha1.ReasonStepFailed, "failed").completed(noon).generation(2).suspend().ttl(3600).obj()
	want := object.Status.DeepCopy()
	want.ObservedGeneration = 2
	for i := range want.Conditions {
		want.Conditions[i].ObservedGeneration = 2
	}

	got := assess(facts{now: noon.Add(time.Hour), object: object, job: makeJob("build").complete().obj()})
	if diff := cmp.Diff(*want, got); diff != "" {
		t.Errorf("of a finished run only the observed generation may change, or an old Job could change history (-want +got):\n%s", diff)
	}
}

func TestLedgerGoesByTheSpecsOrder(t *testing.T) {
	object := makeObject("web").steps("build", "test", "deploy").running("test").obj()
	steps := object.Status.Steps
	object.Status.Steps = []v1alpha1.StepStatus{steps[1], {Name: "unknown", State: v1alpha1.StepRunning}, steps[0]}
	if diff := cmp.Diff(steps, ledger(object)); diff != "" {
		t.Errorf("what was recorded stays, what is missing has not had its turn, and the order is the spec's (-want +got):\n%s", diff)
	}
}

func TestLedgerBelievesTheRecordOverStartAt(t *testing.T) {
	object := makeObject("web").steps("build", "test").startAt("test").running("build").obj()
	if diff := cmp.Diff(object.Status.Steps, ledger(object)); diff != "" {
		t.Errorf("what has run is not skipped afterwards (-want +got):\n%s", diff)
	}
}

func TestSkippedStepsSayWhy(t *testing.T) {
	steps := ledger(makeObject("web").steps("build", "test", "deploy").startAt("test").obj())
	steps[1].State = v1alpha1.StepFailed
	skipRest(steps)
	want := []v1alpha1.StepStatus{
		{Name: "build", State: v1alpha1.StepSkipped, Reason: v1alpha1.ReasonBeforeStartAt, Message: `the run starts at step "test"`},
		{Name: "test", State: v1alpha1.StepFailed},
		{Name: "deploy", State: v1alpha1.StepSkipped, Reason: v1alpha1.ReasonRunFailed, Message: "the run failed before this step started"},
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

func TestRequeueAfter(t *testing.T) {
	conflict := &refusal{reason: v1alpha1.ReasonJobConflict, requeueAfter: nameTakenRetry}
	for name, test := range map[string]struct {
		object             *objectBuilder
		unwatched          bool
		workspaceUnwatched bool
		refusal            *refusal
		after              time.Duration
		want               time.Duration
		reason             string
	}{
		"running": {
			object: makeObject("web").steps("build").running("build"), after: time.Hour,
			reason: "events wake the controller; there is no polling",
		},
		"deadline ahead": {
			object: makeObject("web").steps("build").running("build").deadline(60), after: 20 * time.Second,
			want: 40 * time.Second, reason: "nothing happens when a deadline passes, so the reconcile must be requeued",
		},
		"deadline passed": {
			object: makeObject("web").steps("build").running("build").deadline(60), after: time.Hour,
			reason: "the stop is under way, and its events will come",
		},
		"deadline, suspended": {
			object: makeObject("web").steps("build").running("build").deadline(60).suspend().recordSuspended(noon),
			reason: "the clock is stopped",
		},
		"Job that the cache doesn't have": {
			object: makeObject("web").steps("build").running("build"), unwatched: true,
			want: expectationsTimeout, reason: "no event may come of it",
		},
		"Job that the cache doesn't have, deadline sooner": {
			object: makeObject("web").steps("build").running("build").deadline(4), unwatched: true,
			want: 4 * time.Second, reason: "the soonest moment counts",
		},
		"Job that the cache doesn't have, deadline later": {
			object: makeObject("web").steps("build").running("build").deadline(3600), unwatched: true,
			want: expectationsTimeout, reason: "the soonest moment counts",
		},
		"Workspace that the cache doesn't have": {
			object: makeObject("web").steps("build").about("build"), workspaceUnwatched: true,
			want: expectationsTimeout, reason: "no event may come of it",
		},
		"name taken": {
			object: makeObject("web").steps("build").claimed("build"), refusal: conflict,
			want: nameTakenRetry, reason: "the other Job is not watched, so no event shows when it goes",
		},
		"refused": {
			object: makeObject("web").steps("build").claimed("build"), refusal: &refusal{reason: v1alpha1.ReasonJobRefused},
			reason: "the error of the same reconcile has it retried, with a growing pause",
		},
		"finished, kept for good": {
			object: makeObject("web").steps("build").running("build").deadline(60).succeeded(metav1.ConditionTrue, "Done", "").completed(noon),
			reason: "a finished run has no deadline",
		},
		"finished, time to live ahead": {
			object: makeObject("web").steps("build").running("build").deadline(10).succeeded(metav1.ConditionTrue, "Done", "").completed(noon).ttl(60),
			after:  20 * time.Second,
			want:   40 * time.Second, reason: "nothing happens when a time to live is over, so it must be requeued",
		},
		"finished, a last refusal": {
			object: makeObject("web").steps("build").claimed("build").succeeded(metav1.ConditionFalse, "Done", "").completed(noon), refusal: conflict, unwatched: true,
			reason: "a finished run waits for nothing",
		},
		"time to live of a run that continues": {
			object: makeObject("web").steps("build").running("build").completed(noon).ttl(60),
			reason: "it counts from the end",
		},
	} {
		t.Run(name, func(t *testing.T) {
			object := test.object.obj()
			seen := facts{now: noon.Add(test.after), object: object, unwatched: test.unwatched, refusal: test.refusal, workspaceUnwatched: test.workspaceUnwatched}
			if got := requeueAfter(seen, object.Status); got != test.want {
				t.Errorf("requeueAfter() = %v, want %v: %s", got, test.want, test.reason)
			}
		})
	}
}

// The deadline's clock may have started in this very reconcile.
func TestRequeueAfterGoesByTheNewStatus(t *testing.T) {
	object := makeObject("web").steps("build").deadline(60).obj()
	seen := facts{now: noon, object: object}
	if got, want := requeueAfter(seen, assess(seen)), time.Minute; got != want {
		t.Errorf("after a first reconcile requeueAfter() = %v, want %v", got, want)
	}
	object = makeObject("web").steps("build").about("build").deadline(60).recordSuspended(noon.Add(10 * time.Second)).obj()
	seen = facts{now: noon.Add(time.Hour), object: object}
	if got, want := requeueAfter(seen, assess(seen)), 50*time.Second; got != want {
		t.Errorf("after resuming requeueAfter() = %v, want %v", got, want)
	}
}

func TestTimestampIsWhatTheAPIStores(t *testing.T) {
	if got := timestamp(noon.Add(999 * time.Millisecond)); !got.Time.Equal(noon) {
		t.Errorf("timestamp() = %v, want whole seconds: a status that differs from what was stored is written again and again", got)
	}
}

func TestAssessIsAtRestAfterItsOwnWrite(t *testing.T) {
	for name, test := range map[string]struct {
		object  *objectBuilder
		job     *jobBuilder
		created types.UID // by this process
	}{
		"suspended at birth":         {makeObject("web").steps("build", "test").suspend(), nil, ""},
		"running":                    {makeObject("web").steps("build", "test").claimed("build"), makeJob("build"), ""},
		"suspending":                 {makeObject("web").steps("build").running("build").suspend(), makeJob("build").suspendWanted(), ""},
		"suspended":                  {makeObject("web").steps("build").running("build").suspend().deadline(60), makeJob("build").confirmSuspended(), ""},
		"stopping":                   {makeObject("web").steps("build").running("build").deadline(1), makeJob("build").deleting(), ""},
		"stopping a replacement":     {makeObject("web").steps("build").running("build"), makeJob("build").uid("other").deleting(), ""},
		"stopping an unrecorded one": {makeObject("web").steps("build").claimed("build"), makeJob("build").uid("other").deleting(), "uid-of-web-build"},
		"still to be resumed":        {makeObject("web").steps("build").running("build").recordSuspended(noon), makeJob("build").confirmSuspended(), ""},
		"succeeded":                  {makeObject("web").steps("build").running("build"), makeJob("build").complete(), ""},
		"failed":                     {makeObject("web").steps("build", "test").running("build"), makeJob("build").failed("PodFailurePolicy", "no"), ""},
		"failed as the Job's gone":   {makeObject("web").steps("build", "test").running("build"), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			seen := facts{now: noon.Add(time.Minute), object: test.object.obj(), created: test.created}
			if test.job != nil {
				seen.job = test.job.obj()
			}
			first := assess(seen)
			seen.object.Status = first
			seen.now = seen.now.Add(time.Hour)
			if diff := cmp.Diff(first, assess(seen)); diff != "" {
				t.Errorf("nothing has happened, so nothing must be written (-before +after):\n%s", diff)
			}
		})
	}
}

func TestSuspensionOverALifetime(t *testing.T) {
	object := makeObject("web").steps("build").running("build").deadline(60).suspend().obj()
	reconcile := func(after time.Duration, job *jobBuilder) {
		object.Status = assess(facts{now: noon.Add(after), object: object, job: job.obj()})
	}
	reconcile(10*time.Second, makeJob("build").suspendWanted())    // it takes the Job
	reconcile(15*time.Second, makeJob("build").confirmSuspended()) // five seconds to stop
	object.Spec.Suspend = new(false)
	reconcile(100*time.Second, makeJob("build").confirmSuspended()) // passing on the resume fails
	reconcile(115*time.Second, makeJob("build"))
	if meta.IsStatusConditionTrue(object.Status.Conditions, v1alpha1.ConditionSuspended) {
		t.Fatal("the run is not suspended any more")
	}
	left, limited := deadlineLeft(object, &object.Status, noon.Add(115*time.Second))
	if want := 45 * time.Second; left != want || !limited {
		t.Errorf("deadlineLeft() = %v, %t, want %v: fifteen of its sixty seconds were spent", left, limited, want)
	}
}
