package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// The API of lesson 2 has two fields that decide what may run, and a controller that ignores them does
// damage. It would run an object that another controller runs too. It would also run a retry from the
// first step, and so repeat steps that have finished. Lesson 6 adds startAt. Until then, this controller
// runs no step of an object that has it.

// reasonNotSupported is a reason of the conditions Accepted and Succeeded.
const reasonNotSupported = "NotSupported"

// startAtUnsupported says what to do about spec.startAt.
const startAtUnsupported = "this controller does not support spec.startAt yet, so no step runs: " +
	"create a new SequentialJob without startAt to run all steps, or use a controller that supports it"

// managedByUs says whether spec.managedBy leaves the object to this controller.
func managedByUs(object *v1alpha1.SequentialJob) bool {
	return ptr.Deref(object.Spec.ManagedBy, v1alpha1.ControllerName) == v1alpha1.ControllerName
}

// supported says whether this controller can run all that the spec asks for.
func supported(object *v1alpha1.SequentialJob) bool {
	return object.Spec.StartAt == nil
}

// refuse records that nothing of the object runs. Succeeded stays Unknown, because a controller that
// supports startAt can still run it.
func refuse(status *v1alpha1.SequentialJobStatus, seen facts) {
	status.Steps = ledger(seen.object)
	status.Progress = progress(status.Steps)
	setConditions(status, unknown(reasonNotSupported, startAtUnsupported), seen)
}

// acceptedCondition is the condition Accepted: whether this controller can run the spec.
func acceptedCondition(object *v1alpha1.SequentialJob) metav1.Condition {
	if !supported(object) {
		return metav1.Condition{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionFalse, Reason: reasonNotSupported, Message: startAtUnsupported}
	}
	return metav1.Condition{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAccepted, Message: "the spec is accepted"}
}
