package invariants_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/invariants"
)

func TestGenerations(t *testing.T) {
	edit := func(*v1alpha1.SequentialJobSpec) {}
	// observes lets the controller write the generations of the status and of a condition.
	observes := func(status, condition int64) func(*v1alpha1.SequentialJobStatus) {
		return func(s *v1alpha1.SequentialJobStatus) {
			s.ObservedGeneration = status
			setCondition(s, metav1.Condition{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, ObservedGeneration: condition})
		}
	}
	atRest := invariants.Options{AtRest: true}

	runTests(t, "I7", map[string]test{
		"kept up":         {story: newStory().status(observes(1, 1)).edit(edit).status(observes(2, 2)), options: atRest},
		"behind for now":  {story: newStory().status(observes(1, 1)).edit(edit)},
		"none, no status": {story: newStory().edit(edit), options: atRest},
		"none in conditions": {
			story: newStory().status(observes(1, 0)), options: atRest,
			reason: "that of a condition is optional",
		},
		"behind at the end, gone":          {story: newStory().status(observes(1, 1)).edit(edit).remove("web"), options: atRest},
		"behind at the end, being deleted": {story: newStory().status(observes(1, 1)).mark("web"), options: atRest},
		"a condition goes and comes back": {
			story: newStory().status(observes(1, 1)).status(func(s *v1alpha1.SequentialJobStatus) { s.Conditions = nil }).status(observes(1, 0)),
		},
		"another SequentialJob of that name": {
			story: newStory().edit(edit).status(observes(2, 2)).remove("web").sequence("web", nil).status(observes(1, 1)), options: atRest,
		},

		"status ahead": {
			story: newStory().status(observes(2, 1)).edit(edit).status(observes(2, 2)),
			want:  []string{"status.observedGeneration is 2, ahead of metadata.generation, which is 1"},
		},
		"condition ahead": {
			story: newStory().status(observes(1, 2)),
			want:  []string{"observedGeneration of the condition Succeeded is 2, ahead"},
		},
		"status went back": {
			story: newStory().edit(edit).status(observes(2, 2)).status(observes(1, 2)),
			want:  []string{"status.observedGeneration went back from 2 to 1"},
		},
		"condition went back": {
			story: newStory().edit(edit).status(observes(2, 2)).status(observes(2, 0)),
			want:  []string{"observedGeneration of the condition Succeeded went back from 2 to 0"},
		},
		"behind at rest": {
			story: newStory().status(observes(1, 1)).edit(edit), options: atRest,
			want: []string{"at rest, status.observedGeneration is 1 and metadata.generation 2", "at rest, observedGeneration of the condition Succeeded is 1"},
		},
		"conditions without a generation of the status": {
			story: newStory().status(observes(0, 0)), options: atRest,
			want: []string{"at rest, status.observedGeneration is 0"},
		},
	})
}
