package main

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// tell sends an Event if the summary has another reason than before, and says something that a user may have to act on. A step
// that may fail does not change the summary, so it has an Event of its own, even if the run fails for another reason at that time.
func (r *runner) tell(object *v1alpha1.SequentialJob, before, after v1alpha1.SequentialJobStatus) {
	was := map[string]v1alpha1.StepState{}
	for _, step := range before.Steps {
		was[step.Name] = step.State
	}
	now := meta.FindStatusCondition(after.Conditions, v1alpha1.ConditionSucceeded)
	for _, step := range after.Steps {
		endsTheRun := now.Status == metav1.ConditionFalse && strings.HasPrefix(now.Message, "step "+step.Name+" failed: ")
		if !endsTheRun && step.State == v1alpha1.StepFailed && was[step.Name] != v1alpha1.StepFailed {
			r.events.Eventf(object, nil, corev1.EventTypeWarning, step.Reason, "Run", "%s", fmt.Sprintf("step %s failed, and may: %s", step.Name, step.Message))
		}
	}
	if then := meta.FindStatusCondition(before.Conditions, v1alpha1.ConditionSucceeded); then != nil && then.Reason == now.Reason && then.Status == now.Status {
		return
	}
	switch {
	case now.Status == metav1.ConditionTrue:
		r.events.Eventf(object, nil, corev1.EventTypeNormal, now.Reason, "Run", "%s", now.Message)
	case now.Status == metav1.ConditionUnknown && (now.Reason == v1alpha1.ReasonRunning || now.Reason == v1alpha1.ReasonSuspended):
	default:
		r.events.Eventf(object, nil, corev1.EventTypeWarning, now.Reason, "Run", "%s", now.Message)
	}
}
