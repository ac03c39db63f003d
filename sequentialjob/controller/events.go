package controller

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// event is one line of the object's story, for kubectl describe.
type event struct {
	kind    string // Normal or Warning
	reason  string
	action  string // what the controller did or tried
	message string
}

func (r *Reconciler) sendEvents(object *v1alpha1.SequentialJob, before *v1alpha1.SequentialJobStatus) {
	for _, event := range eventsBetween(before, &object.Status) {
		r.Recorder.Eventf(object, nil, event.kind, event.reason, event.action, "%s", event.message)
	}
}

// eventsBetween returns what one status says that the one before did not, and that a user may need
// to know. The start and the success of each step are in the status, with their times; events for
// them would be as much work for the API server as the status itself.
func eventsBetween(before, after *v1alpha1.SequentialJobStatus) []event {
	var events []event
	recorded := map[string]v1alpha1.StepState{}
	for _, step := range before.Steps {
		recorded[step.Name] = step.State
	}
	for i := range after.Steps {
		step := &after.Steps[i]
		if step.State == recorded[step.Name] {
			continue
		}
		// The event about the run's end is enough if it reports this failure.
		if step.State == v1alpha1.StepFailed && failure(step) != summary(after).Message {
			events = append(events, event{corev1.EventTypeWarning, "StepFailed", "RunStep", failure(step)})
		}
	}

	if suspended := meta.IsStatusConditionTrue(after.Conditions, v1alpha1.ConditionSuspended); suspended != meta.IsStatusConditionTrue(before.Conditions, v1alpha1.ConditionSuspended) {
		switch {
		case suspended:
			events = append(events, event{corev1.EventTypeNormal, "Suspended", "Suspend", fmt.Sprintf("suspended at step %q", after.CurrentStep)})
		case !finished(after):
			events = append(events, event{corev1.EventTypeNormal, "Resumed", "Resume", fmt.Sprintf("resumed at step %q", after.CurrentStep)})
		}
	}

	now, then := summary(after), summary(before)
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
	case now.Reason == v1alpha1.ReasonWorkspaceConflict, now.Reason == v1alpha1.ReasonWorkspaceRefused:
		events = append(events, event{corev1.EventTypeWarning, now.Reason, "CreateWorkspace", now.Message})
	case stopReason(after) != "":
		events = append(events, event{corev1.EventTypeWarning, now.Reason, "StopJob", now.Message})
	}
	return events
}
