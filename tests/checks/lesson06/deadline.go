package lesson06

import (
	"fmt"
	"math"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// hour is a deadline that no check reaches by waiting: see scene.Elapse.
const hour = int64(time.Hour / time.Second)

// within sets the deadline of an object that is created.
func within(seconds int64) func(*v1alpha1.SequentialJob) {
	return func(object *v1alpha1.SequentialJob) { object.Spec.ActiveDeadlineSeconds = &seconds }
}

// soon has a user set a deadline of a run that has started, which is reached some seconds from now. It returns the deadline.
func soon(s *scene.Scene, name string, seconds int64) int64 {
	s.AwaitStatus(name, func(status *v1alpha1.SequentialJobStatus) string {
		if status.StartTime == nil {
			return fmt.Sprintf("the status of %s has no startTime", name)
		}
		return ""
	})
	passed := time.Since(s.Now(name).Object.Status.StartTime.Time)
	seconds += int64(passed / time.Second)
	s.Limit(name, seconds)
	return seconds
}

// atTheDeadline has runs reach their deadline while a step runs, or before the first one could start.
func atTheDeadline(s *scene.Scene) {
	const may, none, failing, hours = "may", "none", "failing", "hours"
	s.Start()
	s.Create(hours, sample.Steps(sample.Fetch), within(hour))
	s.Create(sample.Web, sample.ThreeSteps())
	s.Create(may, optional(sample.Steps(sample.Fetch), sample.Fetch))
	s.Create(failing, sample.Steps(sample.Fetch))
	job := s.Running(sample.Web, sample.Fetch)
	for _, name := range []string{hours, sample.Web, may, failing} {
		s.Running(name, sample.Fetch)
		s.StepIs(name, sample.Fetch, v1alpha1.StepRunning)
	}
	s.Retain(job) // so its pods take their time
	deadline := soon(s, sample.Web, 2)
	stops(s, sample.Web, job)
	notEarly(s, sample.Web, deadline)
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonDeadlineExceeded)
	s.Settle()
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepRunning)
	s.Suspend(sample.Web) // which comes too late
	s.Settle()
	s.Unlimit(sample.Web) // so does this
	s.Settle()
	s.Release(job)
	exceeded(s, sample.Web, "F - -")
	wasStopped(s, sample.Web)

	soon(s, may, 1) // which it may not
	exceeded(s, may, "F")
	s.OnWrites("jobs", failing+"/fetch", proxy.Answer500, 2)
	soon(s, failing, 1)
	exceeded(s, failing, "F")
	s.Running(hours, sample.Fetch)

	// Nothing runs at the deadline, so there is nothing to stop.
	s.LimitJobs()
	s.Create(none, sample.Steps(sample.Fetch, sample.Build), within(1))
	exceeded(s, none, "- -")
	s.AllowJobs()
	s.OnlyJobsOf(none, "the deadline had been reached before the first step")
	for _, name := range []string{sample.Web, may, failing, none} {
		nothingLeft(s, name)
	}
	s.Complete(hours, sample.Fetch)
	s.Succeeded(hours)
}

// endsAtTheDeadline has Jobs end, by themselves or not, before the deadline, while they are stopped, or just then.
func endsAtTheDeadline(s *scene.Scene) {
	const after, tidied, completes, fails, just = "after", "tidied", "completes", "fails", "just"
	s.Start()
	afterAFailure(s, after, false)
	afterAFailure(s, tidied, true)
	endWhileTheyAreStopped(s, completes, fails)
	completesJustThen(s, just)
	for _, name := range []string{after, tidied, completes, just} {
		nothingLeft(s, name)
	}
}

// failsAtTheDeadline has Jobs fail while they are being deleted, and suspended runs reach a deadline that a user has lowered.
func failsAtTheDeadline(s *scene.Scene) {
	const ending, forgotten, unlimited, resumed, asleep, between = "ending", "forgotten", "unlimited", "resumed", "asleep", "between"
	s.Start()
	failsWhileItStops(s, ending, false)
	failsWhileItStops(s, forgotten, true)
	failsWhileItGoes(s, unlimited)
	usedUp(s, resumed, true)
	usedUp(s, asleep, false)
	usedUpBetween(s, between)
	for _, name := range []string{ending, forgotten} {
		nothingLeft(s, name)
	}
}

// unseenAtTheDeadline holds back the event of the Job that runs when the deadline passes. The status names that Job, so a read from the API server can tell
// whether it still runs. A controller may wait for the event before it lets the Job run.
func unseenAtTheDeadline(s *scene.Scene) {
	const unseen = "unseen"
	s.Start()
	s.HoldNext("ADDED", kinds.Job.Resource, unseen+"/"+sample.Fetch)
	s.Create(unseen, sample.Steps(sample.Fetch), within(hour))
	started := s.Comes("your controller does not start step fetch of "+unseen+" while the event of its Job is late, which it need not", func() bool {
		now := s.Now(unseen)
		if now.Object == nil || now.Running(sample.Fetch) == nil {
			return false
		}
		entry := scene.StepIn(&now.Object.Status, sample.Fetch)
		return entry != nil && entry.State == v1alpha1.StepRunning
	})
	soon(s, unseen, 1)
	if started {
		s.Comes("your controller does not report the deadline while the event of the Job is late, which it need not", func() bool {
			summary := meta.FindStatusCondition(s.Now(unseen).Object.Status.Conditions, v1alpha1.ConditionSucceeded)
			return summary != nil && summary.Reason == v1alpha1.ReasonDeadlineExceeded
		})
		s.Settle()
	}
	s.Proxy.Heal()
	exceeded(s, unseen, "F")
	nothingLeft(s, unseen)
}

// crashesAtTheDeadline has the controller's process end before, when and after the deadline has passed.
func crashesAtTheDeadline(s *scene.Scene) {
	const crashing, late, unrecorded = "crashing", "late", "unrecorded"
	s.Start()
	crashesWhenItStops(s, crashing)
	createdAfterTheEnd(s, late)
	crashesWhenItStarts(s, unrecorded)
	for _, name := range []string{crashing, late} {
		nothingLeft(s, name)
	}
}

// stops waits until a Job is being deleted, and checks that it stays until its pods have ended.
func stops(s *scene.Scene, name string, job *batchv1.Job) {
	step := stage.StepOf(job)
	s.Await(name, func(w stage.World) string {
		if now := w.Job(step); now == nil || now.DeletionTimestamp != nil {
			return ""
		}
		return fmt.Sprintf("the deadline of %s has passed, but its Job %s still runs", name, job.Name)
	})
	for change, one := range scene.Seen[batchv1.Job](s, kinds.Job.Resource) {
		if one.UID != job.UID || one.DeletionTimestamp == nil {
			continue
		}
		stopped := jobdriver.IsSuspended(one) && one.Status.Active == 0 && ptr.Deref(one.Status.Terminating, 0) == 0
		if !stopped && !controllerutil.ContainsFinalizer(one, metav1.FinalizerDeleteDependents) {
			s.FindChange(change, "At the deadline, your controller deleted Job %s while its pod was running. It did not delete the Job in the foreground, so "+
				"the Job may be gone before its pod has ended.", one.Name)
		}
		return
	}
}

// exceeded waits until a run has failed at its deadline, with the steps in these states.
func exceeded(s *scene.Scene, name, want string) {
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded)
	states(s, name, want)
}

// wasStopped checks that step fetch has failed because the run was stopped at its deadline.
func wasStopped(s *scene.Scene, name string) {
	if entry := scene.StepIn(&s.Now(name).Object.Status, sample.Fetch); entry.Reason != v1alpha1.ReasonDeadlineExceeded {
		s.Find("Step fetch of %s was stopped at the run's deadline. Its entry in the status should have the reason %s. It says: %s.",
			name, v1alpha1.ReasonDeadlineExceeded, described(entry))
	}
}

// notEarly checks that the controller did not delete the Job of step fetch before the deadline.
func notEarly(s *scene.Scene, name string, seconds int64) {
	started := s.Now(name).Object.Status.StartTime
	due := started.Add(time.Duration(seconds) * time.Second)
	for _, r := range deletionsOf(s, name) {
		if at := s.Log.When(r.Received); at.Before(due) {
			s.FindRequests([]history.Request{r}, "The run of %s started at %s, and activeDeadlineSeconds is %d. Your controller deleted the Job at %s, which is too early.",
				name, scene.Clock(*started), seconds, scene.Clock(metav1.NewTime(at)))
		}
	}
}

// deletionsOf are the controller's requests to delete the Job of step fetch.
func deletionsOf(s *scene.Scene, name string) []history.Request {
	return s.Requests(func(r history.Request) bool {
		return r.Call.Verb == "delete" && r.Call.Object == history.Logical(name+"/"+sample.Fetch)
	})
}

// nothingLeft checks that nothing of a run could run when its status first said that it had failed.
func nothingLeft(s *scene.Scene, name string) {
	for _, v := range s.Versions(name) {
		if !meta.IsStatusConditionFalse(v.Status.Conditions, v1alpha1.ConditionSucceeded) {
			continue
		}
		jobs := map[string]*batchv1.Job{}
		for change, job := range scene.Seen[batchv1.Job](s, kinds.Job.Resource) {
			if owner := metav1.GetControllerOf(job); change.ResourceVersion > v.Change.ResourceVersion || owner == nil || owner.UID != v.UID {
				continue
			}
			if jobs[string(job.UID)] = job; change.Type == "DELETED" {
				delete(jobs, string(job.UID))
			}
		}
		for _, job := range jobs {
			if !jobdriver.Ended(job) {
				s.FindIn(v, "The status of %s said that the run had failed, but Job %s of step %s still existed and had not finished, with %d active pods.",
					name, job.Name, stage.StepOf(job), job.Status.Active)
			}
		}
		return
	}
}

// afterAFailure has a step fail that may, at a deadline of its Job, which somebody may remove afterwards. The run is stopped at its own
// deadline in the next step.
func afterAFailure(s *scene.Scene, name string, removed bool) {
	s.Create(name, optional(sample.ThreeSteps(), sample.Fetch))
	failed := s.Running(name, sample.Fetch)
	s.Must(s.Driver.Fail(s.Context(), failed, batchv1.JobReasonDeadlineExceeded, scene.JobsDeadline))
	job := s.Running(name, sample.Build)
	s.StepIs(name, sample.Build, v1alpha1.StepRunning)
	if removed {
		s.Must(s.Driver.Vanish(s.Context(), failed))
	}
	s.Retain(job)
	soon(s, name, 1)
	stops(s, name, job)
	s.Settle()
	s.Release(job)
	exceeded(s, name, "F F -")
}

// endWhileTheyAreStopped has the API server refuse to delete two Jobs, of which the status says that they are being stopped. One
// of them completes meanwhile, and its run's deadline is removed. The other one exceeds a deadline of its own, so it fails by itself, which
// its step may.
func endWhileTheyAreStopped(s *scene.Scene, completes, fails string) {
	s.Create(completes, sample.Steps(sample.Fetch, sample.Build))
	s.Create(fails, optional(sample.Steps(sample.Fetch), sample.Fetch))
	both := []string{completes, fails}
	jobs := map[string]*batchv1.Job{}
	for _, name := range both {
		jobs[name] = s.Running(name, sample.Fetch)
		s.StepIs(name, sample.Fetch, v1alpha1.StepRunning)
	}
	for _, name := range both {
		s.OnWrites("jobs", name+"/fetch", proxy.Answer500, scene.Many)
		soon(s, name, 1)
	}
	s.Struck(fmt.Sprintf("the deadlines of %s and %s have passed, but your controller has not tried to stop both Jobs", completes, fails))
	for _, name := range both {
		s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonDeadlineExceeded)
	}
	s.Unlimit(completes)
	s.Must(s.Driver.Complete(s.Context(), jobs[completes]))
	s.Must(s.Driver.Fail(s.Context(), jobs[fails], batchv1.JobReasonDeadlineExceeded, scene.JobsDeadline))
	for _, name := range both {
		s.Await(name, func(w stage.World) string {
			if w.Object != nil && (scene.HasEnded(&w.Object.Status) || w.Job(sample.Build) != nil) {
				return ""
			}
			return fmt.Sprintf("the Job of step fetch of %s has ended by itself after the deadline, and the status does not say how the run ended", name)
		})
	}
	s.Disarm()
	neverHad(s, completes, sample.Build)
	exceeded(s, completes, "S -")
	if status := s.Now(fails).Object.Status; meta.IsStatusConditionFalse(status.Conditions, v1alpha1.ConditionSucceeded) {
		s.Find("The deadline of %s had passed, and the API server refused to delete its Job. Before it was deleted, the Job exceeded a deadline of its "+
			"own. So its step failed by itself, which a step with onFailure: Continue may, and no other step is left. The status says: %s.",
			fails, scene.Says(&status))
	}
	completed(s, fails, "F", sample.Fetch)
}

// failsWhileItStops has a Job fail while it is being deleted at the deadline: its pod was deleted, and such a pod counts as failed. The garbage
// collector is slow, so the Job still exists. Its step may fail. The process that deleted the Job may have been restarted since.
func failsWhileItStops(s *scene.Scene, name string, restarted bool) {
	s.Create(name, optional(sample.Steps(sample.Fetch), sample.Fetch))
	job := s.Running(name, sample.Fetch)
	s.StepIs(name, sample.Fetch, v1alpha1.StepRunning)
	s.Retain(job)
	soon(s, name, 1)
	stops(s, name, job)
	if restarted {
		s.Settle()
		s.Stop()
	}
	s.Must(s.Driver.Fail(s.Context(), job, batchv1.JobReasonBackoffLimitExceeded, "Job has reached the specified backoff limit"))
	if restarted {
		s.Start()
	}
	s.Settle()
	if status := s.Now(name).Object.Status; meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionSucceeded) {
		s.Find("At the deadline of %s, your controller deleted the Job of step fetch. Then the Job failed, because its pod was deleted. So the step did not fail by "+
			"itself: the run was stopped, which it may not be, whatever the step's onFailure is. The status says: %s.", name, scene.Says(&status))
	}
	s.Release(job)
	exceeded(s, name, "F")
	wasStopped(s, name)
}

// failsWhileItGoes has a user delete the Job of a run that has no deadline, and the Job fail while it is being deleted.
func failsWhileItGoes(s *scene.Scene, name string) {
	s.Create(name, sample.Steps(sample.Fetch))
	job := s.Running(name, sample.Fetch)
	s.StepIs(name, sample.Fetch, v1alpha1.StepRunning)
	s.Retain(job)
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Settle()
	s.Must(s.Driver.Fail(s.Context(), job, batchv1.JobReasonBackoffLimitExceeded, scene.BackoffLimitExceeded))
	s.Settle()
	s.Release(job)
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
	status := &s.Now(name).Object.Status
	summary, entry := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded), scene.StepIn(status, sample.Fetch)
	if summary.Reason == v1alpha1.ReasonDeadlineExceeded || entry.Reason == v1alpha1.ReasonDeadlineExceeded {
		s.Find("%s has no deadline. A user deleted the Job of step fetch, and the Job failed while it was being deleted. The status speaks of a deadline: %s. The step's entry: %s.",
			name, scene.Says(status), described(entry))
	}
}

// createdAfterTheEnd has the controller's process end while its request to create the Job of the second step is on its way. The request arrives
// when the next process has ended the run at its deadline. The API server refuses to delete that Job, which completes meanwhile.
func createdAfterTheEnd(s *scene.Scene, name string) {
	s.Create(name, sample.Steps(sample.Fetch, sample.Build), within(hour))
	s.Running(name, sample.Fetch)
	s.StepIs(name, sample.Fetch, v1alpha1.StepRunning)
	s.OnWrites(kinds.Job.Resource, name+"/"+sample.Build, proxy.CommitLate, 1)
	s.Complete(name, sample.Fetch)
	s.CrashedBy("step fetch of " + name + " has succeeded, but your controller has not tried to start step build")
	s.Elapse(2*time.Hour, name)
	s.Start()
	exceeded(s, name, "S -")
	s.Settle()
	s.OnWrites(kinds.Job.Resource, name+"/"+sample.Build, proxy.Answer500, scene.Many)
	s.Proxy.Heal()
	s.Needs("the API server to do what a process had asked for that has ended", func() bool {
		for _, job := range scene.Seen[batchv1.Job](s, kinds.Job.Resource) {
			if owner := metav1.GetControllerOf(job); owner != nil && owner.Name == name && stage.StepOf(job) == sample.Build && !s.IsMimic(job) {
				return true
			}
		}
		return false
	})
	job := s.JobOf(name, sample.Build)
	if jobdriver.IsSuspended(job) { // one that was created suspended never runs, and a controller may leave it or not
		s.Proxy.Disarm()
		return
	}
	const arrived = "The run of %s had ended at its deadline. Then a request arrived that a process of your controller had sent before it ended, and created Job %s, " +
		"which the status does not know. "
	s.Struck(fmt.Sprintf(arrived+"Nobody stops that Job", name, job.Name))
	s.Must(s.Driver.Complete(s.Context(), s.Running(name, sample.Build)))
	s.Settle()
	s.Disarm()
	s.Unlimit(name) // so the controller looks again, whenever its next retry is due
	s.Settle()
	if now := s.Now(name).Job(sample.Build); now == nil || now.DeletionTimestamp != nil {
		s.FindJobs(arrived+"The API server refused to delete that Job at first, and the Job completed meanwhile. Your controller deleted it all the same. So the record "+
			"of what it has done is lost.", name, job.Name)
	}
}

// crashesWhenItStarts has the controller crash when it has created the Job of the second step, before the status names it. The deadline has passed when
// the next process starts.
func crashesWhenItStarts(s *scene.Scene, name string) {
	s.Create(name, sample.Steps(sample.Fetch, sample.Build, sample.Ship), within(hour))
	s.Running(name, sample.Fetch)
	s.StepIs(name, sample.Fetch, v1alpha1.StepRunning)
	s.CrashAt(name + "/" + sample.Build)
	s.Complete(name, sample.Fetch)
	s.Crashed(name + "/" + sample.Build)
	job := s.JobOf(name, sample.Build)
	s.Elapse(2*time.Hour, name)
	s.Start()
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded)
	nothingLeft(s, name)             // which says more than that the step should be Failed
	if !jobdriver.IsSuspended(job) { // one that was created suspended has not run
		states(s, name, "S F -")
	}
}

// completesJustThen has a Job complete right before its deadline. The controller has not received that event yet when it
// deletes the Job.
func completesJustThen(s *scene.Scene, name string) {
	job := s.Underway(name, sample.Fetch, sample.Build)
	s.HoldNext("MODIFIED", kinds.Job.Resource, history.Logical(name+"/fetch"))
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Struck("your controller does not watch Jobs")
	from := s.Log.Now()
	soon(s, name, 1)
	s.Until(func() string { // or has read it again, and knows better
		now := s.Now(name)
		ended := now.Step(sample.Fetch)
		asked := s.Requests(func(r history.Request) bool {
			return r.Received > from && r.Call.Object == history.Logical(name+"/"+sample.Fetch)
		})
		if len(asked) > 0 || now.Job(sample.Fetch) == nil || ended != nil && ended.State == v1alpha1.StepSucceeded {
			return ""
		}
		return fmt.Sprintf("the deadline of %s has passed, and as far as your controller knows, Job %s still runs; it has not tried to stop it", name, job.Name)
	})
	stays := func(why string) {
		s.Sync()
		for change, one := range scene.Seen[batchv1.Job](s, kinds.Job.Resource) {
			if one.UID == job.UID && jobdriver.Ended(one) && (one.DeletionTimestamp != nil || change.Type == "DELETED") {
				s.FindChange(change, "Job %s of step fetch of %s had completed right before the deadline. %s So the record of what it has done is lost.", one.Name, name, why)
			}
		}
	}
	stays("Your controller had not received that event yet, and deleted the Job: nothing in its request required that the Job was still as it was read.")
	s.Proxy.Heal()
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded)
	s.Settle()
	stays("When your controller had received that event, it deleted the Job all the same.")
	s.StepIs(name, sample.Fetch, v1alpha1.StepSucceeded) // and a controller that has read that may have started the next step
}

// crashesWhenItStops has the controller crash right after it has deleted a Job at the deadline. The next process finds no Job.
func crashesWhenItStops(s *scene.Scene, name string) {
	s.Underway(name, sample.Fetch)
	s.Settle()
	s.Fault("crash after commit: delete jobs " + name + "/fetch #1") // it may suspend the Job first
	soon(s, name, 1)
	s.Struck(fmt.Sprintf("the deadline of %s has passed, but your controller has not deleted its Job", name))
	s.Needs("your controller's process to end", func() bool {
		_, _, killed := s.Current()
		return killed
	})
	s.Needs("the garbage collector to remove the Job", func() bool { return s.Now(name).Job(sample.Fetch) == nil })
	s.Start()
	exceeded(s, name, "F")
}

// usedUp has a user lower the limit of a suspended run to what is already used, and resume the run in the same write or not.
func usedUp(s *scene.Scene, name string, resumes bool) {
	job := s.Underway(name, sample.Fetch)
	s.Needs("a run that has taken a second", func() bool {
		started := s.Now(name).Object.Status.StartTime
		return started != nil && time.Since(started.Time) > time.Second
	})
	s.Suspend(name)
	s.ConditionIs(name, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.Settle()
	from := s.Log.Now()
	if resumes {
		s.Change(name, "resumes "+name+", and sets its activeDeadlineSeconds to 1", func(spec *v1alpha1.SequentialJobSpec) {
			spec.Suspend, spec.ActiveDeadlineSeconds = new(false), new(int64(1))
		})
	} else {
		s.Limit(name, 1)
	}
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded)
	nothingLeft(s, name) // which says more than that the step should be Failed
	states(s, name, "F")
	for change, one := range scene.Seen[batchv1.Job](s, kinds.Job.Resource) {
		if one.UID == job.UID && change.Seen > from && !ptr.Deref(one.Spec.Suspend, false) {
			s.FindChange(change, "A user lowered the limit of %s, which was suspended, to what was already used. So its deadline had been reached, but your controller "+
				"resumed Job %s.", name, one.Name)
		}
	}
}

// usedUpBetween has a user lower the limit of a run that is suspended between two steps to what is already used.
func usedUpBetween(s *scene.Scene, name string) {
	job := s.Underway(name, sample.Fetch, sample.Build)
	s.Needs("a run that has taken a second", func() bool { return time.Since(s.Now(name).Object.Status.StartTime.Time) > time.Second })
	s.Stop()
	s.Suspend(name)
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Start()
	s.StepIs(name, sample.Fetch, v1alpha1.StepSucceeded)
	s.ConditionIs(name, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.Settle()
	s.Limit(name, 1)
	s.Tell("A user lowered the limit of " + name + ", which was suspended between two steps, to what was already used. So its deadline has been reached, and there is no Job to stop.")
	exceeded(s, name, "S -")
	s.Tell("")
}

// suspendedTime has the deadline pass on the clock while runs are suspended.
func suspendedTime(s *scene.Scene) {
	const (
		later, between, tidied   = "later", "between", "tidied"
		longest, ends, unlimited = "longest", "ends", "unlimited"
	)
	s.Start()
	s.Create(between, sample.Steps(sample.Fetch, sample.Build), within(hour))
	completed := s.Running(between, sample.Fetch)
	s.StepIs(between, sample.Fetch, v1alpha1.StepRunning)
	s.Stop() // so it is suspended between two steps
	s.Suspend(between)
	s.Must(s.Driver.Complete(s.Context(), completed))
	s.Start()
	s.ConditionIs(between, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.StepIs(between, sample.Fetch, v1alpha1.StepSucceeded)
	s.Create(later, sample.Steps(sample.Fetch), within(hour), func(object *v1alpha1.SequentialJob) { object.Spec.Suspend = new(true) })
	s.Create(sample.Web, sample.Steps(sample.Fetch, sample.Build), within(hour))
	s.Create(tidied, optional(sample.Steps(sample.Fetch, sample.Build), sample.Fetch), within(hour))
	s.Running(tidied, sample.Fetch)
	s.StepIs(tidied, sample.Fetch, v1alpha1.StepRunning)
	s.Suspend(tidied)
	s.Create(longest, sample.Steps(sample.Fetch), within(math.MaxInt32))
	s.Running(longest, sample.Fetch)
	s.StepIs(longest, sample.Fetch, v1alpha1.StepRunning)
	s.Suspend(longest)
	s.Create(ends, sample.Steps(sample.Fetch), within(hour))
	s.Running(ends, sample.Fetch)
	s.StepIs(ends, sample.Fetch, v1alpha1.StepRunning)
	s.Suspend(ends)
	s.Underway(unlimited, sample.Fetch)
	s.Suspend(unlimited)
	for n := range 2 { // the time of all suspensions counts
		s.Running(sample.Web, sample.Fetch)
		s.Suspend(sample.Web)
		s.ConditionIs(sample.Web, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
		s.ConditionIs(later, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
		if n == 0 {
			s.ConditionIs(tidied, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
			s.ConditionIs(longest, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
			s.ConditionIs(ends, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
			s.ConditionIs(unlimited, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
		}
		s.Settle()
		before := s.Now(sample.Web).Object.Status.SuspendedSeconds
		s.Stop()
		s.Elapse(2*time.Hour, sample.Web, later, between)
		if n == 0 {
			s.Elapse(2*time.Hour, tidied, longest, ends, unlimited)
		}
		s.Start()
		s.Settle()
		goesOn(s, sample.Web, "It has been suspended for two hours, and the deadline of an hour does not count that time.")
		s.OnWrites(kinds.Job.Resource, sample.Web+"/fetch", proxy.Answer500, 3) // it is suspended until its Job is resumed
		s.Resume(sample.Web)
		s.Struck("web is resumed, but your controller has not tried to resume its Job")
		s.Running(sample.Web, sample.Fetch)
		s.ConditionIs(sample.Web, v1alpha1.ConditionSuspended, metav1.ConditionFalse)
		counted(s, sample.Web, before+2*hour)
		if n == 0 {
			losesItsJob(s, tidied)
			hasTheLongest(s, longest)
			endsSuspended(s, ends)
			getsALimit(s, unlimited)
			s.Stop() // the next process has only the status to know it from
			s.Elapse(20*time.Minute, sample.Web)
			s.Start()
			s.Settle()
			goesOn(s, sample.Web, "It has run for 20 minutes, after a suspension of two hours.")
		}
	}
	s.Resume(between)
	s.Running(between, sample.Build)
	s.ConditionIs(between, v1alpha1.ConditionSuspended, metav1.ConditionFalse)
	counted(s, between, 4*hour)
	s.Resume(later)
	s.Running(later, sample.Fetch)
	s.Settle()
	goesOn(s, later, "It was created suspended, and has just started.")
	s.Complete(later, sample.Fetch)
	s.Succeeded(later)

	// It has run for 20 minutes before, and for 50 minutes now.
	s.Settle()
	s.Stop()
	s.Elapse(50*time.Minute, sample.Web)
	s.Start()
	exceeded(s, sample.Web, "F -")
}

// losesItsJob has a user delete the suspended Job of a step that may fail. The run is still suspended, at its next step, and has
// been suspended for two hours.
func losesItsJob(s *scene.Scene, name string) {
	s.Must(s.Driver.Vanish(s.Context(), s.JobOf(name, sample.Fetch)))
	s.StepIs(name, sample.Fetch, v1alpha1.StepFailed)
	s.Settle()
	notDue(s, name, "It has been suspended for two hours. Meanwhile a user deleted the suspended Job of step fetch, which may fail. "+
		"The run is still suspended, so the clock was stopped all along.")
	s.ConditionIs(name, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.Resume(name)
	s.Running(name, sample.Build)
	s.ConditionIs(name, v1alpha1.ConditionSuspended, metav1.ConditionFalse)
	counted(s, name, 2*hour)
}

// endsSuspended has a user delete the suspended Job of a run that was suspended for two hours. So the run ends without being resumed.
func endsSuspended(s *scene.Scene, name string) {
	s.Must(s.Driver.Vanish(s.Context(), s.JobOf(name, sample.Fetch)))
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
	counted(s, name, 2*hour)
}

// getsALimit has a user resume a run that was suspended for two hours, and set its first deadline.
func getsALimit(s *scene.Scene, name string) {
	s.Resume(name)
	s.ConditionIs(name, v1alpha1.ConditionSuspended, metav1.ConditionFalse)
	counted(s, name, 2*hour)
	s.Limit(name, hour)
	s.Settle()
	goesOn(s, name, "It has been suspended for two hours, when it had no deadline. Its deadline of an hour, which a user has set since, does not count that time.")
}

// hasTheLongest has a user resume a run that has the longest deadline, and that was suspended for two hours.
func hasTheLongest(s *scene.Scene, name string) {
	s.Resume(name)
	s.ConditionIs(name, v1alpha1.ConditionSuspended, metav1.ConditionFalse)
	s.Settle()
	goesOn(s, name, fmt.Sprintf("The deadline of %s is the longest that the API allows, %d s. Together with the time for which it was suspended, that is more than "+
		"32 bits can hold.", name, math.MaxInt32))
	s.Complete(name, sample.Fetch)
	s.Succeeded(name)
}

// notDue checks that the status of a run does not say that its deadline has been reached, and says why it must not.
func notDue(s *scene.Scene, name, why string) {
	now := s.Now(name)
	if now.Object == nil {
		s.Find("%s SequentialJob %s is gone.", why, name)
	}
	summary := meta.FindStatusCondition(now.Object.Status.Conditions, v1alpha1.ConditionSucceeded)
	if summary != nil && summary.Reason == v1alpha1.ReasonDeadlineExceeded {
		s.Find("%s Its deadline has not been reached, but its status says: %s.", why, scene.Says(&now.Object.Status))
	}
}

// goesOn checks that a run has not been stopped, and says why it must not.
func goesOn(s *scene.Scene, name, why string) {
	notDue(s, name, why)
	if job := s.Now(name).Job(sample.Fetch); job == nil || job.DeletionTimestamp != nil {
		s.FindJobs("%s Its deadline has not been reached, but the Job of step fetch is gone or about to go (%s).", why, jobOf(job))
	}
}

// counted checks that status.suspendedSeconds is at least so much, and not much more: real time passes too.
func counted(s *scene.Scene, name string, least int64) {
	s.AwaitStatus(name, func(status *v1alpha1.SequentialJobStatus) string {
		const most = hour / 2
		got := status.SuspendedSeconds
		wrong := fmt.Sprintf("%s was suspended for %d s and a little more, but status.suspendedSeconds is %d", name, least, got)
		switch {
		case got < least:
			return wrong
		case got > least+most:
			return wrong + "; a suspension is added once, in the write that ends it (Suspended=False), and not in each attempt to resume the Job"
		}
		return ""
	})
}

// noticed has deadlines pass while nobody looks, and changes them.
func noticed(s *scene.Scene) {
	const (
		events, restarted = "events", "restarted"
		between, blocked  = "between", "blocked"
		raised, lowered   = "raised", "lowered"
		removed, longest  = "removed", "longest"
		added, slow       = "added", "slow"
		vanished          = "vanished"
	)
	s.Start()
	s.Create(events, sample.Steps(sample.Fetch))
	for _, name := range []string{restarted, between, blocked, raised, lowered, removed} {
		s.Create(name, sample.Steps(sample.Fetch, sample.Build), within(hour))
	}
	s.Create(longest, sample.Steps(sample.Fetch, sample.Build), within(math.MaxInt32))
	s.Create(added, sample.Steps(sample.Fetch, sample.Build))
	s.Create(vanished, optional(sample.Steps(sample.Fetch, sample.Build), sample.Fetch), within(hour))
	all := []string{restarted, between, blocked, raised, lowered, removed, longest, added, vanished}
	for _, name := range append([]string{events}, all...) {
		s.Running(name, sample.Fetch)
		s.StepIs(name, sample.Fetch, v1alpha1.StepRunning)
	}
	// An event replaces what the queue was to bring later.
	soon(s, events, 5)
	s.Settle()
	s.User("labels %s", events)
	label(s, events)
	exceeded(s, events, "F")

	s.OnWrites("jobs", blocked+"/build", proxy.Answer500, scene.Many)
	s.Complete(blocked, sample.Fetch)
	s.StepIs(blocked, sample.Fetch, v1alpha1.StepSucceeded)
	s.Struck("step fetch of blocked has succeeded, but your controller has not tried to start step build")
	s.Stop()
	s.Must(s.Driver.Complete(s.Context(), s.JobOf(between, sample.Fetch)))
	s.Elapse(30*time.Minute, raised, lowered, removed, longest, added)
	s.Must(s.Driver.Vanish(s.Context(), s.JobOf(vanished, sample.Fetch)))
	s.Elapse(2*time.Hour, restarted, between, blocked, vanished)
	s.Start()
	exceeded(s, restarted, "F -")
	exceeded(s, between, "S -")
	exceeded(s, blocked, "S -")
	for _, name := range []string{between, blocked} {
		s.OnlyJobsOf(name, "the deadline had been reached between two steps", sample.Fetch)
		neverTried(s, name, sample.Build)
	}
	s.Disarm() // and not before: the last request of the old process may have been on its way
	notStopped(s, vanished)

	s.Limit(raised, 2*hour)
	s.Unlimit(removed)
	s.Limit(lowered, 60)
	s.Limit(added, 60)
	exceeded(s, lowered, "F -")
	exceeded(s, added, "F -")
	s.Settle()
	s.Stop()
	s.Elapse(time.Hour, raised)
	s.Elapse(1000*time.Hour, removed, longest)
	s.Start()
	s.Settle()
	goesOn(s, raised, "Its deadline was raised to two hours, of which one and a half have passed.")
	goesOn(s, removed, "Its deadline was removed before it was reached.")
	goesOn(s, longest, fmt.Sprintf("Its deadline is the longest that the API allows, %d s.", math.MaxInt32))
	for _, name := range []string{raised, removed, longest} {
		s.Complete(name, sample.Fetch, sample.Build)
		s.Succeeded(name)
	}
	s.SameAs(s.JobOf(raised, sample.Build), &sample.ThreeSteps()[1].JobTemplate) // the deadline is the run's, and not the Job's
	whileItIsSuspended(s, slow)
	for _, name := range slices.Concat([]string{events, slow}, all) {
		nothingLeft(s, name)
	}
}

// notStopped waits until the status says what became of step fetch, whose Job a user had deleted while no controller ran. The deadline has passed
// since, but nobody has stopped that Job.
func notStopped(s *scene.Scene, name string) {
	s.StepIs(name, sample.Fetch, v1alpha1.StepFailed)
	if entry := scene.StepIn(&s.Now(name).Object.Status, sample.Fetch); entry.Reason == v1alpha1.ReasonDeadlineExceeded {
		s.Find("While your controller was down, a user deleted the Job of step fetch of %s, and then the deadline passed. No status had said before that the "+
			"run was being stopped, so nobody has stopped that Job. Its entry in the status says: %s.", name, described(entry))
	}
}

// whileItIsSuspended has the deadline pass while the pods of a suspended Job take their time to end. Until they have, nothing
// is suspended, and the time counts.
func whileItIsSuspended(s *scene.Scene, name string) {
	s.Driver.Linger()
	s.Underway(name, sample.Fetch)
	s.Suspend(name)
	s.Needs("the Job controller to end the pods of a suspended Job", func() bool {
		job := s.Now(name).Job(sample.Fetch)
		return job != nil && ptr.Deref(job.Status.Terminating, 0) > 0
	})
	s.Settle()
	soon(s, name, 2)
	exceeded(s, name, "F")
}

// neverHad checks that a step never had a Job, not even one that was stopped.
func neverHad(s *scene.Scene, name, step string) {
	for change, job := range scene.Seen[batchv1.Job](s, kinds.Job.Resource) {
		if owner := metav1.GetControllerOf(job); owner != nil && owner.Name == name && stage.StepOf(job) == step && !s.IsMimic(job) {
			s.FindChange(change, "The deadline of %s had been reached, and then your controller started step %s.", name, step)
		}
	}
}

// neverTried checks that the current process, which has started after the deadline, has not tried to start a step. The API server may
// have refused that.
func neverTried(s *scene.Scene, name, step string) {
	instance, _, _ := s.Current()
	tried := s.Requests(func(r history.Request) bool {
		return r.Write() && r.Instance == instance && r.Call.Resource == kinds.Job.Resource && r.Call.Object == history.Logical(name+"/"+step)
	})
	if len(tried) > 0 {
		s.FindRequests(tried, "The deadline of %s had been reached, and then your controller tried to start step %s.", name, step)
	}
}

// label has a user add a label to an object, which changes nothing of its run.
func label(s *scene.Scene, name string) {
	object := &v1alpha1.SequentialJob{}
	s.Must(s.Client.Get(s.Context(), client.ObjectKey{Namespace: s.Namespace, Name: name}, object))
	changed := object.DeepCopy()
	metav1.SetMetaDataLabel(&changed.ObjectMeta, "example.com/team", "blue")
	s.Must(s.Client.Patch(s.Context(), changed, client.MergeFrom(object)))
}
