package lesson05

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/generated"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
	"example.com/controller-course/tests/lesson"
)

func init() {
	lesson.Register(lesson.Lesson{
		Number: 5, Slug: "05-observed-generation", Title: "Observed generation", Kind: lesson.Controller,
		Makes:     "a status that names the spec it describes; suspend and resume",
		Continues: 4, HeldTo: []int{3, 4},
		Prompt:     true,
		Reports:    true,
		Difficulty: lesson.Moderate, Minutes: 75,
		Checks: observedGeneration,
		Taught: lesson.Taught{
			Check: "5.10",
			Acts:  []string{"create suspended", "suspend", "resume"},
			Faults: []string{
				"write first: writes jobs", "hold: MODIFIED sequentialjobs",
			},
		},
	})
}

var observedGeneration = []lesson.Check{
	{
		ID: "5.1", Title: "observedGeneration follows the generation, in status and all conditions",
		Section: "generations", Concepts: []string{"C28"},
		Why: "Without it, nobody can tell which spec a status describes. Deployment tools wait until it equals the object's " +
			"generation. If it stays behind, they wait indefinitely. If a condition lacks it, they accept a stale condition as " +
			"current.",
		Rules: []invariants.ID{invariants.I7}, Play: scene.Play(follows),
	},
	{
		ID: "5.2", Title: "observedGeneration never claims a generation that was not seen",
		Section: "generations", Concepts: []string{"C28"},
		Why: "observedGeneration says: the controller has read this spec, and this status describes it. A number that is newer than " +
			"the rest of the status is worse than none, because clients that compare generations trust it.",
		Rules: []invariants.ID{invariants.I3, invariants.I7}, Play: scene.Play(unseen),
	},
	{
		ID: "5.3", Title: "Suspended before it starts: nothing runs until it is resumed",
		Section: "suspend-and-resume", Concepts: []string{"C60"},
		Why: "Runs are created suspended so that a queue or a person can decide when they start. A pod that runs even for a moment has " +
			"already done what should have waited.",
		Rules: []invariants.ID{invariants.I1, invariants.I2, invariants.I3, invariants.I6}, Play: scene.Play(suspendedFromTheStart),
	},
	{
		ID: "5.4", Title: "Suspended during a run: the Job is suspended, and the same Job continues",
		Section: "suspend-and-resume", Concepts: []string{"C60"},
		Why: "Users suspend a run to do something that must not coincide with a running step: a backup, a repair. If the status " +
			"confirms the suspension too early, they start while a pod still runs. And a new Job repeats the step from the beginning.",
		Rules: []invariants.ID{invariants.I1, invariants.I2, invariants.I3, invariants.I6}, Play: scene.Play(suspendedInMidRun),
	},
	{
		ID: "5.5", Title: "The clock stops while suspended",
		Section: "suspend-and-resume", Concepts: []string{"C60"},
		Why: "Time limits are meant for work. The Job controller handles a Job's own limit if you suspend the Job through its " +
			"spec.suspend and leave the rest unchanged. And a run that has never been anything but suspended has not started.",
		Rules: []invariants.ID{invariants.I3, invariants.I6}, Play: scene.Play(clockStops),
	},
	{
		ID: "5.6", Title: "A change between reading and writing is not lost",
		Section: "between-read-and-write", Concepts: []string{"C60"},
		Why: "What you have read may be stale by the time you write: the user may have changed the spec, or the Job controller the " +
			"Job. Being late is fine. But the controller must still reach the desired state, without another request.",
		Rules: []invariants.ID{invariants.I1, invariants.I2, invariants.I3, invariants.I6}, Play: scene.Play(betweenReadAndWrite),
	},
	{
		ID: "5.7", Title: "Suspending a finished run changes nothing",
		Section: "when-it-is-over", Concepts: []string{"C60"},
		Why: "The outcome is final, because others have acted on it. The controller only has to confirm that it has seen the new spec. " +
			"Clients that wait for that would otherwise wait indefinitely.",
		Rules: []invariants.ID{invariants.I3, invariants.I6, invariants.I7}, Play: scene.Play(suspendedWhenOver),
	},
	{
		ID: "5.8", Title: "A client that compares generations is never misled by a stale condition",
		Section: "stale-conditions", Concepts: []string{"C28"},
		Why: "A controller is always slightly behind. Suspended=True may describe an earlier suspension, while the Job is about to be " +
			"resumed or already runs. Only the generation shows the difference, and kubectl wait checks it if the condition has one.",
		Rules: []invariants.ID{invariants.I1, invariants.I3, invariants.I6}, Play: scene.Play(staleCondition),
	},
	{
		ID: "5.9", Title: "A finished Job is never suspended",
		Section: "between-read-and-write", Concepts: []string{"C60"},
		Why: "A finished Job is the record of what ran. A Job that is Complete and has suspend: true contradicts itself, and a search " +
			"for Jobs to resume finds it. The Job may have finished since you read it, or before the status has recorded its end.",
		Rules: []invariants.ID{invariants.I3, invariants.I6}, Play: scene.Play(finishedMeanwhile),
	},
	generated.Check(lesson.Check{
		ID: "5.10", Title: "In runs that nobody has planned, suspension and generations stay right", Section: "runs-that-nobody-has-planned", Concepts: []string{"C28", "C60"},
		Why: "Users suspend and resume at any moment: before the first Job, between two steps, while the API server is failing. Whatever the " +
			"order, nothing may run that should not, and the status has to describe the latest spec.",
		Rules: []invariants.ID{invariants.I1, invariants.I2, invariants.I3, invariants.I4, invariants.I6, invariants.I7, invariants.I9},
	}, 13, 6, 4, 3),
}

func follows(s *scene.Scene) {
	s.Begin()
	s.Running(sample.Web, sample.Fetch)
	caughtUp(s, sample.Web)
	const audited = "example.com/Audited"
	s.AddCondition(sample.Web, audited)
	keepFor(s, 86400)
	caughtUp(s, sample.Web)

	s.Complete(sample.Web, sample.Fetch)
	s.Running(sample.Web, sample.Build)
	caughtUp(s, sample.Web)
	keepFor(s, 2*86400)
	keepFor(s, 3*86400)
	caughtUp(s, sample.Web)
	notSupported(s)
	s.Rest()
	together(s)
	s.KeptConditions(sample.Web, audited)
}

func unseen(s *scene.Scene) {
	s.Begin()
	job := s.Running(sample.Web, sample.Fetch)
	s.HoldBack(sample.Web)
	generation := suspend(s, sample.Web)
	s.Struck("your controller does not watch SequentialJobs")
	s.Must(s.Driver.Complete(s.Context(), job)) // which triggers a reconcile, and a write
	s.Settle()
	meansIt(s, generation)
	s.Proxy.Heal()

	suspended(s)
	caughtUp(s, sample.Web)
}

func suspendedFromTheStart(s *scene.Scene) {
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps(), func(o *v1alpha1.SequentialJob) { o.Spec.Suspend = new(true) })
	suspended(s)
	s.Settle()
	nothingRan(s, 0)

	resume(s, sample.Web)
	s.Complete(sample.Web, sample.Fetch, sample.Build, sample.Ship)
	s.Succeeded(sample.Web)
	refused(s)
}

// refused suspends a run whose first Job a quota has refused. After that nothing is tried any more, so nothing is refused.
func refused(s *scene.Scene) {
	const refused = "refused"
	s.Refused(refused)
	suspend(s, refused)
	s.AllowJobs()
	s.ConditionIs(refused, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.AwaitStatus(refused, func(status *v1alpha1.SequentialJobStatus) string {
		if scene.SpeaksOf(status, "quota") {
			return "refused is suspended, so your controller does not try to create its Job, but the status still speaks of a quota"
		}
		return ""
	})
	s.LimitJobs()
	resume(s, refused)
	s.AwaitStatusMeanwhile(refused, func(status *v1alpha1.SequentialJobStatus) string {
		if !meta.IsStatusConditionFalse(status.Conditions, v1alpha1.ConditionSuspended) {
			return "refused was resumed, and has no Job that could be suspended, but its status does not say Suspended=False"
		}
		return ""
	})
	s.AllowJobs()
	s.Complete(refused, sample.Fetch)
}

func suspendedInMidRun(s *scene.Scene) {
	steps := sample.ThreeSteps()
	steps[1].JobTemplate.Spec.Template.Spec.TerminationGracePeriodSeconds = new(int64(1)) // on a node that is lost, it takes longer
	s.Start()
	s.Create(sample.Web, steps)
	s.Complete(sample.Web, sample.Fetch)
	job := s.Running(sample.Web, sample.Build)
	s.Driver.Linger()
	suspend(s, sample.Web)
	stopped(s, sample.Web, sample.Build)
	s.Settle()
	others(s)
	s.NextSecond()
	ended := metav1.Now().Rfc3339Copy()
	s.Must(s.Driver.EndPod(s.Context(), job))
	since := suspended(s)
	turnedSince(s, ended)
	s.ConditionIs(sample.Web, v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended)
	s.AwaitStatus(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
		if status.CurrentStep != sample.Build {
			return fmt.Sprintf("web is suspended in step build, but status.currentStep is %q", status.CurrentStep)
		}
		return ""
	})
	s.Restart()
	s.Settle()
	nothingRan(s, since)
	s.OnlyJobsOf(sample.Web, "it was suspended in step build", sample.Fetch, sample.Build)

	s.OnWrites("jobs", "web/build", proxy.Answer500, 2)
	resume(s, sample.Web)
	same(s, job, s.Running(sample.Web, sample.Build))
	s.Disarm()
	s.ConditionIs(sample.Web, v1alpha1.ConditionSuspended, metav1.ConditionFalse)
	notBeforeTheJob(s)
	documented(s)
	s.Complete(sample.Web, sample.Build, sample.Ship)
	s.Succeeded(sample.Web)
	deletedMeanwhile(s)
	unconfirmed(s)
	ending(s)
	dying(s)
}

// turnedSince checks that the condition Suspended of web, which was not True before a moment, does not say that it turned True
// before that.
func turnedSince(s *scene.Scene, moment metav1.Time) {
	condition := meta.FindStatusCondition(s.Now(sample.Web).Object.Status.Conditions, v1alpha1.ConditionSuspended)
	if condition != nil && condition.LastTransitionTime.Before(&moment) {
		s.Find("A pod of web ran until %s, and until then the condition Suspended was not True. It is True now, and its lastTransitionTime is %s.",
			scene.Clock(moment), scene.Clock(condition.LastTransitionTime))
	}
}

// others checks that another SequentialJob gets on while a pod of web takes its time to end.
func others(s *scene.Scene) {
	const other = "other"
	s.Create(other, sample.Steps(sample.Fetch))
	s.Await(other, func(w stage.World) string {
		if w.Running(sample.Fetch) != nil {
			return ""
		}
		return s.NotRunning(w, other, sample.Fetch) + ", while web waits for a pod to end"
	})
	s.Complete(other, sample.Fetch)
}

// deletedMeanwhile has a user delete the Job of a run that is suspended. Its step must not run a second time.
func deletedMeanwhile(s *scene.Scene) {
	const tidied = "tidied"
	job := s.Underway(tidied, sample.Fetch, sample.Build)
	suspend(s, tidied)
	stopped(s, tidied, sample.Fetch)
	s.Settle()
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Settle()
	resume(s, tidied)
	s.ConditionIs(tidied, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
}

// unconfirmed suspends a run whose Job has a pod that the Job controller has not counted yet: its status is still empty.
func unconfirmed(s *scene.Scene) {
	const early = "early"
	s.Driver.Delay()
	s.Create(early, sample.Steps(sample.Fetch))
	s.Await(early, func(w stage.World) string {
		if w.Job(sample.Fetch) == nil {
			return s.NotRunning(w, early, sample.Fetch)
		}
		return ""
	})
	suspend(s, early)
	s.Await(early, func(w stage.World) string {
		if job := w.Job(sample.Fetch); job == nil || !jobdriver.IsSuspended(job) {
			return "early is suspended, but the Job of step fetch is not"
		}
		return ""
	})
	s.Settle() // the rule I6 judges what the status says
	s.Must(s.Driver.CatchUp(s.Context()))
	stopped(s, early, sample.Fetch)
	s.Must(s.Driver.EndPod(s.Context(), s.Now(early).Job(sample.Fetch)))
	s.ConditionIs(early, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
}

// ending suspends a run whose Job is about to be Complete. Until it is, its pods may still run.
func ending(s *scene.Scene) {
	const ending = "ending"
	s.Create(ending, sample.Steps(sample.Fetch, sample.Build))
	job := s.Running(ending, sample.Fetch)
	s.Must(s.Driver.Announce(s.Context(), job))
	s.Settle()
	suspend(s, ending)
	s.Settle()
	s.Must(s.Driver.Complete(s.Context(), job))
	s.ConditionIs(ending, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.OnlyJobsOf(ending, "it was suspended while step fetch ended", sample.Fetch)
	failing(s)
}

// failing suspends a run whose Job is about to be Failed. Until it is, its pods may still run.
func failing(s *scene.Scene) {
	const failing = "failing"
	job := s.Underway(failing, sample.Fetch)
	s.Must(s.Driver.AnnounceFailure(s.Context(), job, batchv1.JobReasonBackoffLimitExceeded, scene.BackoffLimitExceeded))
	s.Settle()
	s.Driver.Delay()
	suspend(s, failing)
	s.Settle() // the rule I6 judges what the status says
	s.Must(s.Driver.CatchUp(s.Context()))
	s.ConditionIs(failing, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
}

// dying suspends a run whose Job is being deleted, with a pod that takes its time to end: until the end of the check.
func dying(s *scene.Scene) {
	const dying = "dying"
	job := s.Underway(dying, sample.Fetch)
	s.Retain(job)
	s.Must(s.Driver.Vanish(s.Context(), job))
	suspend(s, dying)
	s.Settle() // the rule I6 judges what the status says
}

func clockStops(s *scene.Scene) {
	limited := sample.ThreeSteps()
	template := &limited[0].JobTemplate
	template.Spec.ActiveDeadlineSeconds = new(int64(600))
	s.Start()
	s.Create(sample.Web, limited, func(o *v1alpha1.SequentialJob) { o.Spec.Suspend = new(true) })
	suspended(s)
	notBegun(s)
	s.NextSecond()
	resume(s, sample.Web)
	job := s.Running(sample.Web, sample.Fetch)
	begun(s)
	if paused := s.Now(sample.Web).Object.Status.SuspendedSeconds; paused != 0 {
		s.Find("web has not been suspended since it started, but status.suspendedSeconds is %d.", paused)
	}

	suspend(s, sample.Web)
	suspended(s)
	s.SameAs(same(s, job, s.Now(sample.Web).Job(sample.Fetch)), template)
	s.NextSecond()
	resume(s, sample.Web)
	s.SameAs(same(s, job, s.Running(sample.Web, sample.Fetch)), template)
	begun(s)
	s.DatesStay()
}

func betweenReadAndWrite(s *scene.Scene) {
	s.Begin()
	job := s.Running(sample.Web, sample.Fetch)
	s.HoldBack(sample.Web)
	suspend(s, sample.Web)
	s.Struck("your controller does not watch SequentialJobs")
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Settle() // whatever the controller does then
	s.Proxy.Heal()
	since := suspended(s)
	s.Settle()
	nothingRan(s, since)
	resume(s, sample.Web)
	job = s.Running(sample.Web, sample.Build)
	s.ConditionIs(sample.Web, v1alpha1.ConditionSuspended, metav1.ConditionFalse)

	s.OnWrites("jobs", "web/build", proxy.Conflict, 1)
	suspend(s, sample.Web)
	suspended(s)
	s.Disarm()
	s.OnWrites("jobs", "web/build", proxy.Answer500, 2)
	resume(s, sample.Web)
	same(s, job, s.Running(sample.Web, sample.Build))
	s.Disarm()
	s.OnWrites("jobs", "web/build", proxy.AnswerInvalid, 2) // a policy that is mended later
	suspend(s, sample.Web)
	suspended(s)
	s.Disarm()
	resume(s, sample.Web)
	s.Complete(sample.Web, sample.Build, sample.Ship)
	crashed(s)
	replaced(s)
	deletedToo(s)
}

// deletedToo has a user resume a run and delete it, and another program's finalizer keeps it. The controller receives both
// changes at once. Nothing may start for an object that is being deleted.
func deletedToo(s *scene.Scene) {
	const deleted = "deleted"
	s.Create(deleted, sample.Steps(sample.Fetch), func(o *v1alpha1.SequentialJob) { o.Finalizers = []string{worlds.Archived} })
	job := s.Running(deleted, sample.Fetch)
	suspend(s, deleted)
	stopped(s, deleted, sample.Fetch)
	s.ConditionIs(deleted, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.Settle()
	s.Stop()
	resume(s, deleted)
	s.Delete(deleted, metav1.DeletePropagationBackground)
	s.Start()
	s.Settle()
	if now := s.JobOf(deleted, sample.Fetch); !jobdriver.IsSuspended(now) {
		s.FindJobs("%s is being deleted, and another program's finalizer keeps it. Your controller resumed Job %s of step fetch, which a user had suspended "+
			"before.", deleted, job.Name)
	}
}

// replaced has a user replace a Job by a copy without an owner, of the same name, right before the controller suspends it. The
// rule I8 judges what becomes of the copy.
func replaced(s *scene.Scene) {
	const replaced = "replaced"
	s.Underway(replaced, sample.Fetch, sample.Build)
	s.Settle()
	s.OnWrites("jobs", replaced+"/fetch", proxy.ReplaceFirst, 1)
	suspend(s, replaced)
	s.Struck("your controller has not tried to suspend the Job of step fetch")
	s.ConditionIs(replaced, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
}

// crashed has the controller crash as soon as it has suspended a Job, before it can record anything. The run is resumed before
// it starts again.
func crashed(s *scene.Scene) {
	const crashed = "crashed"
	job := s.Underway(crashed, sample.Fetch)
	s.CrashAt(crashed + "/fetch")
	suspend(s, crashed)
	s.Crashed(crashed + "/fetch")
	resume(s, crashed)
	s.Start()
	same(s, job, s.Running(crashed, sample.Fetch))
	s.Complete(crashed, sample.Fetch)
	s.Succeeded(crashed)
}

func suspendedWhenOver(s *scene.Scene) {
	const other = "other"
	s.Start()
	s.Create(sample.Web, sample.Steps(sample.Fetch))
	s.Complete(sample.Web, sample.Fetch)
	s.Succeeded(sample.Web)
	s.Create(other, sample.Steps(sample.Fetch, sample.Build))
	s.Fail(other, sample.Fetch)
	s.ConditionIs(other, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
	s.Settle()

	for _, name := range []string{sample.Web, other} {
		ended := s.Now(name)
		s.OnWrites(scene.SequentialJobStatus, name, proxy.Answer500, 1)
		suspend(s, name)
		asItEnded(s, name, "suspended", ended)
		s.Disarm()
		resume(s, name)
		asItEnded(s, name, "resumed", ended)
	}
}

func staleCondition(s *scene.Scene) {
	s.Begin()
	s.Running(sample.Web, sample.Fetch)
	suspend(s, sample.Web)
	suspended(s)
	s.HoldBack(sample.Web)
	resume(s, sample.Web)
	newest := suspend(s, sample.Web)
	s.Struck("your controller does not watch SequentialJobs")
	s.Settle()
	notMisled(s, newest)
	s.Proxy.Heal()
	suspendedFor(s, newest)

	// The controller resumes the Job, and can't record that before web is suspended once more.
	s.Settle()
	recorded := len(s.StatusWrites(sample.Web))
	s.OnWrites(scene.SequentialJobStatus, sample.Web, proxy.Answer500, scene.Many)
	resume(s, sample.Web)
	s.Until(func() string {
		now := s.Now(sample.Web)
		job := now.Job(sample.Fetch)
		switch {
		case now.Running(sample.Fetch) != nil && len(s.StatusWrites(sample.Web)) == recorded:
			return s.AtWork() // it may record that later
		case now.Running(sample.Fetch) != nil:
			return ""
		case job != nil && jobdriver.IsSuspended(job) && len(s.StatusWrites(sample.Web)) > recorded:
			return s.AtWork() // it writes its status first, and gets no further
		}
		return "web was resumed, but the Job of step fetch does not run again"
	})
	if status, _ := answer(s.Now(sample.Web).Object, v1alpha1.ConditionSuspended); status == metav1.ConditionFalse {
		s.NotJudged("it needs a status write of your controller to be refused, but a write succeeded that says Suspended=False")
	}
	s.Driver.Delay() // otherwise the Job may have stopped by the time the status says so
	newest = suspend(s, sample.Web)
	s.Pause(sample.Web) // otherwise it could still record what it had read before
	s.Proxy.Disarm()    // a controller may not have tried to record it yet
	s.Comes("the status of web does not describe its last suspension", func() bool {
		_, of := answer(s.Now(sample.Web).Object, v1alpha1.ConditionSuspended)
		return of >= newest
	})
	s.Must(s.Driver.CatchUp(s.Context()))
	suspendedFor(s, newest)
	truthful(s)
}

func finishedMeanwhile(s *scene.Scene) {
	s.Begin()
	job := s.Running(sample.Web, sample.Fetch)
	s.Settle()
	s.HoldNext("MODIFIED", "jobs", "web/fetch")
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Struck("your controller does not watch Jobs")
	suspend(s, sample.Web)
	s.Settle() // as far as the controller knows, the Job still runs
	const blind = " Your controller had not received that event yet, but its write succeeded: nothing in it required that the Job had not changed."
	finishedStayed(s, sample.Web, blind)
	s.Proxy.Heal()

	// Now the controller receives the event that the Job is Complete, and has not recorded that yet.
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepSucceeded)
	suspended(s)
	s.Settle()
	const known = " By then your controller had received that event, or had read the finished Job."
	finishedStayed(s, sample.Web, known)
	resume(s, sample.Web)
	s.Running(sample.Web, sample.Build)

	// The same for a Job that fails.
	const other = "other"
	job = s.Underway(other, sample.Fetch, sample.Build)
	s.HoldNext("MODIFIED", "jobs", other+"/fetch")
	s.Must(s.Driver.Fail(s.Context(), job, batchv1.JobReasonBackoffLimitExceeded, scene.BackoffLimitExceeded))
	s.Struck("your controller does not watch Jobs")
	suspend(s, other)
	s.Settle()
	finishedStayed(s, other, blind)
	s.Proxy.Heal()
	s.StepIs(other, sample.Fetch, v1alpha1.StepFailed)
	s.Settle()
	finishedStayed(s, other, known)
	theLastOne(s)
}

// theLastOne suspends a run whose only Job is Complete, which the controller has not noticed yet. The run has succeeded.
func theLastOne(s *scene.Scene) {
	const last = "last"
	job := s.Underway(last, sample.Fetch)
	s.HoldNext("MODIFIED", "jobs", last+"/fetch")
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Struck("your controller does not watch Jobs")
	suspend(s, last)
	s.Settle()
	s.Proxy.Heal()
	s.Succeeded(last)
}

// notSupported changes an object with startAt. A controller may refuse that, but has to say which spec it has seen.
func notSupported(s *scene.Scene) {
	const retry = "retry"
	s.Create(retry, sample.ThreeSteps(), func(object *v1alpha1.SequentialJob) { object.Spec.StartAt = new(sample.Build) })
	caughtUp(s, retry)
	s.Change(retry, "changes how long retry is kept", func(spec *v1alpha1.SequentialJobSpec) { spec.TTLSecondsAfterFinished = new(int32(86400)) })
	caughtUp(s, retry)
	suspend(s, retry)
	s.ConditionIs(retry, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
}

// keepFor has a user change a field that has no effect on a run that has not finished.
func keepFor(s *scene.Scene, seconds int32) {
	s.Change(sample.Web, "changes how long web is kept", func(spec *v1alpha1.SequentialJobSpec) { spec.TTLSecondsAfterFinished = &seconds })
}

// notBegun checks that the status does not say when the run started.
func notBegun(s *scene.Scene) {
	for _, v := range s.Versions(sample.Web) {
		if v.Status.StartTime != nil {
			s.FindIn(v, "web was created suspended, and nothing of it has run, but its status had the startTime %s.", scene.Clock(*v.Status.StartTime))
		}
	}
}

// begun waits until the status says when the run started.
func begun(s *scene.Scene) {
	s.AwaitStatus(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
		if status.StartTime == nil {
			return "web was resumed and runs, but its status has no startTime"
		}
		return ""
	})
}
