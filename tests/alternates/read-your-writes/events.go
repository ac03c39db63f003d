package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// announce sends Events about what is new in a status that has just been applied: each failed step, each problem, and the end.
func (r *reconciler) announce(object *v1alpha1.SequentialJob, before v1alpha1.SequentialJobStatus) {
	known := map[string]bool{}
	for _, step := range before.Steps {
		known["failed "+step.Name] = step.State == v1alpha1.StepFailed
	}
	for _, condition := range before.Conditions {
		known[condition.Type+string(condition.Status)+condition.Reason] = true
	}
	for _, step := range object.Status.Steps {
		if step.State == v1alpha1.StepFailed && !known["failed "+step.Name] {
			r.recorder.Eventf(object, nil, corev1.EventTypeWarning, "StepFailed", "Fail", "%s: %s: %s", step.Name, step.Reason, step.Message)
		}
	}
	for _, condition := range object.Status.Conditions {
		if condition.Type != v1alpha1.ConditionSucceeded || known[condition.Type+string(condition.Status)+condition.Reason] {
			continue
		}
		switch {
		case condition.Status == metav1.ConditionTrue:
			r.recorder.Eventf(object, nil, corev1.EventTypeNormal, "Ended", "End", "%s", condition.Message)
		case condition.Status == metav1.ConditionFalse:
			r.recorder.Eventf(object, nil, corev1.EventTypeWarning, "Ended", "End", "%s", condition.Message)
		case condition.Reason == v1alpha1.ReasonJobRefused, condition.Reason == v1alpha1.ReasonDeadlineExceeded:
			r.recorder.Eventf(object, nil, corev1.EventTypeWarning, condition.Reason, "Run", "%s", condition.Message)
		}
	}
}
