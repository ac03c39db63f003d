package controller

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestOutcomeOf(t *testing.T) {
	const (
		undecided = metav1.ConditionUnknown
		yes       = metav1.ConditionTrue
		no        = metav1.ConditionFalse
	)
	conflict := &refusal{reason: v1alpha1.ReasonJobConflict, message: "a Job named web-build exists"}
	invalid := &refusal{reason: v1alpha1.ReasonInvalidJobTemplate, message: "no image"}

	for name, test := range map[string]struct {
		recorded *objectBuilder       // the facts' object
		settled  func(*objectBuilder) // what updateStep has changed
		job      *jobBuilder
		refusal  *refusal
		after    time.Duration
		want     outcome
		reason   string
	}{
		"turn": {
			recorded: makeObject("web").steps("build").about("build"),
			want:     outcome{undecided, v1alpha1.ReasonRunning, `step "build" is about to start`, true},
			reason:   "the claim comes first, the Job in a later reconcile",
		},
		"turn, suspended": {
			recorded: makeObject("web").steps("build").about("build").suspend(),
			want:     outcome{undecided, v1alpha1.ReasonSuspended, `suspended at step "build"`, false},
			reason:   "nothing is claimed while nothing may start",
		},
		"turn, past the deadline": {
			recorded: makeObject("web").steps("build", "test").about("test").deadline(60),
			after:    time.Minute,
			want:     outcome{no, v1alpha1.ReasonDeadlineExceeded, `activeDeadlineSeconds had passed before step "test"`, false},
			reason:   "nothing is active, so the run ends immediately",
		},
		"turn, past the deadline, but suspended before": {
			recorded: makeObject("web").steps("build", "test").about("test").deadline(60).suspend().recordSuspended(noon),
			after:    time.Hour,
			want:     outcome{undecided, v1alpha1.ReasonSuspended, `suspended at step "test"`, false},
			reason:   "the clock is stopped",
		},
		"running": {
			recorded: makeObject("web").steps("build").running("build"),
			job:      makeJob("build"),
			want:     outcome{undecided, v1alpha1.ReasonRunning, `step "build" is running as Job web-build`, false},
			reason:   "a running step has its claim",
		},
		"running, suspend requested": {
			recorded: makeObject("web").steps("build").running("build").suspend(),
			job:      makeJob("build").suspendWanted(),
			want:     outcome{undecided, v1alpha1.ReasonRunning, `step "build": Job web-build is suspended or about to be`, false},
			reason:   "suspended is only what has stopped",
		},
		"running, suspend requested, but the Job could not be patched": {
			recorded: makeObject("web").steps("build").running("build").suspend(),
			job:      makeJob("build"),
			want:     outcome{undecided, v1alpha1.ReasonRunning, `step "build" is running as Job web-build`, false},
			reason:   "nothing keeps the Job from running yet",
		},
		"suspended, resume requested, but the Job could not be patched": {
			recorded: makeObject("web").steps("build").running("build").recordSuspended(noon),
			job:      makeJob("build").confirmSuspended(),
			want:     outcome{undecided, v1alpha1.ReasonRunning, `step "build": Job web-build is suspended or about to be`, false},
			reason:   "the status must not tell a waiting client that the step runs",
		},
		"Job being deleted": {
			recorded: makeObject("web").steps("build", "test").continueAfter("build").running("build"),
			job:      makeJob("build").deleting(),
			want:     outcome{undecided, v1alpha1.ReasonRunning, `step "build": waiting until Job web-build, which is being deleted, is gone`, false},
			reason:   "its pods may run until it is gone; the summary says what is waited for",
		},
		"suspended Job being deleted": {
			recorded: makeObject("web").steps("build").running("build"),
			job:      makeJob("build").suspendWanted().deleting(),
			want:     outcome{undecided, v1alpha1.ReasonRunning, `step "build": waiting until Job web-build, which is being deleted, is gone`, false},
			reason:   "it is not resumed any more, so that would be the wrong thing to wait for",
		},
		"running, suspended": {
			recorded: makeObject("web").steps("build").running("build").suspend(),
			job:      makeJob("build").confirmSuspended(),
			want:     outcome{undecided, v1alpha1.ReasonSuspended, `suspended at step "build"`, false},
			reason:   "the summary says why nothing moves",
		},
		"past the deadline, still running": {
			recorded: makeObject("web").steps("build").running("build").deadline(60),
			job:      makeJob("build"),
			after:    time.Minute,
			want:     outcome{undecided, v1alpha1.ReasonDeadlineExceeded, "activeDeadlineSeconds has passed; stopping Job web-build", false},
			reason:   "a finished SequentialJob has no active Job, so this one has to go first",
		},
		"past the deadline, suspended Job": {
			recorded: makeObject("web").steps("build").running("build").suspend().deadline(60),
			job:      makeJob("build").confirmSuspended(),
			after:    time.Minute,
			want:     outcome{undecided, v1alpha1.ReasonDeadlineExceeded, "activeDeadlineSeconds has passed; stopping Job web-build", false},
			reason:   "until the suspension is recorded its clock runs, and a suspended Job could still be resumed",
		},
		"deadline claimed, then raised": {
			recorded: makeObject("web").steps("build").running("build").deadline(3600).succeeded(undecided, v1alpha1.ReasonDeadlineExceeded, ""),
			job:      makeJob("build"),
			want:     outcome{undecided, v1alpha1.ReasonDeadlineExceeded, "activeDeadlineSeconds has passed; stopping Job web-build", false},
			reason:   "the Job may have been stopped already; a claim is not taken back",
		},
		"deadline claimed, Job completed in the meantime, another step left": {
			recorded: makeObject("web").steps("build", "test").running("build").deadline(60).succeeded(undecided, v1alpha1.ReasonDeadlineExceeded, ""),
			settled:  func(b *objectBuilder) { b.record("build", v1alpha1.StepSucceeded, "") },
			job:      makeJob("build").complete(),
			after:    time.Minute,
			want:     outcome{no, v1alpha1.ReasonDeadlineExceeded, `activeDeadlineSeconds had passed before step "test"`, false},
			reason:   "the limit is one on the whole run",
		},
		"deadline claimed, last Job completed in the meantime": {
			recorded: makeObject("web").steps("build").running("build").deadline(60).succeeded(undecided, v1alpha1.ReasonDeadlineExceeded, ""),
			settled:  func(b *objectBuilder) { b.record("build", v1alpha1.StepSucceeded, "") },
			job:      makeJob("build").complete(),
			after:    time.Minute,
			want:     outcome{yes, v1alpha1.ReasonAllStepsSucceeded, "1 succeeded, 0 skipped", false},
			reason:   "all that was asked for has been done",
		},
		"stopped at the deadline": {
			recorded: makeObject("web").steps("build", "test").running("build").deadline(60).succeeded(undecided, v1alpha1.ReasonDeadlineExceeded, ""),
			settled:  func(b *objectBuilder) { b.record("build", v1alpha1.StepFailed, v1alpha1.ReasonDeadlineExceeded) },
			after:    time.Minute,
			want:     outcome{no, v1alpha1.ReasonDeadlineExceeded, `step "build" failed: DeadlineExceeded: `, false},
			reason:   "the run failed for its own limit, which is not a failure of the step's Job",
		},
		"stopped at the deadline, onFailure Continue": {
			recorded: makeObject("web").steps("build", "test").continueAfter("build").running("build").deadline(60).succeeded(undecided, v1alpha1.ReasonDeadlineExceeded, ""),
			settled:  func(b *objectBuilder) { b.record("build", v1alpha1.StepFailed, v1alpha1.ReasonDeadlineExceeded) },
			after:    time.Minute,
			want:     outcome{no, v1alpha1.ReasonDeadlineExceeded, `step "build" failed: DeadlineExceeded: `, false},
			reason:   "whatever onFailure says, the run's time is over",
		},
		"a Job's own deadline, onFailure Continue": {
			recorded: makeObject("web").steps("build", "test").continueAfter("build").running("build"),
			settled:  func(b *objectBuilder) { b.record("build", v1alpha1.StepFailed, "DeadlineExceeded") },
			job:      makeJob("build").failed("DeadlineExceeded", "Job was active longer than specified deadline"),
			want:     outcome{undecided, v1alpha1.ReasonRunning, `step "test" is about to start`, true},
			reason:   "the Job API gives the same reason for the Job's own activeDeadlineSeconds",
		},
		"a Job's own deadline, onFailure Continue, then the run's deadline during a later step": {
			recorded: makeObject("web").steps("build", "test").continueAfter("build").running("test").
				record("build", v1alpha1.StepFailed, "DeadlineExceeded").deadline(60).succeeded(undecided, v1alpha1.ReasonDeadlineExceeded, ""),
			job:    makeJob("test"),
			after:  time.Minute,
			want:   outcome{undecided, v1alpha1.ReasonDeadlineExceeded, "activeDeadlineSeconds has passed; stopping Job web-test", false},
			reason: "the run must not be called failed, nor its running step skipped, while that step's Job is active",
		},
		"another Job in place of the step's": {
			recorded: makeObject("web").steps("build").running("build"),
			job:      makeJob("build").uid("other"),
			want:     outcome{undecided, v1alpha1.ReasonJobDeleted, "Job web-build was deleted and replaced; stopping the replacement", false},
			reason:   "the run can't be called failed while that Job runs",
		},
		"another Job in place of the step's, past the deadline": {
			recorded: makeObject("web").steps("build").running("build").deadline(60),
			job:      makeJob("build").uid("other"),
			after:    time.Minute,
			want:     outcome{undecided, v1alpha1.ReasonJobDeleted, "Job web-build was deleted and replaced; stopping the replacement", false},
			reason:   "the step's own Job went before the deadline could stop it",
		},
		"another Job in place of the step's, suspended": {
			recorded: makeObject("web").steps("build").running("build").suspend(),
			job:      makeJob("build").uid("other").confirmSuspended(),
			want:     outcome{undecided, v1alpha1.ReasonJobDeleted, "Job web-build was deleted and replaced; stopping the replacement", false},
			reason:   "it would run as soon as the run is resumed",
		},
		"another Job in place of one that the status had not recorded": {
			recorded: makeObject("web").steps("build").claimed("build"),
			settled:  func(b *objectBuilder) { b.entry("build").JobUID = "uid-of-web-build" },
			job:      makeJob("build").uid("other"),
			want:     outcome{undecided, v1alpha1.ReasonJobDeleted, "Job web-build was deleted and replaced; stopping the replacement", false},
			reason:   "a step that was never seen running can be replaced like any other",
		},
		"vanished Job that the status had not recorded": {
			recorded: makeObject("web").steps("build", "test").claimed("build").succeeded(undecided, v1alpha1.ReasonJobRefused, "recorded"),
			settled:  func(b *objectBuilder) { b.record("build", v1alpha1.StepFailed, v1alpha1.ReasonJobDeleted) },
			want:     outcome{no, v1alpha1.ReasonJobDeleted, `step "build" failed: JobDeleted: `, false},
			reason:   "it has been created, so what stood in its way counts no more",
		},
		"failed step": {
			recorded: makeObject("web").steps("build", "test").running("build"),
			settled: func(b *objectBuilder) {
				b.record("build", v1alpha1.StepFailed, "BackoffLimitExceeded").entry("build").Message = "too often"
			},
			job:    makeJob("build").failed("BackoffLimitExceeded", "too often"),
			want:   outcome{no, v1alpha1.ReasonStepFailed, `step "build" failed: BackoffLimitExceeded: too often`, false},
			reason: "the summary names the step and repeats its reason",
		},
		"failed step while suspended": {
			recorded: makeObject("web").steps("build", "test").running("build").suspend(),
			settled:  func(b *objectBuilder) { b.record("build", v1alpha1.StepFailed, "BackoffLimitExceeded") },
			want:     outcome{no, v1alpha1.ReasonStepFailed, `step "build" failed: BackoffLimitExceeded: `, false},
			reason:   "an end is an end, suspended or not",
		},
		"vanished Job": {
			recorded: makeObject("web").steps("build", "test").running("build"),
			settled:  func(b *objectBuilder) { b.record("build", v1alpha1.StepFailed, v1alpha1.ReasonJobDeleted) },
			want:     outcome{no, v1alpha1.ReasonJobDeleted, `step "build" failed: JobDeleted: `, false},
			reason:   "the run's reason says what to look for",
		},
		"failed step, onFailure Continue": {
			recorded: makeObject("web").steps("build", "test").continueAfter("build").running("build"),
			settled:  func(b *objectBuilder) { b.record("build", v1alpha1.StepFailed, "BackoffLimitExceeded") },
			job:      makeJob("build").failed("BackoffLimitExceeded", ""),
			want:     outcome{undecided, v1alpha1.ReasonRunning, `step "test" is about to start`, true},
			reason:   "onFailure: Continue starts the next step",
		},
		"last step failed, onFailure Continue": {
			recorded: makeObject("web").steps("build", "test").continueAfter("test").running("test"),
			settled:  func(b *objectBuilder) { b.record("test", v1alpha1.StepFailed, "BackoffLimitExceeded") },
			want:     outcome{yes, v1alpha1.ReasonStepsFailed, "1 succeeded, 1 failed with onFailure: Continue, 0 skipped", false},
			reason:   "the run did what was asked, and says that not all went well",
		},
		"invalid template": {
			recorded: makeObject("web").steps("build", "test").claimed("build"),
			settled:  func(b *objectBuilder) { b.record("build", v1alpha1.StepFailed, v1alpha1.ReasonInvalidJobTemplate) },
			refusal:  invalid,
			want:     outcome{no, v1alpha1.ReasonInvalidJobTemplate, `step "build" failed: InvalidJobTemplate: `, false},
			reason:   "steps are immutable, so it is final",
		},
		"invalid template, onFailure Continue": {
			recorded: makeObject("web").steps("build", "test").continueAfter("build").claimed("build"),
			settled:  func(b *objectBuilder) { b.record("build", v1alpha1.StepFailed, v1alpha1.ReasonInvalidJobTemplate) },
			refusal:  invalid,
			want:     outcome{undecided, v1alpha1.ReasonRunning, `step "test" is about to start`, true},
			reason:   "the refusal was the other step's",
		},
		"refused for now, then invalid, onFailure Continue": {
			recorded: makeObject("web").steps("build", "test").continueAfter("build").claimed("build").succeeded(undecided, v1alpha1.ReasonJobRefused, "recorded"),
			settled:  func(b *objectBuilder) { b.record("build", v1alpha1.StepFailed, v1alpha1.ReasonInvalidJobTemplate) },
			refusal:  invalid,
			want:     outcome{undecided, v1alpha1.ReasonRunning, `step "test" is about to start`, true},
			reason:   "the next step would never be claimed if it inherited what stood against the one before",
		},
		"name taken": {
			recorded: makeObject("web").steps("build").claimed("build"),
			refusal:  conflict,
			want:     outcome{undecided, v1alpha1.ReasonJobConflict, `step "build": a Job named web-build exists`, false},
			reason:   "a user must act, and must know how",
		},
		"name taken, create failed otherwise this time": {
			recorded: makeObject("web").steps("build").claimed("build").succeeded(undecided, v1alpha1.ReasonJobConflict, "recorded"),
			want:     outcome{undecided, v1alpha1.ReasonJobConflict, "recorded", false},
			reason:   "a reason that comes and goes with each try would cause a write and an event each time",
		},
		"refused, create failed otherwise this time": {
			recorded: makeObject("web").steps("build").claimed("build").succeeded(undecided, v1alpha1.ReasonJobRefused, "recorded"),
			want:     outcome{undecided, v1alpha1.ReasonJobRefused, "recorded", false},
			reason:   "a reason that comes and goes with each try would cause a write and an event each time",
		},
		"refused, then created": {
			recorded: makeObject("web").steps("build").claimed("build").succeeded(undecided, v1alpha1.ReasonJobRefused, "recorded"),
			settled:  func(b *objectBuilder) { b.record("build", v1alpha1.StepRunning, "") },
			job:      makeJob("build"),
			want:     outcome{undecided, v1alpha1.ReasonRunning, `step "build" is running as Job web-build`, false},
			reason:   "what stood in the way is gone",
		},
		"refused, then suspended": {
			recorded: makeObject("web").steps("build").claimed("build").suspend().succeeded(undecided, v1alpha1.ReasonJobRefused, "recorded"),
			want:     outcome{undecided, v1alpha1.ReasonSuspended, `suspended at step "build"`, false},
			reason:   "nothing is tried while suspended, so nothing is refused",
		},
		"all succeeded": {
			recorded: makeObject("web").steps("build", "test").running("test"),
			settled:  func(b *objectBuilder) { b.record("test", v1alpha1.StepSucceeded, "") },
			job:      makeJob("test").complete(),
			want:     outcome{yes, v1alpha1.ReasonAllStepsSucceeded, "2 succeeded, 0 skipped", false},
			reason:   "the condition to wait for",
		},
		"all succeeded or left out": {
			recorded: makeObject("web").steps("build", "test").startAt("test").running("test").record("build", v1alpha1.StepSkipped, v1alpha1.ReasonBeforeStartAt),
			settled:  func(b *objectBuilder) { b.record("test", v1alpha1.StepSucceeded, "") },
			want:     outcome{yes, v1alpha1.ReasonAllStepsSucceeded, "1 succeeded, 1 skipped", false},
			reason:   "a retry is a new object with startAt",
		},
		"all succeeded while suspended and past the deadline": {
			recorded: makeObject("web").steps("build").running("build").suspend().deadline(60),
			settled:  func(b *objectBuilder) { b.record("build", v1alpha1.StepSucceeded, "") },
			after:    time.Hour,
			want:     outcome{yes, v1alpha1.ReasonAllStepsSucceeded, "1 succeeded, 0 skipped", false},
			reason:   "nothing is left to suspend or to stop",
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen := facts{now: noon.Add(test.after), object: test.recorded.obj(), refusal: test.refusal}
			if test.job != nil {
				seen.job = test.job.obj()
			}
			settled := &objectBuilder{seen.object.DeepCopy()}
			if test.settled != nil {
				test.settled(settled)
			}
			got := outcomeOf(&settled.obj().Status, seen)
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(outcome{})); diff != "" {
				t.Errorf("%s; outcomeOf() (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}

func TestRunReason(t *testing.T) {
	running := makeObject("web").steps("build").running("build")
	stopping := makeObject("web").steps("build").running("build").succeeded(metav1.ConditionUnknown, v1alpha1.ReasonDeadlineExceeded, "")
	for name, test := range map[string]struct {
		object     *objectBuilder
		stepReason string
		want       string
		reason     string
	}{
		"vanished Job":        {running, v1alpha1.ReasonJobDeleted, v1alpha1.ReasonJobDeleted, "one of ours"},
		"invalid template":    {running, v1alpha1.ReasonInvalidJobTemplate, v1alpha1.ReasonInvalidJobTemplate, "one of ours"},
		"backoff":             {running, "BackoffLimitExceeded", v1alpha1.ReasonStepFailed, "a Job's reasons are beyond counting; programs look at the step for them"},
		"none":                {running, "", v1alpha1.ReasonStepFailed, "a condition must have a reason"},
		"the Job's deadline":  {running, "DeadlineExceeded", v1alpha1.ReasonStepFailed, "the run's own deadline had nothing to do with it"},
		"stopped at ours":     {stopping, v1alpha1.ReasonDeadlineExceeded, v1alpha1.ReasonDeadlineExceeded, "the run's own limit is the reason to give"},
		"failed before ours":  {stopping, "BackoffLimitExceeded", v1alpha1.ReasonStepFailed, "what happened counts, not what was meant to"},
		"vanished under ours": {stopping, v1alpha1.ReasonJobDeleted, v1alpha1.ReasonJobDeleted, "one of ours"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := runReason(&v1alpha1.StepStatus{Name: "build", State: v1alpha1.StepFailed, Reason: test.stepReason}, facts{object: test.object.obj()}); got != test.want {
				t.Errorf("runReason(%q) = %q, want %q: %s", test.stepReason, got, test.want, test.reason)
			}
		})
	}
}

func TestStopReasonAndFinished(t *testing.T) {
	for name, test := range map[string]struct {
		object       *objectBuilder
		wantStop     string
		wantFinished bool
		reason       string
	}{
		"no status":         {object: makeObject("web"), reason: "nothing is claimed yet"},
		"running":           {object: makeObject("web").succeeded(metav1.ConditionUnknown, v1alpha1.ReasonRunning, ""), reason: "Unknown is not an end"},
		"name taken":        {object: makeObject("web").succeeded(metav1.ConditionUnknown, v1alpha1.ReasonJobConflict, ""), reason: "it is retried"},
		"deadline":          {object: makeObject("web").succeeded(metav1.ConditionUnknown, v1alpha1.ReasonDeadlineExceeded, ""), wantStop: v1alpha1.ReasonDeadlineExceeded, reason: "a claim to stop the Job"},
		"replacement":       {object: makeObject("web").succeeded(metav1.ConditionUnknown, v1alpha1.ReasonJobDeleted, ""), wantStop: v1alpha1.ReasonJobDeleted, reason: "a claim to stop the Job"},
		"ended by deadline": {object: makeObject("web").succeeded(metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, ""), wantFinished: true, reason: "nothing is left to stop"},
		"succeeded":         {object: makeObject("web").succeeded(metav1.ConditionTrue, v1alpha1.ReasonAllStepsSucceeded, ""), wantFinished: true, reason: "True is an end"},
	} {
		t.Run(name, func(t *testing.T) {
			status := &test.object.obj().Status
			if got := stopReason(status); got != test.wantStop {
				t.Errorf("stopReason() = %q, want %q: %s", got, test.wantStop, test.reason)
			}
			if got := finished(status); got != test.wantFinished {
				t.Errorf("finished() = %t, want %t: %s", got, test.wantFinished, test.reason)
			}
		})
	}
}

func TestRunningWithoutUID(t *testing.T) {
	builder := makeObject("web").steps("build").running("build")
	builder.entry("build").JobUID = "" // another client's write
	seen := facts{now: noon, object: builder.obj()}
	if next := decide(seen); next != doNothing {
		t.Errorf("decide() = %q for a step that has run", next)
	}
	if status := assess(seen); status.Steps[0].Reason != v1alpha1.ReasonJobDeleted {
		t.Errorf("reason = %q, want JobDeleted: the step has had a Job, and there is none", status.Steps[0].Reason)
	}
}
