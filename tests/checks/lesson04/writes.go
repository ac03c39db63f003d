package lesson04

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

func fewWrites(s *scene.Scene) {
	s.Begin()
	s.Running(sample.Web, sample.Fetch)
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepRunning)
	frugal(s)
	s.Rest()
	s.Complete(sample.Web, sample.Fetch, sample.Build, sample.Ship)
	s.Succeeded(sample.Web)
	frugal(s)
	s.Rest()
	s.Restart()
	frugal(s)
	s.Rest()
}

// frugal waits until the controller is quiet, and checks that it has not written the status of web more often than a
// run of three steps takes: before each step starts, when it runs and when it has finished, and at both ends of the run.
func frugal(s *scene.Scene) {
	const most = 3*3 + 2
	s.Until(func() string {
		var known []uint64
		for _, change := range s.Log.Run().Changes {
			if change.Resource == kinds.SequentialJob.Resource {
				known = append(known, change.ResourceVersion) // as it was created
				break
			}
		}
		writes := slices.DeleteFunc(s.StatusWrites(sample.Web), func(r history.Request) bool { return !r.Succeeded() })
		for _, write := range writes {
			if slices.Contains(known, write.ResourceVersion) {
				s.FindRequests([]history.Request{write}, "Your controller wrote the status of web without changing it: the response to %s "+
					"has the resourceVersion %d, which the object had before.", write.Call, write.ResourceVersion)
			}
			known = append(known, write.ResourceVersion)
		}
		if len(writes) > most {
			s.Find("Your controller has written the status of web %d times in a run of three steps. One write in each reconcile that "+
				"finds something new adds up to %d at most.", len(writes), most)
		}
		return s.AtWork()
	})
}

func whatOthersWrote(s *scene.Scene) {
	const audited, approved = "example.com/Audited", "example.com/Approved"
	s.Begin()
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepRunning)
	s.AddCondition(sample.Web, audited)
	s.Complete(sample.Web, sample.Fetch)
	s.StepIs(sample.Web, sample.Build, v1alpha1.StepRunning)
	s.KeptConditions(sample.Web, audited)

	s.Running(sample.Web, sample.Build)
	s.HoldBack(sample.Web)
	s.AddCondition(sample.Web, approved)
	s.Struck("your controller does not watch SequentialJobs")
	writes := len(s.StatusWrites(sample.Web))
	s.Complete(sample.Web, sample.Build)
	s.Until(func() string {
		if len(s.StatusWrites(sample.Web)) == writes && !s.IsQuiet(time.Second) { // it may wait for the event that is held back
			return "your controller has not written the status since step build is Complete"
		}
		return ""
	})
	s.Proxy.Heal()
	s.Complete(sample.Web, sample.Ship)
	s.Succeeded(sample.Web)
	s.KeptConditions(sample.Web, audited, approved)
	gated(s)
	gatedFirst(s)
	edited(s)
	corrected(s)
}

// gatedFirst has another client add a condition right before the controller's first write of a status: as a gate does that
// waits for new objects.
func gatedFirst(s *scene.Scene) {
	const first = "gated-first"
	s.OnWrites(scene.SequentialJobStatus, first, proxy.ConditionFirst, 1)
	s.Create(first, sample.Steps(sample.Fetch))
	s.Complete(first, sample.Fetch)
	s.Succeeded(first)
	s.Disarm()
	s.KeptConditions(first, proxy.ForeignCondition)
}

// gated has another client add a condition right before a write of the status, later than anything that the controller has
// read.
func gated(s *scene.Scene) {
	const gated = "gated"
	job := s.Underway(gated, sample.Fetch)
	s.Settle()
	s.OnWrites(scene.SequentialJobStatus, gated, proxy.ConditionFirst, 1)
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Succeeded(gated)
	s.Disarm()
	s.KeptConditions(gated, proxy.ForeignCondition)
}

// edited has a user edit what the controller has written: kubectl edit --subresource=status. The controller must not stop
// at that, whichever way it writes.
func edited(s *scene.Scene) {
	const edited = "edited"
	job := s.Underway(edited, sample.Fetch)
	s.Settle()
	s.User("edits progress and the message of the condition Succeeded in the status of %s", edited)
	s.EditStatus(edited, func(status *v1alpha1.SequentialJobStatus) {
		status.Progress = "edited"
		if summary := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded); summary != nil {
			summary.Message = "edited"
		}
	})
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Succeeded(edited)
	s.AwaitStatus(edited, func(status *v1alpha1.SequentialJobStatus) string {
		if status.Progress == "edited" {
			return "a user had edited status.progress of edited, and it still says that"
		}
		return ""
	})
}

// corrected has a user set a step that failed to Succeeded. The run has ended, and stays ended.
func corrected(s *scene.Scene) {
	const corrected = "corrected"
	s.Create(corrected, sample.Steps(sample.Fetch, sample.Build))
	s.Fail(corrected, sample.Fetch)
	s.ConditionIs(corrected, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
	s.StepIs(corrected, sample.Fetch, v1alpha1.StepFailed)
	s.Settle()
	s.User("sets step fetch to Succeeded in the status of %s", corrected)
	s.EditStatus(corrected, func(status *v1alpha1.SequentialJobStatus) {
		scene.StepIn(status, sample.Fetch).State = v1alpha1.StepSucceeded
	})
	s.Settle()
	s.ConditionIs(corrected, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
	s.OnlyJobsOf(corrected, "it had failed, and a user had set the step that failed to Succeeded", sample.Fetch)
}

func onlyTheStatus(s *scene.Scene) {
	s.Begin()
	for _, step := range []string{sample.Fetch, sample.Build, sample.Ship} {
		s.Running(sample.Web, step)
		s.AwaitStatus(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
			leftAlone(s, sample.Web)
			if scene.StepIn(status, step) == nil {
				return fmt.Sprintf("the status of web has no entry for step %s", step)
			}
			return ""
		})
		s.Complete(sample.Web, step)
	}
	s.Succeeded(sample.Web)
	s.Settle()
	leftAlone(s, sample.Web)
}

// leftAlone checks that the controller has not tried to write a SequentialJob other than through /status.
func leftAlone(s *scene.Scene, name string) {
	writes := s.Requests(func(r history.Request) bool {
		return r.Write() && r.Call.Resource == kinds.SequentialJob.Resource && r.Object.Name == name
	})
	if len(writes) > 0 {
		s.FindRequests(writes[:1], "Your controller sent a request to %s SequentialJob %s itself, not its status: %s.",
			writes[0].Call.Verb, name, writes[0].Call)
	}
}

func afterConflicts(s *scene.Scene) {
	s.Start()
	inConflict(s, func() { s.Create(sample.Web, sample.ThreeSteps()) })
	s.Running(sample.Web, sample.Fetch)
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepRunning)
	inConflict(s, func() { s.Complete(sample.Web, sample.Fetch) })
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepSucceeded)
	s.Complete(sample.Web, sample.Build)
	s.Running(sample.Web, sample.Ship)
	s.StepIs(sample.Web, sample.Ship, v1alpha1.StepRunning)
	inConflict(s, func() { s.Complete(sample.Web, sample.Ship) })
	s.Succeeded(sample.Web)
	s.OnlyJobsOf(sample.Web, "all steps were Complete", sample.Fetch, sample.Build, sample.Ship)

	const other = "other"
	s.Underway(other, sample.Fetch)
	atStatusWrite(s, other, proxy.Answer500, func() { s.Complete(other, sample.Fetch) })
	s.Succeeded(other)
	replaced(s)
}

// replaced has a user replace a SequentialJob by another one of its name right before the controller writes that a step has
// succeeded. What was observed is not true of the new one.
func replaced(s *scene.Scene) {
	const replaced = "replaced"
	s.Underway(replaced, sample.Fetch, sample.Build)
	s.Settle()
	before := s.Now(replaced).Object.UID
	atStatusWrite(s, replaced, proxy.ReplaceFirst, func() { s.Complete(replaced, sample.Fetch) })
	s.Await(replaced, func(w stage.World) string {
		if w.Object == nil || w.Object.UID == before || w.Running(sample.Fetch) == nil {
			return "a user has replaced the SequentialJob replaced by another one of its name, and step fetch of that does not run"
		}
		return ""
	})
	s.OnlyJobsOf(replaced, "it had been replaced by another one of its name", sample.Fetch)
	s.Complete(replaced, sample.Fetch, sample.Build)
	s.Succeeded(replaced)
}

// inConflict has something happen, and has another client change web right before the controller's next status write.
func inConflict(s *scene.Scene, happen func()) { atStatusWrite(s, sample.Web, proxy.Conflict, happen) }

// atStatusWrite has something happen, and has a fault strike the controller's next write of a status.
func atStatusWrite(s *scene.Scene, name string, action proxy.Action, happen func()) {
	s.OnWrites(scene.SequentialJobStatus, name, action, 1)
	happen()
	s.Struck("your controller has not tried to write the status of " + name)
}
