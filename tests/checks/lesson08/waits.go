package lesson08

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// neverShown has Jobs be created, be suspended and go while the watch that would show it is interrupted.
func neverShown(s *scene.Scene) {
	const other, paused, late = "other", "paused", "late"
	s.Patience *= 3 // a controller that waits for an event chooses the limit
	s.FromHere()
	s.Start()
	halted := s.Underway(paused, sample.Fetch)
	s.Settle()

	s.HoldNext("MODIFIED", kinds.Job.Resource, jobOf(paused, sample.Fetch))
	s.Suspend(paused)
	s.Struck(paused + " is suspended, and your controller has not suspended its Job")
	s.Create(sample.Web, sample.Steps(sample.Fetch, sample.Build))
	s.Create(late, sample.Steps(sample.Fetch, sample.Build))
	job := s.Running(sample.Web, sample.Fetch) // a controller may create it suspended, and record it first
	waiting := s.Running(late, sample.Fetch)
	s.Settle()
	s.Must(s.Driver.Vanish(s.Context(), halted))
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Annotate(s.Now(late).Object) // once, so the entry for the end of the wait is not the only one
	from, annotate := s.Log.Now(), untilAsked(s, sample.Web)
	s.Comes("your controller waits for the event of the Job of "+late, func() bool {
		annotate() // which is no reason to wait longer
		return asked(s, late) || s.Had(from) > s.Patience
	})
	s.Settle()
	s.Fault(fmt.Sprintf("hold, cut, 410: DELETED jobs %s #1", jobOf(late, sample.Fetch)))
	s.Must(s.Driver.Vanish(s.Context(), waiting))
	s.Struck("your controller does not watch Jobs")
	s.Proxy.Heal()
	s.AwaitStatusMeanwhile(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
		annotate()
		if scene.HasEnded(status) {
			return ""
		}
		return "the Job of step fetch of web was deleted, and no event will ever show it. Until your controller asks for that Job, a tool annotates web every " +
			"second. So your controller reconciles web, and still waits for the event"
	})
	s.Create(other, sample.Steps(sample.Fetch, sample.Build)) // which has nothing to wait for
	s.Complete(other, sample.Fetch, sample.Build)
	s.Succeeded(other)
	for _, name := range []string{sample.Web, paused, late} {
		s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonJobDeleted)
	}
}

// swappedUnseen has an object be replaced while the watch that would show its deletion is interrupted.
func swappedUnseen(s *scene.Scene) {
	const swapped = "swapped"
	s.Patience *= 3 // see neverShown
	s.FromHere()
	s.Start()
	s.Underway(swapped, sample.Fetch, sample.Build)
	s.Settle()
	s.Fault("hold, cut, 410: DELETED sequentialjobs swapped #1")
	s.Delete(swapped, metav1.DeletePropagationBackground)
	s.Struck("your controller does not watch SequentialJobs")
	s.Create(swapped, sample.Steps(sample.Fetch, sample.Build))
	s.Proxy.Heal()
	s.Await(swapped, func(w stage.World) string {
		if w.Running(sample.Fetch) != nil {
			return ""
		}
		return "SequentialJob " + swapped + " was deleted and created again while your controller's watch was interrupted, so no event told it of the deletion. " +
			"The new one starts at step " + sample.Fetch + ", whose Job does not run"
	})
	s.Complete(swapped, sample.Fetch, sample.Build)
	s.Succeeded(swapped)
}

// refusedUnheard has a tool change a Job, and a user suspend the run, while the watch of Jobs is interrupted. So the cache shows the Job as it was, and the
// API server refuses a request that requires that.
func refusedUnheard(s *scene.Scene) {
	const refused = "refused"
	s.Patience *= 3 // see neverShown
	s.FromHere()
	s.Start()
	job := s.Underway(refused, sample.Fetch)
	s.Settle()
	s.HoldNext("MODIFIED", kinds.Job.Resource, jobOf(refused, sample.Fetch))
	s.Annotate(job)
	s.Struck("your controller does not watch Jobs")
	s.Suspend(refused)
	s.Await(refused, func(w stage.World) string {
		if now := w.Job(sample.Fetch); now != nil && jobdriver.IsSuspended(now) {
			return ""
		}
		return "the watch of Jobs is interrupted. Since then, a tool has annotated Job " + job.Name + ", and a user has suspended " + refused + ". The Job is not suspended"
	})
	s.Proxy.Heal()
	s.ConditionIs(refused, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.Resume(refused)
	s.Complete(refused, sample.Fetch)
	s.Succeeded(refused)
}

// triesAgain has a process end before it has created a Job, and requests of the next one fail: a live read, and a creation, because others
// change the quota at the same time. The cache is not stale, so no event follows.
func triesAgain(s *scene.Scene) {
	const name, job = "retried", "retried/" + sample.Fetch
	s.FromHere()
	s.Start()
	s.OnWrites(kinds.Job.Resource, job, proxy.CrashBefore, 1)
	s.Create(name, sample.Steps(sample.Fetch))
	s.Crashed(job)
	s.OnReads(kinds.SequentialJob.Resource, name, proxy.Answer500, 1) // of a controller that reads the object first
	s.OnWrites(kinds.Job.Resource, job, proxy.AnswerConflict, 1)
	s.Start()
	s.Running(name, sample.Fetch)
	s.Stage.Disarm()
	s.Complete(name, sample.Fetch)
	s.Succeeded(name)
}

// untilAsked returns what has a tool annotate a SequentialJob, at most once a second, until the controller has asked for the Job of step
// fetch.
func untilAsked(s *scene.Scene, name string) func() {
	last := s.Log.Now()
	return func() {
		if now := s.Log.Now(); now-last > time.Second && !asked(s, name) {
			last = now
			s.Annotate(s.Now(name).Object)
		}
	}
}

// asked says whether the controller has read the Job of step fetch from the API server.
func asked(s *scene.Scene, name string) bool {
	return len(s.Requests(func(r history.Request) bool {
		return r.Call.Verb == "get" && r.Call.Object == jobOf(name, sample.Fetch)
	})) > 0
}
