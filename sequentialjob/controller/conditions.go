package controller

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// setConditions is the one place that sets conditions.
func setConditions(status *v1alpha1.SequentialJobStatus, seen facts, run outcome) {
	before := meta.FindStatusCondition(seen.object.Status.Conditions, v1alpha1.ConditionSuspended)
	suspended := suspendedCondition(seen, run, before)
	if before != nil && before.Status == metav1.ConditionTrue && suspended.Status != metav1.ConditionTrue {
		countSuspension(status, before, seen.now)
	}

	conditions := []metav1.Condition{
		acceptedCondition(status),
		suspended,
		{Type: v1alpha1.ConditionSucceeded, Status: run.status, Reason: run.reason, Message: run.message},
	}
	if workspaceName(seen.object) != "" {
		conditions = append(conditions, workspaceCondition(seen))
	}
	for _, condition := range conditions {
		condition.LastTransitionTime = timestamp(seen.now)
		meta.SetStatusCondition(&status.Conditions, condition)
	}
	stampConditions(status)
}

// stampConditions records that each of our conditions is about the observed generation.
func stampConditions(status *v1alpha1.SequentialJobStatus) {
	for _, conditionType := range []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionSuspended, v1alpha1.ConditionWorkspaceReady, v1alpha1.ConditionSucceeded} {
		if condition := meta.FindStatusCondition(status.Conditions, conditionType); condition != nil {
			condition.ObservedGeneration = status.ObservedGeneration
		}
	}
}

func acceptedCondition(status *v1alpha1.SequentialJobStatus) metav1.Condition {
	for _, step := range status.Steps {
		if step.Reason == v1alpha1.ReasonInvalidJobTemplate {
			return metav1.Condition{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonInvalidJobTemplate,
				Message: fmt.Sprintf("step %q: %s", step.Name, step.Message)}
		}
	}
	return metav1.Condition{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAccepted,
		Message: "the spec is accepted"}
}

func suspendedCondition(seen facts, run outcome, before *metav1.Condition) metav1.Condition {
	condition := metav1.Condition{Type: v1alpha1.ConditionSuspended, Status: metav1.ConditionFalse}
	job := activeJob(seen)
	switch {
	case run.status != metav1.ConditionUnknown:
		condition.Reason, condition.Message = v1alpha1.ReasonFinished, "nothing is left to suspend"
	case !suspendWanted(seen.object) && job != nil && jobSuspendWanted(job) && before != nil && before.Status == metav1.ConditionTrue:
		condition.Status = metav1.ConditionTrue
		condition.Reason, condition.Message = v1alpha1.ReasonSuspended, fmt.Sprintf("Job %s has not resumed yet", job.Name)
	case !suspendWanted(seen.object):
		condition.Reason, condition.Message = v1alpha1.ReasonNotSuspended, "spec.suspend is not set"
	case job != nil && !jobSuspended(job):
		condition.Reason, condition.Message = v1alpha1.ReasonSuspending, fmt.Sprintf("waiting for Job %s to stop", job.Name)
	default:
		condition.Status = metav1.ConditionTrue
		condition.Reason, condition.Message = v1alpha1.ReasonSuspended, "nothing is running, as spec.suspend requests"
	}
	return condition
}
