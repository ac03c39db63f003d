package main

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// view is the state that a reconcile sees.
type view struct {
	now     time.Time
	object  *v1alpha1.SequentialJob
	job     *batchv1.Job // of the current step, or nil
	foreign *batchv1.Job // another owner's, with its name
	refused *refusal     // why it could not be created
}

// refusal is a reason and a message of the condition Succeeded.
type refusal struct{ reason, message string }

// running is the step's Job if it has not finished.
func (v view) running() *batchv1.Job {
	if v.job == nil || conditionOf(v.job, batchv1.JobComplete) != nil || conditionOf(v.job, batchv1.JobFailed) != nil {
		return nil
	}
	return v.job
}

// replaced says whether the Job is not the recorded one.
func (v view) replaced(step *v1alpha1.StepStatus) bool {
	return v.job != nil && step.JobUID != "" && step.JobUID != v.job.UID
}

// stopping is the recorded reason to stop the Job, or empty if there is none.
func (v view) stopping() string {
	recorded := meta.FindStatusCondition(v.object.Status.Conditions, v1alpha1.ConditionSucceeded)
	if recorded == nil || recorded.Status != metav1.ConditionUnknown {
		return ""
	}
	switch recorded.Reason {
	case v1alpha1.ReasonDeadlineExceeded, v1alpha1.ReasonJobDeleted:
		return recorded.Reason
	}
	return ""
}

func (v view) suspendAsked() bool { return ptr.Deref(v.object.Spec.Suspend, false) }

func (v view) paused() bool {
	return meta.IsStatusConditionTrue(v.object.Status.Conditions, v1alpha1.ConditionSuspended)
}

// left is how much time the run has, which stays the same while its clock is stopped; false when it is not limited.
func (v view) left() (time.Duration, bool) {
	spec, status, now := &v.object.Spec, &v.object.Status, v.now
	if spec.ActiveDeadlineSeconds == nil || status.StartTime == nil {
		return 0, false
	}
	if v.paused() {
		now = meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSuspended).LastTransitionTime.Time
	}
	end := status.StartTime.Add(time.Duration(*spec.ActiveDeadlineSeconds+status.SuspendedSeconds) * time.Second)
	return end.Sub(now), true
}

func (v view) late() bool {
	left, limited := v.left()
	return limited && left <= 0
}

// toLive is how long an object that has ended is kept; false for always.
func (v view) toLive() (time.Duration, bool) {
	if v.object.Spec.TTLSecondsAfterFinished == nil || v.object.Status.CompletionTime == nil {
		return 0, false
	}
	end := v.object.Status.CompletionTime.Add(time.Duration(*v.object.Spec.TTLSecondsAfterFinished) * time.Second)
	return end.Sub(v.now), true
}

// wait is how long to wait for something that no event announces; 0 for indefinitely.
func (v view) wait() time.Duration {
	left, limited := v.left()
	switch {
	case ended(&v.object.Status):
		left, limited = v.toLive()
	case v.paused():
		limited = false
	}
	switch {
	case v.foreign != nil && limited && left > 0:
		return min(left, nameRetry)
	case v.foreign != nil:
		return nameRetry
	case limited:
		return max(left, 0)
	default:
		return 0
	}
}

// second is now, as the API stores it.
func (v view) second() metav1.Time { return metav1.NewTime(v.now.Truncate(time.Second)) }

// current is the first step that has not finished, or nil if all have.
func current(steps []v1alpha1.StepStatus) *v1alpha1.StepStatus {
	for i := range steps {
		if !stepFinished(&steps[i]) {
			return &steps[i]
		}
	}
	return nil
}

func stepFinished(step *v1alpha1.StepStatus) bool {
	switch step.State {
	case v1alpha1.StepPending, v1alpha1.StepRunning:
		return false
	}
	return true
}

func specOf(object *v1alpha1.SequentialJob, name string) *v1alpha1.Step {
	for i := range object.Spec.Steps {
		if object.Spec.Steps[i].Name == name {
			return &object.Spec.Steps[i]
		}
	}
	panic("step " + name + " has gone from an immutable list")
}

func ended(status *v1alpha1.SequentialJobStatus) bool {
	return meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionSucceeded) ||
		meta.IsStatusConditionFalse(status.Conditions, v1alpha1.ConditionSucceeded)
}

func suspendWanted(job *batchv1.Job) bool { return ptr.Deref(job.Spec.Suspend, false) }

// stopped says whether a Job is suspended, and nothing of it runs any more.
func stopped(job *batchv1.Job) bool {
	return suspendWanted(job) && conditionOf(job, batchv1.JobSuspended) != nil &&
		job.Status.Active == 0 && ptr.Deref(job.Status.Terminating, 0) == 0
}

// conditionOf is a Job's condition if it is True.
func conditionOf(job *batchv1.Job, conditionType batchv1.JobConditionType) *batchv1.JobCondition {
	for i := range job.Status.Conditions {
		if condition := &job.Status.Conditions[i]; condition.Type == conditionType && condition.Status == corev1.ConditionTrue {
			return condition
		}
	}
	return nil
}
