package lesson06

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// keptFor sets how long an object that is created is kept after its end.
func keptFor(seconds int32) func(*v1alpha1.SequentialJob) {
	return func(object *v1alpha1.SequentialJob) { object.Spec.TTLSecondsAfterFinished = &seconds }
}

// timeToLive has runs end that are kept for different times.
func timeToLive(s *scene.Scene) {
	const (
		soon, atOnce   = "soon", "at-once"
		kept, forever  = "kept", "forever"
		longest, later = "longest", "later"
		raised, stays  = "raised", "stays"
		suspendedRun   = "suspended"
		slow, idle     = "slow", "idle"
		theirs, both   = "theirs", "both"
		halted         = "halted"
	)
	s.Start()
	hours := int32(hour)
	s.Create(soon, sample.Steps(sample.Fetch), keptFor(2))
	s.Create(both, sample.Steps(sample.Fetch), keptFor(2), within(hour))
	s.Create(atOnce, sample.ThreeSteps(), keptFor(0))
	s.Create(kept, sample.Steps(sample.Fetch, sample.Build), keptFor(hours))
	s.Create(raised, sample.Steps(sample.Fetch), keptFor(hours))
	s.Create(slow, sample.Steps(sample.Fetch), keptFor(hours))
	s.Create(halted, sample.Steps(sample.Fetch), keptFor(hours))
	s.Create(longest, sample.Steps(sample.Fetch), keptFor(math.MaxInt32))
	s.Create(forever, sample.Steps(sample.Fetch))
	s.Create(later, sample.Steps(sample.Fetch))
	s.Create(stays, sample.Steps(sample.Fetch), keptFor(0))
	s.Create(idle, sample.Steps(sample.Fetch, sample.Build), keptFor(hours), within(hour))
	s.Create(suspendedRun, sample.Steps(sample.Fetch), keptFor(0), func(object *v1alpha1.SequentialJob) { object.Spec.Suspend = new(true) })

	endedElsewhere(s, theirs)
	for _, name := range []string{soon, both, raised, longest, forever, later, halted} {
		s.Complete(name, sample.Fetch)
	}
	s.Complete(kept, sample.Fetch)
	s.Fail(kept, sample.Build)
	s.Fail(atOnce, sample.Fetch)
	for _, name := range []string{slow, stays} {
		s.Running(name, sample.Fetch)
		s.StepIs(name, sample.Fetch, v1alpha1.StepRunning)
	}
	s.ConditionIs(suspendedRun, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	isGone(s, atOnce)
	endedFirst(s, atOnce)
	isGone(s, soon)
	notBefore(s, soon, 2)
	s.Tell("Its deadline is an hour. A run that has ended has no deadline any more: only its time to live is left to wait for.")
	isGone(s, both)
	s.Tell("")

	for _, name := range []string{raised, longest, forever, later, halted} {
		s.Succeeded(name)
	}
	s.ConditionIs(kept, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
	s.Keep(raised, new(2*hours))
	s.Suspend(halted)                              // which has no effect on a run that has ended
	keepsJobs(s, kept, sample.Fetch, sample.Build) // until it goes itself
	s.OnWrites(kinds.Job.Resource, idle+"/build", proxy.Answer500, scene.Many)
	s.Complete(idle, sample.Fetch)
	s.StepIs(idle, sample.Fetch, v1alpha1.StepSucceeded)
	s.Struck("step fetch of idle has succeeded, but your controller has not tried to start step build")
	s.Stop()
	s.Elapse(90*time.Minute, kept, raised, stays, suspendedRun, slow, idle)
	s.Elapse(1000*time.Hour, longest, forever, later)
	s.OnWrites(kinds.SequentialJob.Resource, kept, proxy.Answer500, 2)
	s.Start()
	isGone(s, kept)
	s.Disarm() // and not before: the last request of the old process may have been on its way
	endsLate(s, idle)
	keepALittle(s, idle)
	keepALittle(s, halted)
	s.Keep(later, new(int32(0)))
	isGone(s, later)
	s.Complete(slow, sample.Fetch)
	s.Succeeded(slow)
	s.Settle()
	isKept(s, slow, "Its time to live is an hour. Its run has taken one and a half, and has just ended.")
	isKept(s, raised, "Its time to live is two hours, of which one and a half have passed.")
	isKept(s, longest, fmt.Sprintf("Its time to live is the longest that the API allows, %d s.", math.MaxInt32))
	isKept(s, forever, "It has no time to live.")
	isKept(s, stays, "Its run has not finished.")
	isKept(s, suspendedRun, "Its run has not finished: it is suspended.")
	isKept(s, theirs, "SequentialJob theirs has spec.managedBy: example.com/another. Its time to live has passed, but only that controller may delete it.")
	s.LeftAlone(theirs)
	keepsJobs(s, forever, sample.Fetch)
	s.Complete(stays, sample.Fetch)
	isGone(s, stays)
	s.Tell("Its deadline had passed before. A run that has ended has no deadline any more: only its time to live is left to wait for.")
	isGone(s, idle)
	s.Tell("A user has set spec.suspend of it since its run ended. That has no effect on a run that has ended.")
	isGone(s, halted)
	s.Tell("")
}

// endedElsewhere creates a SequentialJob that another controller has run, up to its deadline. Its time to live is 0.
func endedElsewhere(s *scene.Scene, name string) {
	s.Create(name, sample.Steps(sample.Fetch), within(1), keptFor(0), func(object *v1alpha1.SequentialJob) {
		object.Spec.ManagedBy = new("example.com/another")
	})
	s.User("has another controller record that %s has ended at its deadline", name)
	s.EditStatus(name, func(status *v1alpha1.SequentialJobStatus) {
		now := metav1.Now()
		*status = v1alpha1.SequentialJobStatus{
			ObservedGeneration: 1, StartTime: &now, CompletionTime: &now,
			Conditions: []metav1.Condition{{
				Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonDeadlineExceeded,
				Message: "the deadline had passed before the first step", LastTransitionTime: now,
			}},
		}
	})
}

// keepALittle has a user shorten the time to live of a run that has ended, so that it passes some seconds from now.
func keepALittle(s *scene.Scene, name string) {
	const seconds = 5
	status := s.Now(name).Object.Status
	if status.CompletionTime == nil {
		s.Find("The run of %s has ended, and its status has no completionTime, from which its time to live counts. The status says: %s.", name, scene.Says(&status))
	}
	passed := time.Since(status.CompletionTime.Time)
	s.Keep(name, new(int32(passed/time.Second)+seconds))
}

// endsLate waits until a run has ended at its deadline, one and a half hours after its last Job, and checks that its time to live
// of an hour begins then.
func endsLate(s *scene.Scene, name string) {
	s.Await(name, func(w stage.World) string {
		if w.Object == nil || scene.HasEnded(&w.Object.Status) {
			return ""
		}
		return fmt.Sprintf("the deadline of %s had passed before its second step. The status does not say that the run has ended", name)
	})
	s.Settle()
	isKept(s, name, "Its time to live is an hour. Its only Job had completed one and a half hours before, but its run has just ended, at its deadline.")
	exceeded(s, name, "S -")
}

// isGone waits until an object and its Jobs are gone.
func isGone(s *scene.Scene, name string) {
	s.Await(name, func(w stage.World) string {
		switch {
		case w.Object != nil && w.Object.DeletionTimestamp != nil:
			return fmt.Sprintf("SequentialJob %s is being deleted, and still exists", name)
		case w.Object != nil:
			return fmt.Sprintf("the time to live of SequentialJob %s has passed, but it still exists. Its status says: %s", name, scene.Says(&w.Object.Status))
		}
		if left := leftBehind(s, name); left != "" {
			return fmt.Sprintf("SequentialJob %s is gone, but its Jobs are still there: %s", name, left)
		}
		return ""
	})
}

// leftBehind lists the Jobs that SequentialJobs of a name have controlled, and that still exist.
func leftBehind(s *scene.Scene, name string) string {
	owners, theirs := map[types.UID]bool{}, map[types.UID]bool{}
	for _, object := range scene.Seen[v1alpha1.SequentialJob](s, kinds.SequentialJob.Resource) {
		owners[object.UID] = owners[object.UID] || object.Name == name
	}
	var left []string
	for _, job := range scene.Seen[batchv1.Job](s, kinds.Job.Resource) {
		if owner := metav1.GetControllerOf(job); owner != nil && owners[owner.UID] {
			theirs[job.UID] = true
		}
	}
	for _, object := range s.Observer.Objects()[kinds.Job.Resource] {
		if theirs[object.GetUID()] {
			left = append(left, object.GetName())
		}
	}
	slices.Sort(left)
	return strings.Join(left, ", ")
}

// isKept checks that an object still exists, and says why it must.
func isKept(s *scene.Scene, name, why string) {
	if now := s.Now(name); now.Object == nil || now.Object.DeletionTimestamp != nil {
		s.Find("%s SequentialJob %s is gone, or about to go.", why, name)
	}
}

// keepsJobs checks that the Jobs of a finished run are still there.
func keepsJobs(s *scene.Scene, name string, steps ...string) {
	s.OnlyJobsOf(name, fmt.Sprintf("%s had finished", name), steps...)
}

// endedFirst checks that the last status of an object said how its run had ended.
func endedFirst(s *scene.Scene, name string) {
	versions := s.Versions(name)
	if len(versions) == 0 {
		s.Find("SequentialJob %s is gone, and it never had a status.", name)
	}
	last := versions[len(versions)-1]
	for _, condition := range last.Status.Conditions {
		if condition.Type == v1alpha1.ConditionSucceeded && condition.Status != metav1.ConditionUnknown {
			return
		}
	}
	s.FindIn(last, "SequentialJob %s was deleted before its status said how the run had ended. Nobody can have seen that.", name)
}

// notBefore checks that an object was not deleted too early.
func notBefore(s *scene.Scene, name string, seconds int64) {
	versions := s.Versions(name)
	ended := versions[len(versions)-1].Status.CompletionTime
	if ended == nil {
		s.FindIn(versions[len(versions)-1], "SequentialJob %s was deleted before its status had a completionTime.", name)
	}
	for _, r := range s.Requests(func(r history.Request) bool {
		return r.Call.Verb == "delete" && r.Call.Resource == kinds.SequentialJob.Resource && r.Object.Name == name
	}) {
		if due := ended.Add(time.Duration(seconds) * time.Second); s.Log.When(r.Received).Before(due) {
			s.FindRequests([]history.Request{r}, "The run of %s ended at %s, and ttlSecondsAfterFinished is %d. Your controller deleted it at %s, which is too early.",
				name, scene.Clock(*ended), seconds, scene.Clock(metav1.NewTime(s.Log.When(r.Received))))
		}
	}
}

// onlyWhatWasRead has an object change, and another one take its name, right before the controller deletes it.
func onlyWhatWasRead(s *scene.Scene) {
	const decided = "decided"
	s.Start()
	s.Create(decided, sample.Steps(sample.Fetch))
	s.Complete(decided, sample.Fetch)
	s.Succeeded(decided)
	s.Settle()
	s.OnWrites(kinds.SequentialJob.Resource, decided, proxy.Answer500, scene.Many)
	s.Keep(decided, new(int32(0)))
	s.Struck(fmt.Sprintf("the time to live of %s has passed, but your controller has not tried to delete it", decided))
	s.HoldBack(decided)
	from := s.Log.Now()
	s.Keep(decided, new(int32(86400)))
	s.Struck("your controller does not watch SequentialJobs")
	s.Disarm()
	accepted := func() []history.Request {
		return s.Requests(func(r history.Request) bool { return r.Object.Name == decided && r.Received > from && r.Fault == 0 })
	}
	missing := fmt.Sprintf("the API server accepts deletions of %s again, but your controller has not retried", decided)
	retried := s.Comes(missing, func() bool {
		return slices.ContainsFunc(accepted(), func(r history.Request) bool { return r.Call.Verb == "delete" })
	})
	if !retried && len(accepted()) == 0 { // one that has read it again since may know better
		s.FindAbout(decided, "The API server accepts deletions of %s again, but your controller has not retried.", decided)
	}
	s.Settle()
	isKept(s, decided, "A user had decided to keep it for a day, and your controller had not received that event yet. Nothing in its request "+
		"required that the object was still as it was read.")
	s.Proxy.Heal()
	s.Settle()
	isKept(s, decided, "A user had decided to keep it for a day.")

	s.OnWrites(kinds.SequentialJob.Resource, decided, proxy.ArriveLate, 1)
	s.Keep(decided, new(int32(0)))
	s.Struck(fmt.Sprintf("the time to live of %s has passed, but your controller has not tried to delete it", decided))
	s.Keep(decided, new(int32(86400)))
	s.Proxy.Heal()
	s.Settle()
	isKept(s, decided, "While your controller's request to delete it was on its way to the API server, a user decided to keep it for a day. Nothing in the "+
		"request required that the object was still as it was read.")

	s.OnWrites(kinds.SequentialJob.Resource, sample.Web, proxy.ReplaceFirst, 1)
	s.Create(sample.Web, sample.Steps(sample.Fetch, sample.Build), keptFor(0))
	before := s.Running(sample.Web, sample.Fetch)
	owner := metav1.GetControllerOf(before).UID
	s.Complete(sample.Web, sample.Fetch, sample.Build)
	s.Struck("the time to live of web has passed, but your controller has not tried to delete it")
	s.Until(func() string {
		for change, object := range scene.Seen[v1alpha1.SequentialJob](s, kinds.SequentialJob.Resource) {
			if object.Name == sample.Web && object.UID != owner && change.Type == "DELETED" && !scene.HasEnded(&object.Status) {
				s.FindChange(change, "Right before your controller deleted web, a user had deleted it and created another one of this name. Your "+
					"controller's request deleted the new one, whose run had not finished: nothing in the request named the object that it was for.")
			}
		}
		now := s.Now(sample.Web)
		if now.Object == nil || now.Object.UID == owner || now.Running(sample.Fetch) == nil {
			return "the new web has no Job that runs; it needs one for step fetch"
		}
		return ""
	})
	s.Complete(sample.Web, sample.Fetch, sample.Build)
	isGone(s, sample.Web)
}
