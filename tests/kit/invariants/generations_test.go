package invariants_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestGenerations(t *testing.T) {
	edit := func(*v1alpha1.SequentialJobSpec) {}
	// observes lets the controller write the generations of the status and of a condition.
	observes := func(status, condition int64) func(*v1alpha1.SequentialJobStatus) {
		return func(s *v1alpha1.SequentialJobStatus) {
			s.ObservedGeneration = status
			meta.SetStatusCondition(&s.Conditions, metav1.Condition{
				Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, ObservedGeneration: condition,
			})
		}
	}
	runTests(t, "I7", map[string]test{
		"kept up":                         holds(newStory().status(observes(1, 1)).edit(edit).status(observes(2, 2)).atRest()),
		"stale for now":                   holds(newStory().status(observes(1, 1)).edit(edit)),
		"none, no status":                 holds(newStory().edit(edit).atRest()),
		"none in conditions":              holds(newStory().status(observes(1, 0)).atRest(), "that of a condition is optional"),
		"stale at the end, gone":          holds(newStory().status(observes(1, 1)).edit(edit).remove("web").atRest()),
		"stale at the end, being deleted": holds(newStory().status(observes(1, 1)).mark("web").atRest()),
		"a condition goes and comes back": holds(newStory().status(observes(1, 1)).
			status(func(s *v1alpha1.SequentialJobStatus) { s.Conditions = nil }).status(observes(1, 0))),
		"another SequentialJob of that name": holds(newStory().edit(edit).status(observes(2, 2)).remove("web").
			sequence("web", nil).status(observes(1, 1)).atRest()),

		"status ahead": breaks(newStory().status(observes(2, 1)).edit(edit).status(observes(2, 2)),
			"status.observedGeneration is 2, ahead of metadata.generation, which is 1"),
		"condition ahead": breaks(newStory().status(observes(1, 2)), "observedGeneration of the condition Succeeded is 2, ahead"),
		"status went back": breaks(newStory().edit(edit).status(observes(2, 2)).status(observes(1, 2)),
			"status.observedGeneration went back from 2 to 1"),
		"condition went back": breaks(newStory().edit(edit).status(observes(2, 2)).status(observes(2, 0)),
			"observedGeneration of the condition Succeeded went back from 2 to 0"),
		"stale at rest": breaks(newStory().status(observes(1, 1)).edit(edit).atRest(),
			"at rest, status.observedGeneration is 1 and metadata.generation 2", "at rest, observedGeneration of the condition Succeeded is 1"),
		"conditions without a generation of the status": breaks(newStory().status(observes(0, 0)).atRest(),
			"at rest, status.observedGeneration is 0"),
	})
}
