package main

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// timeLeft returns how much time a run has left, given its status, and whether it has a deadline. It is 0 or less
// once the deadline has been reached.
func timeLeft(object *v1alpha1.SequentialJob, status *v1alpha1.SequentialJobStatus, now metav1.Time) (left time.Duration, limited bool) {
	// TODO(deadline): Calculate the time that is left until spec.activeDeadlineSeconds.
	// The clock starts at status.startTime. It stands still while the condition Suspended is True, and
	// status.suspendedSeconds says how long it has stood still before.
	return 0, false
}

// timeIsUp says whether the deadline has been reached, now or when an earlier reconcile looked.
func timeIsUp(seen facts) bool {
	left, limited := timeLeft(seen.object, &seen.object.Status, seen.now)
	return stopping(seen.object) || limited && left <= 0
}

// stopping says whether the status says that the run is being stopped at its deadline. From then on it stays so,
// even if somebody raises the deadline: the Job may be gone already.
func stopping(object *v1alpha1.SequentialJob) bool {
	summary := meta.FindStatusCondition(object.Status.Conditions, v1alpha1.ConditionSucceeded)
	return summary != nil && summary.Status == metav1.ConditionUnknown && summary.Reason == v1alpha1.ReasonDeadlineExceeded
}

// stoppedAtDeadline says whether the step failed because the run was stopped at its deadline. A Job that fails by itself may
// have the same reason: a deadline of its own.
func stoppedAtDeadline(step *v1alpha1.StepStatus, seen facts) bool {
	if job := seen.jobs[step.Name]; job != nil && jobFinished(job) && !failedByStop(job, seen) {
		return false
	}
	return stopping(seen.object) && step.Name == seen.object.Status.CurrentStep && step.Reason == v1alpha1.ReasonDeadlineExceeded
}

// failedByStop says whether a Job failed because it was stopped at the run's deadline. The Job had not finished when it was deleted, and a
// pod that is deleted counts as failed.
func failedByStop(job *batchv1.Job, seen facts) bool {
	return stopping(seen.object) && beingDeleted(job) && jobCondition(job, batchv1.JobFailed) != nil
}

// stopJob deletes a Job that must not run any more.
func (r *reconciler) stopJob(ctx context.Context, job *batchv1.Job) error {
	// TODO(stop-job): Delete the Job in such a way that it still exists while its pods end.
	// The deletion is valid only for the Job as it was read: it may have completed in the meantime. A
	// Job that is gone already is no error.
	return nil
}

// countSuspension adds a suspension that ends now to those before it. Before is the condition Suspended as it was
// recorded, and after the one that replaces it.
func countSuspension(status *v1alpha1.SequentialJobStatus, before *metav1.Condition, after metav1.ConditionStatus, now metav1.Time) {
	// TODO(suspended-time): When a suspension ends, add its length to status.suspendedSeconds.
	// It began at the lastTransitionTime of the condition Suspended. But time before status.startTime doesn't count, and
	// this write may just have set that.
}
