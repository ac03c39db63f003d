package controller

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// deadlineLeft returns how long the run may still take, and whether it is limited at all and its
// clock runs. The clock starts with the run and stands still while the run is suspended.
func deadlineLeft(object *v1alpha1.SequentialJob, status *v1alpha1.SequentialJobStatus, now time.Time) (time.Duration, bool) {
	if object.Spec.ActiveDeadlineSeconds == nil || status.StartTime == nil ||
		meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionSuspended) {
		return 0, false
	}
	limit := time.Duration(*object.Spec.ActiveDeadlineSeconds+status.SuspendedSeconds) * time.Second
	return status.StartTime.Add(limit).Sub(now), true
}

func deadlineReached(object *v1alpha1.SequentialJob, status *v1alpha1.SequentialJobStatus, now time.Time) bool {
	left, limited := deadlineLeft(object, status, now)
	return limited && left <= 0
}

// countSuspension adds a suspension that ends now to those before it.
func countSuspension(status *v1alpha1.SequentialJobStatus, suspended *metav1.Condition, now time.Time) {
	if status.StartTime == nil {
		return
	}
	began := suspended.LastTransitionTime.Time
	if began.Before(status.StartTime.Time) {
		began = status.StartTime.Time
	}
	status.SuspendedSeconds += max(0, int64(now.Sub(began)/time.Second))
}
