package checks

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/stage"
)

func fewWrites(s *Scene) {
	s.Start()
	s.Create(web, threeSteps())
	s.Running(web, fetch)
	s.StepIs(web, fetch, v1alpha1.StepRunning)
	s.frugal()
	s.Rest()
	s.Complete(web, fetch)
	s.Complete(web, build)
	s.Complete(web, ship)
	s.ConditionIs(web, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
	s.frugal()
	s.Rest()
	s.Restart()
	s.frugal()
	s.Rest()
}

// frugal waits until the controller is quiet, and sees to it that it has written the status of web no more
// often than a run of three steps takes: for each of them when it is about to begin, when it runs and when it
// is over, and at the run's own ends.
func (s *Scene) frugal() {
	const most = 3*3 + 2
	s.until(func() string {
		known := s.createdAs(web)
		n := 0
		for _, write := range s.StatusWrites(web) {
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
func (s *Scene) createdAs(name string) []uint64 {
	for _, change := range s.Log.Run().Changes {
		if change.Resource == sequentialJobs && change.Object.GetName() == name {
			return []uint64{change.ResourceVersion}
		}
	}
	return nil
}

func whatOthersWrote(s *Scene) {
	const audited, approved = "example.com/Audited", "example.com/Approved"
	s.Start()
	s.Create(web, threeSteps())
	s.StepIs(web, fetch, v1alpha1.StepRunning)
	s.addCondition(web, audited)
	s.Complete(web, fetch)
	s.StepIs(web, build, v1alpha1.StepRunning)
	s.keptConditions(web, audited)

	s.Running(web, build)
	s.HoldBack(web)
	s.addCondition(web, approved)
	s.Struck("your controller did not watch SequentialJobs")
	writes := len(s.StatusWrites(web))
	s.Complete(web, build)
	s.until(func() string {
		if len(s.StatusWrites(web)) == writes && !s.IsQuiet(time.Second) { // it may wait for what is held back
			return "your controller did not write the status when step build was complete"
		}
		return ""
	})
	s.Proxy.Heal()
	s.Complete(web, ship)
	s.ConditionIs(web, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
	s.keptConditions(web, audited, approved)
}

func onlyTheStatus(s *Scene) {
	s.Start()
	s.Create(web, threeSteps())
	for _, step := range []string{fetch, build, ship} {
		s.Running(web, step)
		s.AwaitStatus(web, func(status *v1alpha1.SequentialJobStatus) string {
			s.leftAlone(web)
			if stepIn(status, step) == nil {
				return fmt.Sprintf("the status of web said nothing of step %s", step)
			}
			return ""
		})
		s.Complete(web, step)
	}
	s.ConditionIs(web, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
	s.Settle()
	s.leftAlone(web)
}

// leftAlone sees to it that the controller has not asked to change a SequentialJob other than through /status.
func (s *Scene) leftAlone(name string) {
	for _, request := range s.Log.Run().Requests {
		if request.Write() && request.Call.Resource == sequentialJobs && request.Object.Name == name {
			s.FindAt(finding.Finding{
				What: fmt.Sprintf("Your controller asked to %s SequentialJob %s itself, and not its status: %s.", request.Call.Verb, name, request.Call),
				At:   request.Received, Requests: []int{request.ID},
			})
		}
	}
}

func afterConflicts(s *Scene) {
	s.Start()
	s.inConflict(func() { s.Create(web, threeSteps()) })
	s.Running(web, fetch)
	s.StepIs(web, fetch, v1alpha1.StepRunning)
	s.inConflict(func() { s.Complete(web, fetch) })
	s.StepIs(web, fetch, v1alpha1.StepSucceeded)
	s.Complete(web, build)
	s.Running(web, ship)
	s.StepIs(web, ship, v1alpha1.StepRunning)
	s.inConflict(func() { s.Complete(web, ship) })
	s.ConditionIs(web, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
	s.only(web, "all steps were Complete", fetch, build, ship)

	const other = "other"
	s.Create(other, steps(fetch))
	s.Running(other, fetch)
	s.StepIs(other, fetch, v1alpha1.StepRunning)
	s.atStatusWrite(other, proxy.Answer500, func() { s.Complete(other, fetch) })
	s.ConditionIs(other, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
}

// inConflict has something happen, and somebody else change web right before the controller's next write of
// its status.
func (s *Scene) inConflict(happen func()) { s.atStatusWrite(web, proxy.Conflict, happen) }

// atStatusWrite has something happen, and the controller's next write of a SequentialJob's status struck.
func (s *Scene) atStatusWrite(name string, action proxy.Action, happen func()) {
	faults := len(s.Log.Run().Faults)
	s.OnStatusWrite(name, action)
	happen()
	s.until(func() string {
		if len(s.Log.Run().Faults) == faults {
			return "the status of " + name + " was not written"
		}
		return ""
	})
	s.Proxy.Disarm()
}
