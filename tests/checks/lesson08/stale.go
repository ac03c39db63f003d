package lesson08

import (
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// tooMany holds back the events of Jobs that the controller creates. Other things have it reconcile meanwhile. The Job controller is late, so
// these Jobs stay as they were created. Otherwise, a controller that reads them would find them changed, and wait for their events because of
// that, whatever it expects of a creation.
func tooMany(s *scene.Scene) {
	const labelled = "labelled"
	s.FromHere()
	s.Driver.Delay()
	s.Start()

	// The first attempt to write the status fails, so the controller retries. One that waits for the event fails later.
	fetch := jobOf(sample.Web, sample.Fetch)
	s.HoldNext("ADDED", kinds.Job.Resource, fetch)
	s.OnWrites(kinds.Job.Resource, string(fetch), proxy.AnswerLate, 1)
	s.Create(sample.Web, sample.Steps(sample.Fetch, sample.Build))
	s.Struck("your controller has not created the Job of step fetch of web")
	s.OnWrites(scene.SequentialJobStatus, sample.Web, proxy.Answer500, 1)
	s.Proxy.Answer()
	s.Settle()
	triggered(s, sample.Web)
	once(s, fetch, 0, "Step fetch of web had to start")
	s.Proxy.Heal()

	// Users have it reconcile.
	s.HoldNext("ADDED", kinds.Job.Resource, jobOf(labelled, sample.Fetch))
	s.Create(labelled, sample.Steps(sample.Fetch))
	s.Struck("your controller has not created the Job of step fetch of " + labelled)
	triggered(s, labelled)
	once(s, jobOf(labelled, sample.Fetch), 0, "Step fetch of "+labelled+" had to start")
	s.Proxy.Heal()
	s.Must(s.Driver.CatchUp(s.Context()))

	s.Complete(sample.Web, sample.Fetch, sample.Build)
	s.Complete(labelled, sample.Fetch)
	s.Succeeded(sample.Web)
	s.Succeeded(labelled)
	comeAndGone(s)
}

// comeAndGone has the Job of a step run and vanish before the controller can write anything about it into the status. It is not the
// first step's, so a controller has to know which step has had a Job. A Job that is suspended until the status has its UID has not
// run, so nothing is asked of its controller.
func comeAndGone(s *scene.Scene) {
	const brief = "brief"
	s.Create(brief, sample.Steps(sample.Fetch, sample.Build))
	s.Running(brief, sample.Fetch)
	s.StepIs(brief, sample.Fetch, v1alpha1.StepRunning)
	s.Settle()
	s.OnWrites(kinds.Job.Resource, string(jobOf(brief, sample.Build)), proxy.AnswerLate, 1)
	s.Complete(brief, sample.Fetch)
	s.Struck("your controller has not created the Job of step build of " + brief)
	s.OnWrites(scene.SequentialJobStatus, brief, proxy.Answer500, scene.Many)
	s.Proxy.Answer()
	s.Struck("your controller has not recorded the Job of step build of " + brief)
	if jobdriver.IsSuspended(s.Now(brief).Job(sample.Build)) {
		s.Proxy.Disarm()
		s.Complete(brief, sample.Build)
		s.Succeeded(brief)
		return
	}
	s.Must(s.Driver.Vanish(s.Context(), s.Running(brief, sample.Build)))
	s.Settle()
	s.Proxy.Disarm()
	s.ConditionIs(brief, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonJobDeleted)
}

// needless has the events of the controller's own status writes come late: about a step's end, a suspension, the run's end, and a change
// of a run that has ended. Meanwhile events of Jobs have it reconcile.
func needless(s *scene.Scene) {
	s.Start()
	job := s.Underway(sample.Web, sample.Fetch, sample.Build)
	unseen(s, job, "the Job of step fetch of web is complete", func() { s.Must(s.Driver.Complete(s.Context(), job)) })
	job = s.Running(sample.Web, sample.Build)
	s.StepIs(sample.Web, sample.Build, v1alpha1.StepRunning)
	unseen(s, job, "a user has suspended web", func() { s.Suspend(sample.Web) })
	s.ConditionIs(sample.Web, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.Resume(sample.Web)
	s.Running(sample.Web, sample.Build)
	s.ConditionIs(sample.Web, v1alpha1.ConditionSuspended, metav1.ConditionFalse)
	unseen(s, job, "the Job of step build of web is complete", func() { s.Must(s.Driver.Complete(s.Context(), job)) })
	s.Succeeded(sample.Web)
	unseen(s, job, "a user has set ttlSecondsAfterFinished of web, whose run has ended", func() { s.Keep(sample.Web, new(int32(86400))) })
}

// unseen has something happen to web that the controller records. The event of this status write is late, and others change the Job
// meanwhile.
func unseen(s *scene.Scene, job *batchv1.Job, what string, happen func()) {
	s.Settle()
	s.OnWrites(scene.SequentialJobStatus, sample.Web, proxy.ArriveLate, 1)
	happen()
	s.Struck(what + ", and your controller has not written that into the status")
	s.HoldBack(sample.Web)
	from := s.Log.Now()
	s.Proxy.Answer()
	s.Struck("your controller does not watch SequentialJobs")
	for range 2 {
		s.Annotate(s.JobOf(sample.Web, stage.StepOf(job)))
		s.Settle()
	}
	if conflicts := conflictsAbout(s, sample.Web, from); len(conflicts) > 0 {
		s.FindRequests(conflicts, "Nobody but your controller has written to web since %.3f s. The event of its own write has not reached it yet. "+
			"It has tried to write once more, from the state before its own write: %s, with the response 409 Conflict.",
			from.Seconds(), scene.Counted(len(conflicts), "request", "requests"))
	}
	s.Proxy.Heal()
}

// conflictsAbout are the controller's writes to a SequentialJob and its status that got a conflict.
func conflictsAbout(s *scene.Scene, name string, from time.Duration) []history.Request {
	return s.Requests(func(r history.Request) bool {
		return r.Write() && r.Received >= from && r.Code == http.StatusConflict && r.Call.Object == history.Logical(name)
	})
}

// ownEventLate has the event of the controller's own status write be late for longer than controllers wait for the event of a Job. Others change the Job
// meanwhile.
func ownEventLate(s *scene.Scene) {
	const most = 12 * time.Second
	s.Start()
	job := s.Underway(sample.Web, sample.Fetch, sample.Build)
	s.Settle()
	s.OnWrites(scene.SequentialJobStatus, sample.Web, proxy.ArriveLate, 1)
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Struck("the Job of step fetch of web is complete, and your controller has not written that into the status")
	s.HoldBack(sample.Web)
	from, patience := s.Log.Now(), s.Patience
	s.Proxy.Answer()
	s.Struck("your controller does not watch SequentialJobs")
	s.Annotate(s.JobOf(sample.Web, sample.Fetch))
	s.Patience = 2 * most
	s.Comes("your controller waits for the event of its own write", func() bool { return s.Had(from) > most })
	s.Patience = patience
	if conflicts := conflictsAbout(s, sample.Web, from); len(conflicts) > 0 {
		s.FindRequests(conflicts, "Nobody but your controller has written to web since %.3f s. The event of its own write has not reached it yet, and is certain to. "+
			"It has not waited for it, and has tried to write once more, from the state before its own write: %s, with the response 409 Conflict.",
			from.Seconds(), scene.Counted(len(conflicts), "request", "requests"))
	}
	s.Proxy.Heal()
	s.Complete(sample.Web, sample.Build)
	s.Succeeded(sample.Web)
}

// refusedMeanwhile has a quota refuse a Job, and somebody write to the SequentialJob just then, whose event is late.
func refusedMeanwhile(s *scene.Scene) {
	const name, enough = "refused", 3
	s.Start()
	s.LimitJobs()
	s.OnWrites(kinds.Job.Resource, string(jobOf(name, sample.Fetch)), proxy.ArriveLate, 1)
	s.Create(name, sample.Steps(sample.Fetch))
	s.Struck("your controller has not tried to create the Job of step fetch of " + name)
	s.HoldBack(name)
	from := s.Log.Now()
	s.Annotate(s.Now(name).Object)
	s.Struck("your controller does not watch SequentialJobs")
	s.Proxy.Answer()
	s.Settle()
	if conflicts := conflictsAbout(s, name, from); len(conflicts) > enough {
		s.FindRequests(conflicts, "Another client has written to %s, and that event is late. So your controller's write of the status got a conflict. "+
			"Until that event arrives, each attempt from the same cache gets one too. Your controller has tried %d times.", name, len(conflicts))
	}
	s.Proxy.Heal()
	s.AllowJobs()
	s.Complete(name, sample.Fetch)
	s.Succeeded(name)
}

// overtaken has somebody write to a SequentialJob right before the controller records that a Job is complete. The event of that write is late, and
// others change the Job meanwhile.
func overtaken(s *scene.Scene) {
	const name, enough = "overtaken", 1
	s.Start()
	job := s.Underway(name, sample.Fetch, sample.Build)
	s.Settle()
	s.OnWrites(scene.SequentialJobStatus, name, proxy.ArriveLate, 1)
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Struck("the Job of step fetch of " + name + " is complete, and your controller has not written that into the status")
	s.HoldBack(name)
	s.Annotate(s.Now(name).Object)
	s.Struck("your controller does not watch SequentialJobs")
	s.Proxy.Answer()
	s.Settle()
	from := s.Log.Now()
	for range 3 {
		s.Annotate(s.JobOf(name, sample.Fetch))
		s.Settle()
	}
	if conflicts := conflictsAbout(s, name, from); len(conflicts) > enough {
		s.FindRequests(conflicts, "Another client has written to %s, and that event is late. So your controller's write of the status got a conflict. "+
			"Since then, each event of the Job makes your controller send the refused write again: %s, with the response 409 Conflict.",
			name, scene.Counted(len(conflicts), "request", "requests"))
	}
	s.Proxy.Heal()
	s.Complete(name, sample.Build)
	s.Succeeded(name)
}

// keptAfterAll has a user decide to keep an object while the controller's request to delete it is on its way. The event of that is late.
// Then the user decides otherwise, and a tool annotates the object while the next request is on its way.
func keptAfterAll(s *scene.Scene) {
	const name, enough = "kept", 1
	s.Start()
	late := func() {
		s.OnWrites(kinds.SequentialJob.Resource, name, proxy.ArriveLate, 1)
		s.Keep(name, new(int32(0)))
		s.Struck("the time to live of " + name + " has passed, and your controller has not tried to delete it")
	}
	s.Create(name, sample.Steps(sample.Fetch))
	s.Complete(name, sample.Fetch)
	s.Succeeded(name)
	s.Settle()
	late()
	s.HoldBack(name)
	s.Keep(name, new(int32(86400)))
	s.Struck("your controller does not watch SequentialJobs")
	from := s.Log.Now()
	s.Proxy.Answer()
	s.Settle()
	for range 3 {
		s.Annotate(s.JobOf(name, sample.Fetch))
		s.Settle()
	}
	if conflicts := conflictsAbout(s, name, from); len(conflicts) > enough {
		s.FindRequests(conflicts, "A user has raised ttlSecondsAfterFinished of %s, and that event is late. So your controller's request to delete it got a conflict. "+
			"Since then, each event of its Job makes your controller send the refused request again: %s, with the response 409 Conflict.",
			name, scene.Counted(len(conflicts), "request", "requests"))
	}
	if s.Now(name).Object == nil {
		s.Find("A user has raised ttlSecondsAfterFinished of %s to a day while your controller's request to delete it was on its way. The API server refuses "+
			"a request that holds only for an older state, with 409 Conflict. After that, what your controller had decided no longer holds. It has deleted %[1]s "+
			"all the same.", name)
	}
	s.Proxy.Heal()
	s.Settle()
	late()
	s.Annotate(s.Now(name).Object)
	s.Proxy.Answer()
	s.Await(name, func(w stage.World) string {
		if w.Object == nil {
			return ""
		}
		return "the time to live of " + name + " has passed. A tool annotated it before your controller's request to delete it had arrived, so the API server refused " +
			"that with 409 Conflict. The object is still there"
	})
}

// inTime has a user raise a deadline before it passes, and holds back the event of that. So the controller decides to stop the run.
// It has to ask the API server before it does so: by a write that is refused if the object is not as it was seen, or by a read.
func inTime(s *scene.Scene) {
	s.Start()
	for spare := int64(6); ; spare *= 2 { // seconds; until the user comes in time, also on a slow machine
		name := fmt.Sprintf("raised-%d", spare)
		job := s.Underway(name, sample.Fetch)
		start := s.Now(name).Object.Status.StartTime
		seconds := int64(time.Since(start.Time)/time.Second) + spare
		s.Limit(name, seconds)
		s.Settle()
		s.HoldBack(name)
		s.Limit(name, 3600)
		if !time.Now().Before(start.Add(time.Duration(seconds) * time.Second)) {
			s.Proxy.Disarm() // the event may not have come yet
			s.Proxy.Heal()
			continue
		}
		from, patience := s.Log.Now(), s.Patience
		s.Patience += time.Duration(spare) * time.Second
		s.Needs("your controller to ask the API server or to act when the deadline that it knows has passed", func() bool {
			return len(s.Requests(func(r history.Request) bool { return r.Received > from && concerns(r, name) })) > 0
		})
		s.Patience = patience
		s.Settle()
		s.Proxy.Heal()
		s.Settle()
		notStopped(s, name, job)
		s.Complete(name, sample.Fetch)
		s.Succeeded(name)
		return
	}
}

// concerns says whether a request is about a SequentialJob, its status, or the Job of its step fetch.
func concerns(r history.Request, name string) bool {
	return r.Call.Object == history.Logical(name) || r.Call.Object == jobOf(name, sample.Fetch)
}

// notStopped checks that a run goes on whose deadline has been raised in time.
func notStopped(s *scene.Scene, name string, job *batchv1.Job) {
	const overruled = "A user has raised activeDeadlineSeconds of %s before the deadline had passed. The event of that was late, so your controller decided by its " +
		"cache to stop the run. The API server knew better: it refuses a write that holds only for an older state, with 409 Conflict. After that, " +
		"what your controller had decided no longer holds. "
	for _, v := range s.Versions(name) {
		summary := meta.FindStatusCondition(v.Status.Conditions, v1alpha1.ConditionSucceeded)
		if summary != nil && summary.Reason == v1alpha1.ReasonDeadlineExceeded {
			s.FindIn(v, overruled+"It wrote the status all the same.", name)
		}
	}
	for change, one := range jobsSeen(s) {
		if one.UID == job.UID && (change.Type == "DELETED" || one.DeletionTimestamp != nil) {
			s.FindChange(change, overruled+"It stopped Job %s all the same.", name, job.Name)
		}
	}
}

// tooFew holds back the events of Jobs: of one that the controller stops, and of those that a user deletes before the controller stops or suspends
// them. Users have it reconcile meanwhile.
func tooFew(s *scene.Scene) {
	const gone, left = "gone", "left"
	s.Start()
	s.Retain(s.Underway(sample.Web, sample.Fetch, sample.Build)) // so its pods take a while to end
	deleted := s.Underway(gone, sample.Fetch)
	s.Underway(left, sample.Fetch)
	stoppedOnce(s, sample.Web)
	deletedBefore(s, gone, deleted)
	goneBefore(s, left)
	s.Settle()
	s.Release(s.JobOf(sample.Web, sample.Fetch))
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded)
	s.ConditionIs(gone, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
	s.ConditionIs(left, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonJobDeleted)
}

// stoppedOnce has the controller stop a Job at a deadline. The event of that is late.
func stoppedOnce(s *scene.Scene, name string) {
	s.Settle()
	from := s.Log.Now()
	s.HoldNext("MODIFIED", kinds.Job.Resource, jobOf(name, sample.Fetch))
	s.Limit(name, 1)
	s.Struck("the deadline of " + name + " has passed, and your controller has not stopped its Job")
	twin(s, name)
	triggered(s, name)
	once(s, jobOf(name, sample.Fetch), from, "The Job of step fetch of "+name+" had to be stopped at the deadline")
	s.Proxy.Heal()
}

// twin has a user create a SequentialJob of the same name in another namespace, and waits until the controller has written its status.
func twin(s *scene.Scene, name string) {
	other := sample.SequentialJob(name, sample.Steps(sample.Fetch)...)
	other.Namespace = s.Beside[0]
	s.User("creates a SequentialJob %s in another namespace", name)
	s.Must(s.Client.Create(s.Context(), other))
	s.Until(func() string {
		s.Must(s.Client.Get(s.Context(), client.ObjectKeyFromObject(other), other))
		if len(other.Status.Conditions) > 0 {
			return ""
		}
		return "SequentialJob " + name + " in another namespace has no conditions"
	})
}

// deletedBefore has a user delete a Job right before a deadline at which the controller would stop it. The event of that is late.
func deletedBefore(s *scene.Scene, name string, job *batchv1.Job) {
	s.Settle()
	from := s.Log.Now()
	s.HoldNext("DELETED", kinds.Job.Resource, jobOf(name, sample.Fetch))
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Struck("your controller does not watch Jobs")
	s.Limit(name, 1)
	s.Comes("your controller has neither tried to stop the Job of "+name+" nor ended the run", func() bool {
		return scene.HasEnded(&s.Now(name).Object.Status) || len(writesSince(s, jobOf(name, sample.Fetch), from)) > 0
	})
	triggered(s, name)
	once(s, jobOf(name, sample.Fetch), from, "The Job of step fetch of "+name+" had to be stopped at the deadline, and a user had deleted it")
	s.Proxy.Heal()
}

// goneBefore has a user delete a Job right before a suspension, for which the controller would suspend it. The event of that is late.
func goneBefore(s *scene.Scene, name string) {
	s.Settle()
	from := s.Log.Now()
	s.HoldNext("DELETED", kinds.Job.Resource, jobOf(name, sample.Fetch))
	s.Must(s.Driver.Vanish(s.Context(), s.JobOf(name, sample.Fetch)))
	s.Struck("your controller does not watch Jobs")
	s.Suspend(name)
	triggered(s, name)
	once(s, jobOf(name, sample.Fetch), from, "The Job of step fetch of "+name+" had to be suspended, and a user had deleted it")
	s.Proxy.Heal()
}

// createdUnheard has the response to the creation of a Job be lost. Its event is late, and for a while no write to it succeeds. Meanwhile
// a user suspends the run.
func createdUnheard(s *scene.Scene) {
	const name = "unheard"
	job := jobOf(name, sample.Fetch)
	s.Start()
	s.HoldNext("ADDED", kinds.Job.Resource, job)
	s.OnWrites(kinds.Job.Resource, string(job), proxy.LoseReply, 1)
	// A controller may read the Job, rather than try to create it again.
	s.Inject(proxy.Fault{Action: proxy.Answer500, Next: history.Next{Resource: kinds.Job.Resource, Object: job, Times: scene.Many}})
	s.Create(name, sample.Steps(sample.Fetch))
	s.Struck("your controller has not created the Job of step fetch of " + name)
	s.Suspend(name)
	s.Pause(name)
	s.Proxy.Disarm() // its retries may never have come
	s.Settle()
	if created := s.Now(name).Job(sample.Fetch); created != nil {
		notOver(s, name, created.Name, "The API server had created Job %s of step %s, and your controller did not get the response. The event of that Job was late.")
	}
	s.Proxy.Heal()
	s.ConditionIs(name, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
}

// lateAndStopped has a request to create a Job arrive when the run has ended at its deadline. The next process stops that Job, and the event of
// that is late. A Job that is created suspended never runs, so its controller may leave it.
func lateAndStopped(s *scene.Scene) {
	const name = "late"
	job := jobOf(name, sample.Build)
	s.Start()
	s.Underway(name, sample.Fetch, sample.Build)
	s.Limit(name, int64(time.Hour/time.Second))
	s.Settle()
	s.OnWrites(kinds.Job.Resource, string(job), proxy.CommitLate, 1)
	s.Complete(name, sample.Fetch)
	s.CrashedBy("step fetch of " + name + " has succeeded, but your controller has not tried to start step build")
	s.Elapse(2*time.Hour, name)
	s.Start()
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded)
	s.Settle()
	s.Stop()
	s.Proxy.Heal()
	s.Needs("the Job for which a process had asked that has ended", func() bool {
		late := s.Now(name).Job(sample.Build)
		return late != nil && (late.Status.StartTime != nil || jobdriver.IsSuspended(late))
	})
	if jobdriver.IsSuspended(s.Now(name).Job(sample.Build)) {
		s.Start()
		return
	}
	const arrived = "The run of " + name + " had ended at its deadline. Then a request arrived that an earlier process had sent, and created the Job of step build, " +
		"which the status does not know"
	s.HoldNext("MODIFIED", kinds.Job.Resource, job)
	from := s.Log.Now()
	s.Start()
	s.Struck(arrived + ". Nobody stops that Job")
	triggered(s, name)
	once(s, job, from, arrived+", so it had to be stopped")
	s.Proxy.Heal()
}

// suspendedOnce has the controller suspend a Job. The event of that is late, also when a controller that waits for a limited time does not
// wait any longer. Then the Job is resumed.
func suspendedOnce(s *scene.Scene) {
	const name = "paused"
	s.Start()
	s.Underway(name, sample.Fetch)
	s.Settle()
	from := s.Log.Now()
	s.HoldNext("MODIFIED", kinds.Job.Resource, jobOf(name, sample.Fetch))
	s.Suspend(name)
	s.Struck(name + " is suspended, and your controller has not suspended its Job")
	triggered(s, name)
	suspended := "The Job of step fetch of " + name + " had to be suspended"
	once(s, jobOf(name, sample.Fetch), from, suspended)
	s.Patience *= 3 // the controller chooses how long it waits for an event, if it has a limit
	s.Comes("your controller waits for the event of the Job of "+name, func() bool {
		return meta.IsStatusConditionTrue(s.Now(name).Object.Status.Conditions, v1alpha1.ConditionSuspended) || len(writesSince(s, jobOf(name, sample.Fetch), from)) > 1
	})
	once(s, jobOf(name, sample.Fetch), from, suspended)
	s.Proxy.Heal()
	s.ConditionIs(name, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	resumedOnce(s, name)
	s.Complete(name, sample.Fetch)
	s.Succeeded(name)
}

// resumedOnce has the controller resume that Job. The event of that is late, and the write of the status fails. Then a user suspends the run again, and later
// resumes it.
func resumedOnce(s *scene.Scene, name string) {
	s.Settle()
	from := s.Log.Now()
	s.HoldNext("MODIFIED", kinds.Job.Resource, jobOf(name, sample.Fetch))
	s.OnWrites(scene.SequentialJobStatus, name, proxy.Answer500, 1)
	s.Resume(name)
	s.Struck(name + " is resumed, and your controller has not resumed its Job and tried to write that into the status")
	triggered(s, name)
	once(s, jobOf(name, sample.Fetch), from, "The Job of step fetch of "+name+" had to be resumed")
	s.Suspend(name)
	s.Settle()
	now := s.Now(name)
	suspended := meta.FindStatusCondition(now.Object.Status.Conditions, v1alpha1.ConditionSuspended)
	if job := s.JobOf(name, sample.Fetch); !jobdriver.IsSuspended(job) && suspended.Status == metav1.ConditionTrue && suspended.ObservedGeneration == now.Object.Generation {
		s.Find("A user resumed %s, and your controller resumed its Job. Before the event of that had reached it, the user suspended %[1]s again. Your controller wrote "+
			"Suspended=True with the observedGeneration %d, which is the current generation. But Job %s can still run: the condition describes the earlier suspension.",
			name, suspended.ObservedGeneration, job.Name)
	}
	s.Proxy.Heal()
	s.ConditionIs(name, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.Resume(name)
}

// jobOf is what a step's Job represents.
func jobOf(name, step string) history.Logical { return history.Logical(name + "/" + step) }

// triggered has users annotate a SequentialJob, so that the controller reconciles it.
func triggered(s *scene.Scene, name string) {
	for range 2 {
		s.Annotate(s.Now(name).Object)
		s.Pause(name)
	}
}

// once checks that the controller has not repeated a write to a Job since a moment. Had says what it had to do.
func once(s *scene.Scene, job history.Logical, from time.Duration, had string) {
	byVerb := map[string][]history.Request{}
	for _, r := range writesSince(s, job, from) {
		if sent := byVerb[r.Call.Verb]; len(sent) == 0 || !askedInVain(s, job, sent[len(sent)-1], r) {
			byVerb[r.Call.Verb] = append(sent, r)
		}
	}
	for _, verb := range slices.Sorted(maps.Keys(byVerb)) {
		repeated := byVerb[verb]
		if len(repeated) < 2 {
			continue
		}
		s.FindRequestsAt(repeated[1].Answered, repeated, "%s. Your controller sent a request for that, but the event of the change had not reached it yet. So its "+
			"cache still showed the state before. It sent the request again: %s to %s Job %s.",
			had, scene.Counted(len(repeated), "request", "requests"), verb, repeated[0].Object.Name)
	}
}

// askedInVain says whether the controller has read a Job between two requests, without a response that says what has become of it. Then it
// knows no more than before, and may try again.
func askedInVain(s *scene.Scene, job history.Logical, before, after history.Request) bool {
	return len(s.Requests(func(r history.Request) bool {
		return !r.Write() && r.Fault != 0 && r.Received > before.Received && r.Received < after.Received &&
			r.Call.Resource == kinds.Job.Resource && (r.Call.Object == job || r.Call.Object == history.None)
	})) > 0
}

// writesSince are the requests to write to a Job since a moment.
func writesSince(s *scene.Scene, job history.Logical, from time.Duration) []history.Request {
	return s.Requests(func(r history.Request) bool {
		return r.Write() && r.Received >= from && r.Call.Resource == kinds.Job.Resource && r.Call.Object == job
	})
}

// jobsSeen are the changes of Jobs, in order.
func jobsSeen(s *scene.Scene) iter.Seq2[history.Change, *batchv1.Job] {
	return scene.Seen[batchv1.Job](s, kinds.Job.Resource)
}
