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
)

// unrecorded has the controller crash when it has created a Job, so the status can't say that it runs. The next process starts
// with a list of Jobs that does not show it, and its first live reads of the Job fail. Meanwhile a user has suspended the run, also one that
// was created suspended, or its deadline has passed.
func unrecorded(s *scene.Scene) {
	const (
		simple, before = "simple", "before"
		paused, later  = "paused", "later"
		over           = "over"
	)
	s.Start()
	s.Underway(before, sample.Fetch)
	s.Settle()
	for _, one := range []struct {
		name      string
		suspended bool // when it is created
		change    func()
	}{
		{simple, false, nil},
		{paused, false, func() { s.Suspend(paused) }},
		{later, true, func() { s.Suspend(later) }},
		{over, false, func() { s.Limit(over, 1) }},
	} {
		s.CrashAt(one.name + "/" + sample.Fetch)
		s.Create(one.name, sample.Steps(sample.Fetch, sample.Build), func(object *v1alpha1.SequentialJob) { object.Spec.Suspend = &one.suspended })
		if one.suspended {
			s.ConditionIs(one.name, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
			s.Resume(one.name)
		}
		s.Crashed(one.name + "/" + sample.Fetch)
		if one.change != nil {
			one.change()
			s.NextSecond()
			s.NextSecond() // so the deadline has passed
		}
		job := s.Now(one.name).Job(sample.Fetch)
		s.Fault(fmt.Sprintf("start with stale kind at: ADDED jobs %s/%s #1", before, sample.Fetch))
		s.OnReads(kinds.Job.Resource, one.name+"/"+sample.Fetch, proxy.Answer500, 2) // which says nothing of whether it exists
		s.Start()
		s.Comes("your controller has not asked for anything about "+one.name+" since its restart", func() bool {
			return len(s.Requests(func(r history.Request) bool { return ofThisProcess(s, r) && concerns(r, one.name) })) > 0
		})
		s.Settle()
		notOver(s, one.name, job.Name)
		s.Proxy.Heal()
		s.Settle()
	}
	goneUnseen(s, before)
	s.OnlyJobsOf(simple, "its Job had been created", sample.Fetch)
	s.Complete(simple, sample.Fetch, sample.Build)
	s.Succeeded(simple)
	for _, name := range []string{paused, later} {
		s.ConditionIs(name, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
		s.OnlyJobsOf(name, "it was suspended", sample.Fetch)
	}
	s.ConditionIs(over, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded)
	s.OnlyJobsOf(over, "its deadline had passed")
	s.Complete(before, sample.Fetch)
	s.Succeeded(before)
}

// goneUnseen has the Job of a suspended run go before the cache of the next process shows it, and before that process can write the status. By then,
// that process has suspended the Job, so it knows of it. Later the user resumes the run. Before is a run whose Job the cache shows.
func goneUnseen(s *scene.Scene, before string) {
	const name = "gone"
	s.CrashAt(name + "/" + sample.Fetch)
	s.Create(name, sample.Steps(sample.Fetch, sample.Build))
	s.Crashed(name + "/" + sample.Fetch)
	job := s.Now(name).Job(sample.Fetch)
	if jobdriver.IsSuspended(job) { // so it has not run, and another one may
		s.Start()
		return
	}
	s.Must(s.Driver.Start(s.Context(), job))
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
	s.Resume(name)
	s.Comes("your controller waits until its cache shows Job "+job.Name, func() bool {
		now := s.Now(name)
		return scene.HasEnded(&now.Object.Status) || now.Job(sample.Fetch) != nil
	})
	s.Proxy.Heal()
	s.Tell("An earlier process of your controller had created Job " + job.Name + " of step fetch, and crashed before it could record that. The next process suspended " +
		"that Job. Then a user deleted it, before the cache had shown it and before a status write had succeeded. Then the run was resumed.")
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonJobDeleted)
	s.Tell("")
}

// notOver checks that no version of the status said that nothing runs, while the Job of step fetch did.
func notOver(s *scene.Scene, name, job string) {
	for _, v := range s.Versions(name) {
		suspended := meta.IsStatusConditionTrue(v.Status.Conditions, v1alpha1.ConditionSuspended)
		if !suspended && !scene.HasEnded(&v.Status) {
			continue
		}
		if activeAt(s, job, v.Change.ResourceVersion) {
			s.FindIn(v, "An earlier process of your controller had created Job %s of step %s, and crashed before it could record that. The Job still ran. "+
				"The list of Jobs with which the next process started did not show it. So it concluded that nothing of %s runs.", job, sample.Fetch, name)
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
