package lesson04

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

func fewWrites(s *play) {
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps())
	s.Running(sample.Web, sample.Fetch)
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepRunning)
	s.frugal()
	s.Rest()
	s.Complete(sample.Web, sample.Fetch)
	s.Complete(sample.Web, sample.Build)
	s.Complete(sample.Web, sample.Ship)
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
	s.frugal()
	s.Rest()
	s.Restart()
	s.frugal()
	s.Rest()
}

// frugal waits until the controller is quiet, and sees to it that it has written the status of web no more
// often than a run of three steps takes: for each of them when it is about to begin, when it runs and when it
// is over, and at the run's own ends.
func (s *play) frugal() {
	const most = 3*3 + 2
	s.Until(func() string {
		known := s.createdAs(sample.Web)
		n := 0
		for _, write := range s.StatusWrites(sample.Web) {
			if !write.Succeeded() {
				continue
			}
			if slices.Contains(known, write.ResourceVersion) {
				s.FindAt(finding.Finding{
					What: fmt.Sprintf("Your controller wrote the status of web as it was already: the API server's answer to %s had "+
						"the resourceVersion %d, which the object had before.", write.Call, write.ResourceVersion),
					At: write.Received, Requests: []int{write.ID},
				})
			}
			known = append(known, write.ResourceVersion)
			n++
		}
		if n > most {
			s.Find("Your controller has written the status of web %d times by now, in a run of three steps. One write in each pass that "+
				"finds something new makes no more than %d.", n, most)
		}
		if !s.IsQuiet(stage.Still) {
			return "your controller was still at work"
		}
		return ""
	})
}

// createdAs is the resourceVersion that a SequentialJob was created with.
func (s *play) createdAs(name string) []uint64 {
	for _, change := range s.Log.Run().Changes {
		if change.Resource == scene.SequentialJobs && change.Object.GetName() == name {
			return []uint64{change.ResourceVersion}
		}
	}
	return nil
}

func whatOthersWrote(s *play) {
	const audited, approved = "example.com/Audited", "example.com/Approved"
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps())
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepRunning)
	s.AddCondition(sample.Web, audited)
	s.Complete(sample.Web, sample.Fetch)
	s.StepIs(sample.Web, sample.Build, v1alpha1.StepRunning)
	s.KeptConditions(sample.Web, audited)

	s.Running(sample.Web, sample.Build)
	s.HoldBack(sample.Web)
	s.AddCondition(sample.Web, approved)
	s.Struck("your controller did not watch SequentialJobs")
	writes := len(s.StatusWrites(sample.Web))
	s.Complete(sample.Web, sample.Build)
	s.Until(func() string {
		if len(s.StatusWrites(sample.Web)) == writes && !s.IsQuiet(time.Second) { // it may wait for what is held back
			return "your controller did not write the status when step build was complete"
		}
		return ""
	})
	s.Proxy.Heal()
	s.Complete(sample.Web, sample.Ship)
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
	s.KeptConditions(sample.Web, audited, approved)
}

func onlyTheStatus(s *play) {
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps())
	for _, step := range []string{sample.Fetch, sample.Build, sample.Ship} {
		s.Running(sample.Web, step)
		s.AwaitStatus(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
			s.leftAlone(sample.Web)
			if scene.StepIn(status, step) == nil {
				return fmt.Sprintf("the status of web said nothing of step %s", step)
			}
			return ""
		})
		s.Complete(sample.Web, step)
	}
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
	s.Settle()
	s.leftAlone(sample.Web)
}

// leftAlone sees to it that the controller has not asked to change a SequentialJob other than through /status.
func (s *play) leftAlone(name string) {
	for _, request := range s.Log.Run().Requests {
		if request.Write() && request.Call.Resource == scene.SequentialJobs && request.Object.Name == name {
			s.FindAt(finding.Finding{
				What: fmt.Sprintf("Your controller asked to %s SequentialJob %s itself, and not its status: %s.", request.Call.Verb, name, request.Call),
				At:   request.Received, Requests: []int{request.ID},
			})
		}
	}
}

func afterConflicts(s *play) {
	s.Start()
	s.inConflict(func() { s.Create(sample.Web, sample.ThreeSteps()) })
	s.Running(sample.Web, sample.Fetch)
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepRunning)
	s.inConflict(func() { s.Complete(sample.Web, sample.Fetch) })
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepSucceeded)
	s.Complete(sample.Web, sample.Build)
	s.Running(sample.Web, sample.Ship)
	s.StepIs(sample.Web, sample.Ship, v1alpha1.StepRunning)
	s.inConflict(func() { s.Complete(sample.Web, sample.Ship) })
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
	s.OnlyJobsOf(sample.Web, "all steps were Complete", sample.Fetch, sample.Build, sample.Ship)

	const other = "other"
	s.Create(other, sample.Steps(sample.Fetch))
	s.Running(other, sample.Fetch)
	s.StepIs(other, sample.Fetch, v1alpha1.StepRunning)
	s.atStatusWrite(other, proxy.Answer500, func() { s.Complete(other, sample.Fetch) })
	s.ConditionIs(other, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
}

// inConflict has something happen, and somebody else change web right before the controller's next write of
// its status.
func (s *play) inConflict(happen func()) { s.atStatusWrite(sample.Web, proxy.Conflict, happen) }

// atStatusWrite has something happen, and the controller's next write of a SequentialJob's status struck.
func (s *play) atStatusWrite(name string, action proxy.Action, happen func()) {
	faults := len(s.Log.Run().Faults)
	s.OnStatusWrites(name, action, 1)
	happen()
	s.Until(func() string {
		if len(s.Log.Run().Faults) == faults {
			return "the status of " + name + " was not written"
		}
		return ""
	})
	s.Proxy.Disarm()
}
