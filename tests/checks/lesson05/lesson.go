package lesson05

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/generated"
	"example.com/controller-course/tests/checks/scene"
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
}

func suspendedInMidRun(s *scene.Scene) {
	s.Begin()
	s.Complete(sample.Web, sample.Fetch)
	job := s.Running(sample.Web, sample.Build)
	s.Driver.Linger()
	suspend(s, sample.Web)
	stopped(s, sample.Web, sample.Build)
	s.Settle()
	others(s)
	s.Must(s.Driver.EndPod(s.Context(), job))
	since := suspended(s)
	s.ConditionIs(sample.Web, v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended)
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
	s.Complete(sample.Web, sample.Build, sample.Ship)
	s.Succeeded(sample.Web)
	deletedMeanwhile(s)
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
	s.Create(tidied, sample.Steps(sample.Fetch, sample.Build))
	job := s.Running(tidied, sample.Fetch)
	s.StepIs(tidied, sample.Fetch, v1alpha1.StepRunning)
	suspend(s, tidied)
	stopped(s, tidied, sample.Fetch)
	s.Settle()
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Settle()
	resume(s, tidied)
	s.ConditionIs(tidied, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
}

func clockStops(s *scene.Scene) {
	limited := sample.ThreeSteps()
	template := &limited[0].JobTemplate
	template.Spec.ActiveDeadlineSeconds = new(int64(600))
	s.Start()
	s.Create(sample.Web, limited, func(o *v1alpha1.SequentialJob) { o.Spec.Suspend = new(true) })
	suspended(s)
	notBegun(s)
	resume(s, sample.Web)
	job := s.Running(sample.Web, sample.Fetch)
	begun(s)

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
	s.Complete(sample.Web, sample.Build, sample.Ship)
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
		suspend(s, name)
		asItEnded(s, name, "suspended", ended)
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
	newest = suspend(s, sample.Web)
	s.Proxy.Disarm() // a controller may not have tried to record it yet
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
	finishedStayed(s, " Your controller had not received that event yet, but its write succeeded: nothing in it required that "+
		"the Job had not changed.")
	s.Proxy.Heal()

	// Now the controller receives the event that the Job is Complete, and has not recorded that yet.
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepSucceeded)
	suspended(s)
	s.Settle()
	finishedStayed(s, " By then your controller had received that event, or had read the finished Job.")
	resume(s, sample.Web)
	s.Running(sample.Web, sample.Build)
}

// keepFor has a user change a field that has no effect on a run that has not finished.
// notSupported changes an object with startAt. A controller may refuse that, but has to say which spec it has seen.
func notSupported(s *scene.Scene) {
	const retry = "retry"
	s.Create(retry, sample.ThreeSteps(), func(object *v1alpha1.SequentialJob) { object.Spec.StartAt = new(sample.Build) })
	caughtUp(s, retry)
	s.Change(retry, "changes how long retry is kept", func(spec *v1alpha1.SequentialJobSpec) { spec.TTLSecondsAfterFinished = new(int32(86400)) })
	caughtUp(s, retry)
}

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
