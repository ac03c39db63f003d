package lesson05

import (
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/invariants"
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
		Difficulty: lesson.Moderate, Minutes: 75,
		Checks: observedGeneration,
	})
}

var observedGeneration = []lesson.Check{
	{
		ID: "5.1", Title: "observedGeneration follows the generation, in the status and in every condition",
		Section: "generations", Concepts: []string{"C28"},
		Why: "Without it, nobody can tell which spec a status describes. Deployment tools wait until it equals the object's " +
			"generation. If it stays behind, they wait indefinitely. If a condition lacks it, they accept a stale condition as " +
			"current.",
		Rules: []invariants.ID{invariants.I7}, Play: playing(follows),
	},
	{
		ID: "5.2", Title: "observedGeneration never claims a generation that the controller has not seen",
		Section: "generations", Concepts: []string{"C28"},
		Why: "observedGeneration says: the controller has read this spec, and this status describes it. A number that is newer than " +
			"the rest of the status is worse than none, because clients that compare generations trust it.",
		Rules: []invariants.ID{invariants.I3, invariants.I7}, Play: playing(unseen),
	},
	{
		ID: "5.3", Title: "Suspended before it starts: nothing runs until it is resumed",
		Section: "suspend-and-resume", Concepts: []string{"C60"},
		Why: "Runs are created suspended so that a queue or a person can decide when they start. A pod that runs even for a moment has " +
			"already done what should have waited.",
		Rules: []invariants.ID{invariants.I1, invariants.I2, invariants.I3, invariants.I6}, Play: playing(suspendedFromTheStart),
	},
	{
		ID: "5.4", Title: "Suspended during a run: the Job is suspended, and the same Job continues",
		Section: "suspend-and-resume", Concepts: []string{"C60"},
		Why: "Users suspend a run to do something that must not coincide with a running step: a backup, a repair. If the status " +
			"confirms the suspension too early, they start while a pod still runs. And a new Job repeats the step from the beginning.",
		Rules: []invariants.ID{invariants.I1, invariants.I2, invariants.I3, invariants.I6}, Play: playing(suspendedInMidRun),
	},
	{
		ID: "5.5", Title: "The clock stops while suspended",
		Section: "suspend-and-resume", Concepts: []string{"C60"},
		Why: "Time limits are meant for work. The Job controller handles a Job's own limit if you suspend the Job through its " +
			"spec.suspend and leave the rest unchanged. And a run that has never been anything but suspended has not started.",
		Rules: []invariants.ID{invariants.I3, invariants.I6}, Play: playing(clockStops),
	},
	{
		ID: "5.6", Title: "A change between reading and writing is not lost",
		Section: "between-read-and-write", Concepts: []string{"C60"},
		Why: "What you have read may be stale by the time you write: the user may have changed the spec, or the Job controller the " +
			"Job. Being late is fine. But the controller must still reach the desired state, without another request.",
		Rules: []invariants.ID{invariants.I1, invariants.I2, invariants.I3, invariants.I6}, Play: playing(betweenReadAndWrite),
	},
	{
		ID: "5.7", Title: "Suspending a finished run changes nothing",
		Section: "when-it-is-over", Concepts: []string{"C60"},
		Why: "The outcome is final, because others have acted on it. The controller only has to confirm that it has seen the new spec. " +
			"Clients that wait for that would otherwise wait indefinitely.",
		Rules: []invariants.ID{invariants.I3, invariants.I6, invariants.I7}, Play: playing(suspendedWhenOver),
	},
	{
		ID: "5.8", Title: "A client that compares generations never mistakes a stale condition for a current one",
		Section: "yesterdays-answer", Concepts: []string{"C28"},
		Why: "A controller is always slightly behind. Suspended=True may describe an earlier suspension, while the Job is about to be " +
			"resumed or already runs. Only the generation shows the difference, and kubectl wait checks it if the condition has one.",
		Rules: []invariants.ID{invariants.I1, invariants.I3, invariants.I6}, Play: playing(yesterdaysAnswer),
	},
	{
		ID: "5.9", Title: "A finished Job is never suspended",
		Section: "between-read-and-write", Concepts: []string{"C60"},
		Why: "A finished Job is the record of what ran. A Job that is Complete and has suspend: true contradicts itself, and a search " +
			"for Jobs to resume finds it. A write without a precondition acts on a Job that may have changed since it was read.",
		Rules: []invariants.ID{invariants.I3, invariants.I6}, Play: playing(finishedMeanwhile),
	},
}

func follows(s *play) {
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps())
	s.Running(sample.Web, sample.Fetch)
	s.CaughtUp(sample.Web)
	const audited = "example.com/Audited"
	s.AddCondition(sample.Web, audited)
	s.keepFor(sample.Web, 86400)
	s.CaughtUp(sample.Web)

	s.Complete(sample.Web, sample.Fetch)
	s.Running(sample.Web, sample.Build)
	s.CaughtUp(sample.Web)
	s.keepFor(sample.Web, 2*86400)
	s.keepFor(sample.Web, 3*86400)
	s.CaughtUp(sample.Web)
	s.Rest()
	s.together(sample.Web)
	s.KeptConditions(sample.Web, audited)
}

func unseen(s *play) {
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps())
	job := s.Running(sample.Web, sample.Fetch)
	s.HoldBack(sample.Web)
	generation := s.Suspend(sample.Web)
	s.Struck("the change of web had not been held back")
	s.Must(s.Driver.Complete(s.Context(), job)) // which makes it look, and write
	s.Settle()
	s.MeansIt(sample.Web, generation)
	s.Proxy.Heal()

	s.Suspended(sample.Web)
	s.CaughtUp(sample.Web)
}

func suspendedFromTheStart(s *play) {
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps(), func(o *v1alpha1.SequentialJob) { o.Spec.Suspend = new(true) })
	s.Suspended(sample.Web)
	s.Settle()
	s.NothingRan(sample.Web, fromTheStart)

	s.Resume(sample.Web)
	for _, step := range []string{sample.Fetch, sample.Build, sample.Ship} {
		s.Complete(sample.Web, step)
	}
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
}

func suspendedInMidRun(s *play) {
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps())
	s.Complete(sample.Web, sample.Fetch)
	job := s.Running(sample.Web, sample.Build)
	s.Driver.Linger()
	s.Suspend(sample.Web)
	s.Await(sample.Web, func(w stage.World) string {
		if !w.HasStopped() {
			return "web was suspended, and the Job of step build was not"
		}
		return ""
	})
	s.Settle()
	s.Must(s.Driver.EndPod(s.Context(), job))
	since := s.Suspended(sample.Web)
	s.Because(sample.Web, v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended)
	s.Restart()
	s.Settle()
	s.NothingRan(sample.Web, since)
	s.OnlyJobsOf(sample.Web, "it was suspended in step build", sample.Fetch, sample.Build)

	s.OnWrites("web/build", proxy.Answer500, 2)
	s.Resume(sample.Web)
	s.GoesOn(sample.Web, sample.Build, job)
	s.Proxy.Disarm()
	s.ConditionIs(sample.Web, v1alpha1.ConditionSuspended, metav1.ConditionFalse)
	s.notBeforeTheJob(sample.Web)
	s.Complete(sample.Web, sample.Build)
	s.Complete(sample.Web, sample.Ship)
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
}

func clockStops(s *play) {
	limited := sample.ThreeSteps()
	template := &limited[0].JobTemplate
	template.Spec.ActiveDeadlineSeconds = new(int64(600))
	s.Start()
	s.Create(sample.Web, limited, func(o *v1alpha1.SequentialJob) { o.Spec.Suspend = new(true) })
	s.Suspended(sample.Web)
	s.notBegun(sample.Web)
	s.Resume(sample.Web)
	job := s.Running(sample.Web, sample.Fetch)
	s.Begun(sample.Web)

	s.Suspend(sample.Web)
	s.Suspended(sample.Web)
	s.SameAs(s.still(sample.Web, sample.Fetch, job), template)
	s.NextSecond()
	s.Resume(sample.Web)
	s.SameAs(s.GoesOn(sample.Web, sample.Fetch, job), template)
	s.Begun(sample.Web)
	s.DatesStay()
}

func betweenReadAndWrite(s *play) {
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps())
	job := s.Running(sample.Web, sample.Fetch)
	s.HoldBack(sample.Web)
	s.Suspend(sample.Web)
	s.Struck("the change of web had not been held back")
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Settle() // whatever it makes of that
	s.Proxy.Heal()
	since := s.Suspended(sample.Web)
	s.Settle()
	s.NothingRan(sample.Web, since)
	s.Resume(sample.Web)
	job = s.Running(sample.Web, sample.Build)
	s.ConditionIs(sample.Web, v1alpha1.ConditionSuspended, metav1.ConditionFalse)

	s.OnWrites("web/build", proxy.Conflict, 1)
	s.Suspend(sample.Web)
	s.Suspended(sample.Web)
	s.Proxy.Disarm()
	s.OnWrites("web/build", proxy.Answer500, 2)
	s.Resume(sample.Web)
	s.GoesOn(sample.Web, sample.Build, job)
	s.Proxy.Disarm()
	s.Complete(sample.Web, sample.Build)
	s.Complete(sample.Web, sample.Ship)
}

func suspendedWhenOver(s *play) {
	const other = "other"
	s.Start()
	s.Create(sample.Web, sample.Steps(sample.Fetch))
	s.Complete(sample.Web, sample.Fetch)
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
	s.Create(other, sample.Steps(sample.Fetch, sample.Build))
	s.Fail(other, sample.Fetch, batchv1.JobReasonBackoffLimitExceeded, "Job has reached the specified backoff limit")
	s.ConditionIs(other, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
	s.Settle()

	for _, name := range []string{sample.Web, other} {
		ended := s.Now(name)
		s.Suspend(name)
		s.CaughtUp(name)
		s.Settle()
		s.asItEnded(name, "suspended", ended)
		s.Resume(name)
		s.CaughtUp(name)
		s.Settle()
		s.asItEnded(name, "resumed", ended)
	}
}

func yesterdaysAnswer(s *play) {
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps())
	s.Running(sample.Web, sample.Fetch)
	s.Suspend(sample.Web)
	s.Suspended(sample.Web)
	s.HoldBack(sample.Web)
	s.Resume(sample.Web)
	today := s.Suspend(sample.Web)
	s.Struck("the change of web had not been held back")
	s.Settle()
	s.notAnswered(sample.Web, today)
	s.Proxy.Heal()
	s.SuspendedFor(sample.Web, today)

	// The controller resumes the Job, and can't record that before web is suspended once more.
	s.Settle()
	recorded := len(s.StatusWrites(sample.Web))
	s.OnStatusWrites(sample.Web, proxy.Answer500, scene.Many)
	s.Resume(sample.Web)
	s.Until(func() string {
		now := s.Now(sample.Web)
		job := now.Job(sample.Fetch)
		switch {
		case now.Running(sample.Fetch) != nil:
			return ""
		case job != nil && stage.IsSuspended(job) && len(s.StatusWrites(sample.Web)) > recorded:
			return s.AtWork() // it writes its status first, and gets no further
		}
		return "web was resumed, but the Job of step fetch does not run again"
	})
	today = s.Suspend(sample.Web)
	s.Proxy.Disarm()
	s.SuspendedFor(sample.Web, today)
	s.truthful(sample.Web)
}

func finishedMeanwhile(s *play) {
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps())
	job := s.Running(sample.Web, sample.Fetch)
	s.holdBackJob(sample.Web, sample.Fetch)
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Struck("your controller did not watch Jobs")
	s.Suspend(sample.Web)
	s.Settle() // as far as the controller knows, the Job still runs
	s.notSuspendedWhenOver(sample.Web, "Of its end your controller had not been told yet; but the write went through, as it did not ask "+
		"that the Job still be as it was read.")
	s.Proxy.Heal()

	// Now it is told that the Job is Complete, and has not recorded that yet.
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepSucceeded)
	s.Suspended(sample.Web)
	s.Settle()
	s.notSuspendedWhenOver(sample.Web, "By then your controller had been told of its end, or had read of it.")
	s.Resume(sample.Web)
	s.Running(sample.Web, sample.Build)
}

// keepFor has a user change a field that means nothing for a run that has not ended.
func (s *play) keepFor(name string, seconds int32) {
	s.Change(name, "changes how long "+name+" is kept", func(spec *v1alpha1.SequentialJobSpec) {
		spec.TTLSecondsAfterFinished = &seconds
	})
}

// notBegun sees to it that the status does not say when the run began.
func (s *play) notBegun(name string) {
	for _, v := range s.Versions(name) {
		if v.Status.StartTime != nil {
			s.FindIn(v, "%s was created suspended and nothing of it has run, and its status had startTime %s.", name, v.Status.StartTime)
		}
	}
}

// Begun waits until the status says when the run began.
func (s *play) Begun(name string) {
	s.Await(name, func(w stage.World) string {
		if w.Object == nil || w.Object.Status.StartTime == nil {
			return "the status of " + name + ", which had been resumed and ran, had no startTime"
		}
		return ""
	})
}
