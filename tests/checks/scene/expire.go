package scene

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// expireWatches interrupts the controller's watches, each time until they can't continue from where they were. So a client
// lists again, and sees only what has become of the objects meanwhile: a Job that it has never seen is complete already, a
// Job is gone, an object is another one of the same name.
func (s *Scene) expireWatches() {
	const overlooked, lost = "overlooked", "lost"
	const unheard = "your controller does not watch Jobs"
	s.spareReads()
	unseen := "ADDED"
	if s.reports { // its own status write may trigger a reconcile, and until lesson 8 it may not know a Job that it can't see
		unseen = "MODIFIED"
	}
	lostJob := s.Underway(lost, sample.Fetch)
	s.Fault("hold, cut, 410: " + unseen + " jobs overlooked/fetch #1")
	s.Create(overlooked, sample.Steps(sample.Fetch, sample.Build))
	s.Complete(overlooked, sample.Fetch)
	s.Struck(unheard)
	if s.reports { // before lesson 4, nothing says what becomes of a run whose Job is gone
		s.Must(s.Driver.Vanish(s.Context(), lostJob))
	}
	s.Proxy.Heal() // one interruption for both: a client waits longer before each list
	s.Running(overlooked, sample.Build)
	if s.reports {
		s.ConditionIs(lost, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
	}
	s.handOver()
}

// handOver has a user replace another controller's SequentialJob by one of ours, while the watch of SequentialJobs is
// interrupted. The generation of both is 1.
func (s *Scene) handOver() {
	const handed = "handed"
	s.Create(handed, sample.Steps(sample.Fetch), func(object *v1alpha1.SequentialJob) { object.Spec.ManagedBy = new("example.com/another") })
	s.Settle()
	s.Fault("hold, cut, 410: DELETED sequentialjobs handed #1")
	s.Delete(handed, metav1.DeletePropagationBackground)
	s.Await(handed, func(w stage.World) string {
		if w.Object != nil {
			return handed + " was deleted, and is still there"
		}
		return ""
	})
	s.Create(handed, sample.Steps(sample.Fetch))
	s.Struck("your controller does not watch SequentialJobs")
	s.Proxy.Heal()
	s.Running(handed, sample.Fetch)
}
