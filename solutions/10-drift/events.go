package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// event tells a user about one change of the status.
type event struct {
	kind    string // corev1.EventTypeNormal or corev1.EventTypeWarning
	reason  string
	action  string // what the controller did, or tried to do
	message string
}

// send sends events about an object.
func (r *reconciler) send(object *v1alpha1.SequentialJob, events []event) {
	for _, one := range events {
		r.recorder.Eventf(object, nil, one.kind, one.reason, one.action, "%s", one.message)
	}
}

// eventsBetween returns what the status says now that it did not say before, and that a user may need to know: a
// failed step, a refused Job, a run that is being stopped, and the end.
func eventsBetween(before, after *v1alpha1.SequentialJobStatus) []event {
	var events []event
	now, then := summaryOf(after), summaryOf(before)
	for i := range after.Steps {
		step := &after.Steps[i]
		if step.State == v1alpha1.StepFailed && !hadFailed(before, step.Name) && failure(step) != now.Message {
			events = append(events, event{corev1.EventTypeWarning, "StepFailed", "RunStep", failure(step)})
		}
	}
	if then != nil && then.Status == now.Status && then.Reason == now.Reason {
		return events
	}
	switch {
	case now.Status == metav1.ConditionTrue:
		events = append(events, event{corev1.EventTypeNormal, "Succeeded", "Finish", now.Message})
	case now.Status == metav1.ConditionFalse:
		events = append(events, event{corev1.EventTypeWarning, "Failed", "Finish", now.Message})
	case standsUntilCreated(now.Reason):
		events = append(events, event{corev1.EventTypeWarning, now.Reason, "CreateJob", now.Message})
	case now.Reason == v1alpha1.ReasonDeadlineExceeded:
		events = append(events, event{corev1.EventTypeWarning, now.Reason, "StopJob", now.Message})
	}
	return events
}

func hadFailed(status *v1alpha1.SequentialJobStatus, step string) bool {
	for _, entry := range status.Steps {
		if entry.Name == step {
			return entry.State == v1alpha1.StepFailed
		}
	}
	return false
}

func summaryOf(status *v1alpha1.SequentialJobStatus) *metav1.Condition {
	return meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded)
}
