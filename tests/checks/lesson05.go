package checks

import (
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/stage"
)

var observedGeneration = []Check{
	{
		ID: "5.1", Title: "observedGeneration follows the generation, in the status and in every condition",
		Section: "generations", Concepts: []string{"C28"},
		Why: "A status without it is an answer to nobody knows which question. Deployment tools wait until it is the object's " +
			"generation; where it stays behind they wait for ever, and where a condition lacks it they take an old one for new.",
		Rules: []string{"I7"}, play: follows,
	},
	{
		ID: "5.2", Title: "It never claims a generation that the controller has not seen",
		Section: "generations", Concepts: []string{"C28"},
		Why: "With observedGeneration the controller says: I have read that spec, and this is my answer to it. A number that is newer " +
			"than the answer beside it is worse than none, because those who compare generations trust it.",
		Rules: []string{"I3", "I7"}, play: unseen,
	},
	{
		ID: "5.3", Title: "Suspended before it starts: nothing runs until it is resumed",
		Section: "suspend-and-resume", Concepts: []string{"C60"},
		Why: "Runs are created suspended so that a queue, or somebody, decides when they may start. A pod that runs for a " +
			"moment has done what was to wait.",
		Rules: []string{"I1", "I2", "I3", "I6"}, play: suspendedFromTheStart,
	},
	{
		ID: "5.4", Title: "Suspended in mid-run: the Job is suspended, and the same Job goes on",
		Section: "suspend-and-resume", Concepts: []string{"C60"},
		Why: "Who suspends a run does something meanwhile that must not meet a running step: a backup, a repair. Told too early " +
			"that nothing runs, he does it beside a running pod. And a new Job in place of the old one begins the step anew.",
		Rules: []string{"I1", "I2", "I3", "I6"}, play: suspendedInMidRun,
	},
	{
		ID: "5.5", Title: "The clock stops while suspended",
		Section: "suspend-and-resume", Concepts: []string{"C60"},
		Why: "Time limits are meant for work. The Job controller takes care of a Job's own limit, if the Job is suspended by its " +
			"spec.suspend and left as it is otherwise. And a run that has never been anything but suspended has not begun.",
		Rules: []string{"I3", "I6"}, play: clockStops,
	},
	{
		ID: "5.6", Title: "A change between reading and writing is not lost",
		Section: "between-read-and-write", Concepts: []string{"C60"},
		Why: "What a pass has read is old by the time it writes: the user may have changed the spec, the Job controller the Job. " +
			"To be late is no fault; what was asked for must still come about, without anybody asking again.",
		Rules: []string{"I1", "I2", "I3", "I6"}, play: betweenReadAndWrite,
	},
	{
		ID: "5.7", Title: "Suspending what has finished changes nothing",
		Section: "when-it-is-over", Concepts: []string{"C60"},
		Why: "The outcome is for good: others have acted on it. All that is left to say is that the new spec was seen, and that " +
			"has to be said, or those who wait for it wait for ever.",
		Rules: []string{"I3", "I6", "I7"}, play: suspendedWhenOver,
	},
	{
		ID: "5.8", Title: "Who compares generations never takes yesterday's answer for today's",
		Section: "yesterdays-answer", Concepts: []string{"C28"},
		Why: "A controller is always a bit behind. So Suspended=True may be the answer to an earlier suspension, while the Job is " +
			"about to be resumed, or runs. Only the generation tells; kubectl wait looks at it, if it is there.",
		Rules: []string{"I1", "I3", "I6"}, play: yesterdaysAnswer,
	},
	{
		ID: "5.9", Title: "A Job that has finished is not suspended any more",
		Section: "between-read-and-write", Concepts: []string{"C60"},
		Why: "A finished Job is the record of what ran. One that is Complete and has suspend: true tells two stories, and who looks " +
			"for Jobs that wait to be resumed finds it. And a write that does not ask whether the Job is still as it was read " +
			"decides by what is no longer so.",
		Rules: []string{"I3", "I6"}, play: finishedMeanwhile,
	},
}

func follows(s *Scene) {
	s.Start()
	s.Create(web, threeSteps())
	s.Running(web, fetch)
	s.CaughtUp(web)
	const audited = "example.com/Audited"
	s.addCondition(web, audited)
	s.keepFor(web, 86400)
	s.CaughtUp(web)

	s.Complete(web, fetch)
	s.Running(web, build)
	s.CaughtUp(web)
	s.keepFor(web, 2*86400)
	s.keepFor(web, 3*86400)
	s.CaughtUp(web)
	s.Rest()
	s.together(web)
	s.keptConditions(web, audited)
}

func unseen(s *Scene) {
	s.Start()
	s.Create(web, threeSteps())
	job := s.Running(web, fetch)
	s.HoldBack(web)
	generation := s.Suspend(web)
	s.Struck("the change of web had not been held back")
	s.must(s.Driver.Complete(s.ctx, job)) // which makes it look, and write
	s.Settle()
	s.MeansIt(web, generation)
	s.Proxy.Heal()

	s.Suspended(web)
	s.CaughtUp(web)
}

func suspendedFromTheStart(s *Scene) {
	s.Start()
	s.Create(web, threeSteps(), func(o *v1alpha1.SequentialJob) { o.Spec.Suspend = new(true) })
	s.Suspended(web)
	s.Settle()
	s.NothingRan(web, fromTheStart)

	s.Resume(web)
	for _, step := range []string{fetch, build, ship} {
		s.Complete(web, step)
	}
	s.ConditionIs(web, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
}

func suspendedInMidRun(s *Scene) {
	s.Start()
	s.Create(web, threeSteps())
	s.Complete(web, fetch)
	job := s.Running(web, build)
	s.Driver.Linger()
	s.Suspend(web)
	s.Await(web, func(w stage.World) string {
		if !w.HasStopped() {
			return "web was suspended, and the Job of step build was not"
		}
		return ""
	})
	s.Settle()
	s.must(s.Driver.EndPod(s.ctx, job))
	since := s.Suspended(web)
	s.Because(web, v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended)
	s.Restart()
	s.Settle()
	s.NothingRan(web, since)
	s.only(web, "it was suspended in step build", fetch, build)

	s.onWrites("web/build", proxy.Answer500, 2)
	s.Resume(web)
	s.GoesOn(web, build, job)
	s.Proxy.Disarm()
	s.ConditionIs(web, v1alpha1.ConditionSuspended, metav1.ConditionFalse)
	s.notBeforeTheJob(web)
	s.Complete(web, build)
	s.Complete(web, ship)
	s.ConditionIs(web, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
}

func clockStops(s *Scene) {
	limited := threeSteps()
	template := &limited[0].JobTemplate
	template.Spec.ActiveDeadlineSeconds = new(int64(600))
	s.Start()
	s.Create(web, limited, func(o *v1alpha1.SequentialJob) { o.Spec.Suspend = new(true) })
	s.Suspended(web)
	s.notBegun(web)
	s.Resume(web)
	job := s.Running(web, fetch)
	s.Begun(web)

	s.Suspend(web)
	s.Suspended(web)
	s.sameAs(s.still(web, fetch, job), template)
	s.NextSecond()
	s.Resume(web)
	s.sameAs(s.GoesOn(web, fetch, job), template)
	s.Begun(web)
	s.datesStay()
}

func betweenReadAndWrite(s *Scene) {
	s.Start()
	s.Create(web, threeSteps())
	job := s.Running(web, fetch)
	s.HoldBack(web)
	s.Suspend(web)
	s.Struck("the change of web had not been held back")
	s.must(s.Driver.Complete(s.ctx, job))
	s.Settle() // whatever it makes of that
	s.Proxy.Heal()
	since := s.Suspended(web)
	s.Settle()
	s.NothingRan(web, since)
	s.Resume(web)
	job = s.Running(web, build)
	s.ConditionIs(web, v1alpha1.ConditionSuspended, metav1.ConditionFalse)

	s.onWrites("web/build", proxy.Conflict, 1)
	s.Suspend(web)
	s.Suspended(web)
	s.Proxy.Disarm()
	s.onWrites("web/build", proxy.Answer500, 2)
	s.Resume(web)
	s.GoesOn(web, build, job)
	s.Proxy.Disarm()
	s.Complete(web, build)
	s.Complete(web, ship)
}

func suspendedWhenOver(s *Scene) {
	const other = "other"
	s.Start()
	s.Create(web, steps(fetch))
	s.Complete(web, fetch)
	s.ConditionIs(web, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
	s.Create(other, steps(fetch, build))
	s.Fail(other, fetch, batchv1.JobReasonBackoffLimitExceeded, "Job has reached the specified backoff limit")
	s.ConditionIs(other, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
	s.Settle()

	for _, name := range []string{web, other} {
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

func yesterdaysAnswer(s *Scene) {
	s.Start()
	s.Create(web, threeSteps())
	s.Running(web, fetch)
	s.Suspend(web)
	s.Suspended(web)
	s.HoldBack(web)
	s.Resume(web)
	today := s.Suspend(web)
	s.Struck("the change of web had not been held back")
	s.Settle()
	s.notAnswered(web, today)
	s.Proxy.Heal()
	s.SuspendedFor(web, today)

	// Now the controller resumes the Job, and can't say so before web is suspended once more.
	s.refuseStatus(web, many)
	s.Resume(web)
	s.Settle()
	today = s.Suspend(web)
	s.Proxy.Disarm()
	s.SuspendedFor(web, today)
	s.truthful(web)
}

func finishedMeanwhile(s *Scene) {
	s.Start()
	s.Create(web, threeSteps())
	job := s.Running(web, fetch)
	s.holdBackJob(web, fetch)
	s.must(s.Driver.Complete(s.ctx, job))
	s.Struck("your controller did not watch Jobs")
	s.Suspend(web)
	s.Settle() // as far as the controller knows, the Job still runs
	s.notSuspendedWhenOver(web, "Of its end your controller had not been told yet; but the write went through, as it did not ask "+
		"that the Job still be as it was read.")
	s.Proxy.Heal()

	// Now it is told that the Job is Complete, and has not recorded that yet.
	s.StepIs(web, fetch, v1alpha1.StepSucceeded)
	s.Suspended(web)
	s.Settle()
	s.notSuspendedWhenOver(web, "By then your controller had been told of its end, or had read of it.")
	s.Resume(web)
	s.Running(web, build)
}

// keepFor has a user change a field that means nothing for a run that has not ended.
func (s *Scene) keepFor(name string, seconds int32) {
	s.Change(name, "changes how long "+name+" is kept", func(spec *v1alpha1.SequentialJobSpec) {
		spec.TTLSecondsAfterFinished = &seconds
	})
}

// notBegun sees to it that the status does not say when the run began.
func (s *Scene) notBegun(name string) {
	for _, v := range s.Versions(name) {
		if v.Status.StartTime != nil {
			s.FindIn(v, "%s was created suspended and nothing of it has run, and its status had startTime %s.", name, v.Status.StartTime)
		}
	}
}

// Begun waits until the status says when the run began.
func (s *Scene) Begun(name string) {
	s.Await(name, func(w stage.World) string {
		if w.Object == nil || w.Object.Status.StartTime == nil {
			return "the status of " + name + ", which had been resumed and ran, had no startTime"
		}
		return ""
	})
}
