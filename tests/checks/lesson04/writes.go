package lesson04

import (
	"fmt"
	"slices"
	"time"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
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
	s.Create(other, sample.Steps(sample.Fetch))
	s.Running(other, sample.Fetch)
	s.StepIs(other, sample.Fetch, v1alpha1.StepRunning)
	atStatusWrite(s, other, proxy.Answer500, func() { s.Complete(other, sample.Fetch) })
	s.Succeeded(other)
}

// inConflict has something happen, and has another client change web right before the controller's next status write.
func inConflict(s *scene.Scene, happen func()) { atStatusWrite(s, sample.Web, proxy.Conflict, happen) }

// atStatusWrite has something happen, and has a fault strike the controller's next write of a status.
func atStatusWrite(s *scene.Scene, name string, action proxy.Action, happen func()) {
	s.OnWrites(scene.SequentialJobStatus, name, action, 1)
	happen()
	s.Struck("your controller has not tried to write the status of " + name)
}
