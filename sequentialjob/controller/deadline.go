package controller

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// deadlineLeft returns how much time the run has left, and whether it is limited at all. The clock starts with the run, and
// stands still while the run is suspended.
func deadlineLeft(object *v1alpha1.SequentialJob, status *v1alpha1.SequentialJobStatus, now time.Time) (time.Duration, bool) {
	if object.Spec.ActiveDeadlineSeconds == nil || status.StartTime == nil {
		return 0, false
	}
	if suspended := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSuspended); suspended != nil && suspended.Status == metav1.ConditionTrue {
		now = suspended.LastTransitionTime.Time
	}
	limit := time.Duration(*object.Spec.ActiveDeadlineSeconds+status.SuspendedSeconds) * time.Second
	return status.StartTime.Add(limit).Sub(now), true
}

func deadlineReached(seen facts) bool {
	left, limited := deadlineLeft(seen.object, &seen.object.Status, seen.now)
	return limited && left <= 0
}

// stoppingAtDeadline says whether an earlier reconcile has claimed that the run is stopped at its
// deadline. The claim holds even if the deadline has been extended since: the Job may be stopped.
func stoppingAtDeadline(object *v1alpha1.SequentialJob) bool {
	return stopReason(&object.Status) == v1alpha1.ReasonDeadlineExceeded
}

// stoppedAtDeadline says whether the step is the one that had to be stopped at the run's deadline.
// A Job that fails by itself may have the same reason: a deadline of its own.
func stoppedAtDeadline(step *v1alpha1.StepStatus, seen facts) bool {
	if seen.job != nil && jobFinished(seen.job) && !failedByStop(seen.job, seen) {
		return false
	}
	return stoppingAtDeadline(seen.object) && step.Name == seen.object.Status.CurrentStep && step.Reason == v1alpha1.ReasonDeadlineExceeded
}

// failedByStop says whether the Job failed because it was stopped at the run's deadline: the stop holds only for a Job that has not
// finished, and a pod that is deleted counts as failed.
func failedByStop(job *batchv1.Job, seen facts) bool {
	return stoppingAtDeadline(seen.object) && beingDeleted(job) && jobCondition(job, batchv1.JobFailed) != nil
}

// countSuspension adds a suspension that ends now to those before it.
func countSuspension(status *v1alpha1.SequentialJobStatus, suspended *metav1.Condition, now time.Time) {
	if status.StartTime == nil {
		return
	}
	start := suspended.LastTransitionTime.Time
	if start.Before(status.StartTime.Time) {
		start = status.StartTime.Time
	}
	status.SuspendedSeconds += max(0, int64(now.Sub(start)/time.Second))
}
