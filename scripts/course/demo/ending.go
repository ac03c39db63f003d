package demo

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// An ending is how a sample must end.
type ending struct {
	summary metav1.ConditionStatus // of the condition Succeeded
	reason  string
	states  []v1alpha1.StepState // in the order of the steps
	jobs    int                  // how many there are
}

// check returns an error that names every difference from this ending.
func (e ending) check(object *v1alpha1.SequentialJob, jobs int) error {
	var wrong []error
	summary := meta.FindStatusCondition(object.Status.Conditions, v1alpha1.ConditionSucceeded)
	switch {
	case summary == nil:
		wrong = append(wrong, fmt.Errorf("there is no condition Succeeded, want %s (%s)", e.summary, e.reason))
	case summary.Status != e.summary || summary.Reason != e.reason:
		wrong = append(wrong, fmt.Errorf("condition Succeeded is %s (%s: %s), want %s (%s)", summary.Status, summary.Reason, summary.Message, e.summary, e.reason))
	case summary.ObservedGeneration != object.Generation:
		wrong = append(wrong, fmt.Errorf("condition Succeeded has observedGeneration %d, want %d", summary.ObservedGeneration, object.Generation))
	}
	if len(object.Status.Steps) != len(e.states) {
		wrong = append(wrong, fmt.Errorf("the status has %d steps, want %d", len(object.Status.Steps), len(e.states)))
	} else {
		for i, step := range object.Status.Steps {
			if step.State != e.states[i] {
				wrong = append(wrong, fmt.Errorf("step %s is %s, want %s", step.Name, step.State, e.states[i]))
			}
		}
	}
	if jobs != e.jobs {
		wrong = append(wrong, fmt.Errorf("there are %d Jobs, want %d", jobs, e.jobs))
	}
	if err := errors.Join(wrong...); err != nil {
		return fmt.Errorf("%s ended wrongly: %w", object.Name, err)
	}
	return nil
}
