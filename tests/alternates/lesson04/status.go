package main

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func ended(status *v1alpha1.SequentialJobStatus) bool {
	summary := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded)
	return summary != nil && summary.Status != metav1.ConditionUnknown
}

// begin adds an entry for each step, all of them Pending.
func begin(object *v1alpha1.SequentialJob) {
	if object.Status.StartTime != nil {
		return
	}
	now := metav1.Now()
	object.Status.StartTime = &now
	for _, step := range object.Spec.Steps {
		object.Status.Steps = append(object.Status.Steps, v1alpha1.StepStatus{Name: step.Name, State: v1alpha1.StepPending})
	}
}

// decline reports that no step of an object with startAt runs, because this controller does not support it
// yet. Running all steps would repeat those that have finished.
func decline(object *v1alpha1.SequentialJob) {
	for _, condition := range []metav1.Condition{
		{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionFalse},
		{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown},
	} {
		condition.Reason = "NotSupported"
		condition.Message = "startAt is not supported yet: create a new SequentialJob without it to run all steps"
		meta.SetStatusCondition(&object.Status.Conditions, condition)
	}
}

// current is the entry of the first step that has not finished, or nil if all have.
func current(object *v1alpha1.SequentialJob) *v1alpha1.StepStatus {
	for i := range object.Status.Steps {
		switch step := &object.Status.Steps[i]; step.State {
		case v1alpha1.StepPending, v1alpha1.StepRunning:
			return step
		}
	}
	return nil
}

// update records in an entry what the step's Job shows. A running step without a Job has failed: what the
// Job has done is unknown, so it does not run again.
func update(step *v1alpha1.StepStatus, job *batchv1.Job) {
	if job == nil {
		if step.State == v1alpha1.StepRunning {
			finish(step, v1alpha1.StepFailed, metav1.Now())
			step.Reason, step.Message = v1alpha1.ReasonJobDeleted, "its Job was deleted, and may have had an effect"
		}
		return
	}
	created := job.CreationTimestamp
	step.State, step.JobName, step.JobUID, step.StartTime = v1alpha1.StepRunning, job.Name, job.UID, &created
	for _, condition := range job.Status.Conditions {
		switch {
		case condition.Status != corev1.ConditionTrue:
		case condition.Type == batchv1.JobComplete:
			finish(step, v1alpha1.StepSucceeded, condition.LastTransitionTime)
		case condition.Type == batchv1.JobFailed:
			finish(step, v1alpha1.StepFailed, condition.LastTransitionTime)
			step.Reason, step.Message = condition.Reason, condition.Message
		}
	}
}

func finish(step *v1alpha1.StepStatus, state v1alpha1.StepState, when metav1.Time) {
	step.State, step.CompletionTime = state, &when
}

// conclude sets everything that follows from the entries.
func conclude(object *v1alpha1.SequentialJob, refused error) {
	status := &object.Status
	summary := metav1.Condition{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonRunning}
	done := 0
	for i := range status.Steps {
		step := &status.Steps[i]
		switch {
		case step.State == v1alpha1.StepSucceeded:
			done++
		case step.State == v1alpha1.StepFailed:
			done++
			summary.Status, summary.Reason = metav1.ConditionFalse, v1alpha1.ReasonStepFailed
			summary.Message = fmt.Sprintf("step %s failed: %s: %s", step.Name, step.Reason, step.Message)
		case summary.Status == metav1.ConditionFalse:
			step.State, step.Reason = v1alpha1.StepSkipped, v1alpha1.ReasonRunFailed
		}
	}
	status.Progress = fmt.Sprintf("%d/%d", done, len(status.Steps))

	status.CurrentStep = ""
	step := current(object)
	switch {
	case summary.Status == metav1.ConditionFalse:
	case step == nil:
		summary.Status, summary.Reason, summary.Message = metav1.ConditionTrue, v1alpha1.ReasonAllStepsSucceeded, "all steps succeeded"
	default:
		status.CurrentStep = step.Name
		summary.Message = "at step " + step.Name
		if apierrors.IsForbidden(refused) || apierrors.IsInvalid(refused) {
			summary.Reason, summary.Message = v1alpha1.ReasonJobRefused, fmt.Sprintf("step %s can't start: %s", step.Name, refused)
		}
	}
	if now := metav1.Now(); summary.Status != metav1.ConditionUnknown {
		status.CompletionTime = &now
	}
	meta.SetStatusCondition(&status.Conditions, metav1.Condition{
		Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAccepted,
	})
	meta.SetStatusCondition(&status.Conditions, summary)
}
