package lesson08

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
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

// before is a run whose Job the cache shows when the process starts again.
const before = "before"

// unrecorded has the controller crash when it has created a Job, so the status can't say that it runs.
func unrecorded(s *scene.Scene) {
	beforeIt(s)
	crashesUnrecorded(s, sample.Web, false, nil)
	s.OnlyJobsOf(sample.Web, "its Job had been created", sample.Fetch)
	s.Complete(sample.Web, sample.Fetch, sample.Build)
	s.Succeeded(sample.Web)
	s.Complete(before, sample.Fetch)
	s.Succeeded(before)
}

// unrecordedAndSuspended has a user suspend such a run, also one that was created suspended.
func unrecordedAndSuspended(s *scene.Scene) {
	const paused, later = "paused", "later"
	beforeIt(s)
	crashesUnrecorded(s, paused, false, func() { s.Suspend(paused) })
	crashesUnrecorded(s, later, true, func() { s.Suspend(later) })
	for _, name := range []string{paused, later} {
		s.ConditionIs(name, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
		s.OnlyJobsOf(name, "it was suspended", sample.Fetch)
	}
}

// unrecordedAndOver has the deadline of such a run pass.
func unrecordedAndOver(s *scene.Scene) {
	const over = "over"
	beforeIt(s)
	crashesUnrecorded(s, over, false, func() {
		s.Limit(over, 1)
		s.NextSecond()
		s.NextSecond()
	})
	s.ConditionIs(over, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded)
	s.OnlyJobsOf(over, "its deadline had passed")
}

// beforeIt starts the controller, and the run before.
func beforeIt(s *scene.Scene) {
	s.Start()
	s.Underway(before, sample.Fetch)
	s.Settle()
}

// crashesUnrecorded has the controller crash when it has created a Job of a run, which may be created suspended. Then somebody changes the run. The next
// process starts with a list of Jobs that does not show that Job, and its first live reads of it fail.
func crashesUnrecorded(s *scene.Scene, name string, suspended bool, change func()) {
	s.CrashAt(name + "/" + sample.Fetch)
	s.Create(name, sample.Steps(sample.Fetch, sample.Build), func(object *v1alpha1.SequentialJob) { object.Spec.Suspend = &suspended })
	if suspended {
		s.ConditionIs(name, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
		s.Resume(name)
	}
	s.Crashed(name + "/" + sample.Fetch)
	if change != nil {
		change()
	}
	job := s.Now(name).Job(sample.Fetch)
	s.Fault(fmt.Sprintf("start with stale kind at: ADDED jobs %s/%s #1", before, sample.Fetch))
	s.OnReads(kinds.Job.Resource, name+"/"+sample.Fetch, proxy.Answer500, 2) // which says nothing of whether it exists
	s.Start()
	s.Comes("your controller has not asked for anything about "+name+" since its restart", func() bool {
		return len(s.Requests(func(r history.Request) bool { return ofThisProcess(s, r) && concerns(r, name) })) > 0
	})
	s.Settle()
	notOver(s, name, job.Name, "An earlier process of your controller had created Job %s of step %s, and crashed before it could record that. The list of Jobs with which the next "+
		"process started did not show it.")
	s.Proxy.Heal()
	s.Settle()
}

// runsUnrecorded has the controller crash when it has created the Job of step fetch, which runs. It returns nil if the Job was created suspended: it has not
// run then, so another one may.
func runsUnrecorded(s *scene.Scene, name string) *batchv1.Job {
	s.CrashAt(name + "/" + sample.Fetch)
	s.Create(name, sample.Steps(sample.Fetch, sample.Build))
	s.Crashed(name + "/" + sample.Fetch)
	job := s.Now(name).Job(sample.Fetch)
	if jobdriver.IsSuspended(job) {
		return nil
	}
	s.Must(s.Driver.Start(s.Context(), job))
	return job
}

// goneUnseen has the Job of a suspended run go before the cache of the next process shows it, and before that process can write the status. By then,
// that process has suspended the Job, so it knows of it. Later the user resumes the run.
func goneUnseen(s *scene.Scene) {
	const name = "gone"
	beforeIt(s)
	job := runsUnrecorded(s, name)
	if job == nil {
		s.Start()
		return
	}
	s.Suspend(name)
	s.Fault(fmt.Sprintf("start with stale kind at: ADDED jobs %s/%s #1", before, sample.Fetch))
	s.OnWrites(scene.SequentialJobStatus, name, proxy.Answer500, scene.Many)
	s.Start()
	suspended := s.Comes("your controller has not suspended Job "+job.Name+", which its cache does not show", func() bool {
		now := s.Now(name).Job(sample.Fetch)
		return now != nil && jobdriver.IsSuspended(now)
	})
	if !suspended { // it waits for its cache
		s.Stage.Disarm()
		s.Proxy.Heal()
		return
	}
	s.Settle()
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Needs("Job "+job.Name+" to be gone", func() bool { return s.Now(name).Job(sample.Fetch) == nil })
	s.Settle()
	s.Stage.Disarm()
	s.Tell("An earlier process of your controller had created Job " + job.Name + " of step fetch, and crashed before it could record that. The next process suspended " +
		"that Job. Then a user deleted it, before the cache had shown it and before a status write had succeeded. Then the run was resumed.")
	s.Resume(name)
	s.Comes("your controller waits until its cache shows Job "+job.Name, func() bool {
		now := s.Now(name)
		return scene.HasEnded(&now.Object.Status) || now.Job(sample.Fetch) != nil
	})
	s.Proxy.Heal()
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonJobDeleted)
	s.Tell("")
}

// adoptedAndGone has the next process see a Job that the status does not know of, and the Job go before that process can write the status.
func adoptedAndGone(s *scene.Scene) {
	const name = "adopted"
	job := goesUnrecorded(s, name, nil)
	if job == nil {
		return
	}
	s.Tell("An earlier process of your controller had created Job " + job.Name + " of step fetch, and crashed before it could record that. The next process saw that Job, " +
		"but each of its status writes failed. Meanwhile a user deleted the Job.")
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonJobDeleted)
	s.Tell("")
}

// adoptedAtItsEnd has the next process see such a Job when it is complete, and the Job go before that process can write the status. To say of the step that it
// has succeeded is right, and so is to say that its Job was deleted. To run it twice is not.
func adoptedAtItsEnd(s *scene.Scene) {
	const name = "complete"
	job := goesUnrecorded(s, name, func(job *batchv1.Job) { s.Must(s.Driver.Complete(s.Context(), job)) })
	if job == nil {
		return
	}
	s.Await(name, func(w stage.World) string {
		if again := w.Job(sample.Fetch); again != nil && again.UID != job.UID {
			s.FindJobs("An earlier process of your controller had created Job %s of step fetch, and crashed before it could record that. The next process saw that Job when it "+
				"was complete, but each of its status writes failed. Then the Job was removed, and your controller created another one, so the step runs twice.", job.Name)
		}
		if entry := scene.StepIn(&w.Object.Status, sample.Fetch); scene.HasEnded(&w.Object.Status) || entry != nil && entry.State == v1alpha1.StepSucceeded {
			return ""
		}
		return "the Job of step fetch of " + name + ", which an earlier process of your controller has created, was complete when your controller started. By now that Job is gone, and the status " +
			"says neither that the step has succeeded nor that the run has ended"
	})
}

// goesUnrecorded has the controller crash when it has created the Job of step fetch, and something happen to that Job, if anything. Then the next process sees the Job, and
// the Job goes before that process can write the status. It returns nil if the Job was created suspended: it has not run then.
func goesUnrecorded(s *scene.Scene, name string, happens func(*batchv1.Job)) *batchv1.Job {
	beforeIt(s)
	job := runsUnrecorded(s, name)
	if job == nil {
		s.Start()
		return nil
	}
	if happens != nil {
		happens(job)
	}
	s.OnWrites(scene.SequentialJobStatus, name, proxy.Answer500, scene.Many)
	s.Start()
	s.Struck("your controller has not recorded the Job of step fetch of " + name + ", which an earlier process has created")
	s.Settle()
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Settle()
	s.Disarm()
	return job
}

// notOver checks that no version of the status said that nothing runs, while the Job of step fetch did. Why says why the controller may not know it, with
// the names of the Job and of the step.
func notOver(s *scene.Scene, name, job, why string) {
	for _, v := range s.Versions(name) {
		suspended := meta.IsStatusConditionTrue(v.Status.Conditions, v1alpha1.ConditionSuspended)
		if !suspended && !scene.HasEnded(&v.Status) {
			continue
		}
		if activeAt(s, job, v.Change.ResourceVersion) {
			s.FindIn(v, why+" The Job still ran. So it concluded that nothing of %s runs.", job, sample.Fetch, name)
		}
	}
}

// activeAt says whether a Job could run when an object had been written.
func activeAt(s *scene.Scene, job string, version uint64) (active bool) {
	for change, one := range jobsSeen(s) {
		if one.Name == job && change.ResourceVersion < version {
			suspended := jobdriver.IsSuspended(one) && jobdriver.Holds(one, batchv1.JobSuspended)
			active = change.Type != "DELETED" && !jobdriver.Ended(one) && !suspended
		}
	}
	return active
}
