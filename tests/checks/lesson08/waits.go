package lesson08

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// neverShown has a Job come and go, and an object be replaced, while the watch that would show it is interrupted.
func neverShown(s *scene.Scene) {
	const other, swapped = "other", "swapped"
	s.Patience *= 3 // a controller that waits for an event chooses the limit
	s.FromHere()
	s.Start()

	s.HoldNext("ADDED", kinds.Job.Resource, jobOf(sample.Web, sample.Fetch))
	s.Create(sample.Web, sample.Steps(sample.Fetch, sample.Build))
	s.Struck("your controller has not created the Job of step fetch of web")
	job := s.Running(sample.Web, sample.Fetch) // a controller may create it suspended, and record it first
	s.Settle()
	s.Fault("hold, cut, 410: DELETED jobs web/fetch #1")
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Struck("your controller does not watch Jobs")
	s.Proxy.Heal()
	s.Create(other, sample.Steps(sample.Fetch, sample.Build)) // which has nothing to wait for
	s.Complete(other, sample.Fetch, sample.Build)
	s.Succeeded(other)
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonJobDeleted)

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
