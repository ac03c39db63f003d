package main

import (
	"errors"
	"fmt"
	"strings"

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

// current is the entry of the first step that has not finished, or nil if all have.
func current(status *v1alpha1.SequentialJobStatus) *v1alpha1.StepStatus {
	for i := range status.Steps {
		if state := status.Steps[i].State; state == v1alpha1.StepPending || state == v1alpha1.StepRunning {
			return &status.Steps[i]
		}
	}
	return nil
}

// record updates the current step's entry from its Job. It never changes a finished entry.
func record(object *v1alpha1.SequentialJob, jobs map[string][]*batchv1.Job) {
	status := &object.Status
	if status.StartTime == nil {
		status.StartTime = &metav1.Time{Time: metav1.Now().Time}
		for _, step := range object.Spec.Steps {
			status.Steps = append(status.Steps, v1alpha1.StepStatus{Name: step.Name, State: v1alpha1.StepPending})
		}
	}
	step := current(status)
	if step == nil {
		return
	}
	for _, job := range jobs[step.Name] {
		if step.JobUID == "" || step.JobUID == job.UID {
			show(step, job)
			return
		}
	}
	if step.State == v1alpha1.StepRunning {
		finish(step, v1alpha1.StepFailed, metav1.Now(), v1alpha1.ReasonJobDeleted, "its Job was deleted while it ran")
	}
}

func show(step *v1alpha1.StepStatus, job *batchv1.Job) {
	created := job.CreationTimestamp
	step.State, step.JobName, step.JobUID, step.StartTime = v1alpha1.StepRunning, job.Name, job.UID, &created
	for _, condition := range job.Status.Conditions {
		switch {
		case condition.Status != corev1.ConditionTrue:
		case condition.Type == batchv1.JobComplete:
			finish(step, v1alpha1.StepSucceeded, condition.LastTransitionTime, "", "")
		case condition.Type == batchv1.JobFailed:
			finish(step, v1alpha1.StepFailed, condition.LastTransitionTime, condition.Reason, condition.Message)
		}
	}
}

func finish(step *v1alpha1.StepStatus, state v1alpha1.StepState, when metav1.Time, reason, message string) {
	step.State, step.CompletionTime, step.Reason, step.Message = state, &when, reason, message
}

// summarize sets all that follows from the entries.
func summarize(object *v1alpha1.SequentialJob, refused error) {
	status := &object.Status
	summary := metav1.Condition{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonRunning}
	over := 0
	for i := range status.Steps {
		switch step := &status.Steps[i]; {
		case summary.Status == metav1.ConditionFalse:
			step.State, step.Reason = v1alpha1.StepSkipped, v1alpha1.ReasonRunFailed
		case step.State == v1alpha1.StepSucceeded:
			over++
		case step.State == v1alpha1.StepFailed:
			over++
			summary.Status, summary.Reason = metav1.ConditionFalse, v1alpha1.ReasonStepFailed
			summary.Message = fmt.Sprintf("step %s failed (%s): %s", step.Name, step.Reason, step.Message)
		}
	}
	status.Progress, status.CurrentStep = fmt.Sprintf("%d/%d", over, len(status.Steps)), ""
	switch step := current(status); {
	case summary.Status == metav1.ConditionFalse:
	case step == nil:
		summary.Status, summary.Reason, summary.Message = metav1.ConditionTrue, v1alpha1.ReasonAllStepsSucceeded, "every step succeeded"
	case refused != nil:
		status.CurrentStep = step.Name
		summary.Reason, summary.Message = v1alpha1.ReasonJobRefused, fmt.Sprintf("step %s can't start: %s", step.Name, nameless(refused))
	default:
		status.CurrentStep, summary.Message = step.Name, "step "+step.Name+" is next, or runs"
	}
	if summary.Status != metav1.ConditionUnknown {
		status.CompletionTime = &metav1.Time{Time: metav1.Now().Time}
	}
	say(status, v1alpha1.ConditionAccepted, metav1.ConditionTrue, v1alpha1.ReasonAccepted, "")
	meta.SetStatusCondition(&status.Conditions, summary)
}

// decline reports that objects with startAt are not supported: running all steps would repeat those that have finished.
func decline(object *v1alpha1.SequentialJob) {
	const reason, message = "NotSupported", "startAt is not supported; create a SequentialJob without it to run all steps"
	say(&object.Status, v1alpha1.ConditionAccepted, metav1.ConditionFalse, reason, message)
	say(&object.Status, v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, reason, message)
}

func say(status *v1alpha1.SequentialJobStatus, conditionType string, is metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&status.Conditions, metav1.Condition{Type: conditionType, Status: is, Reason: reason, Message: message})
}

// nameless is an error without the name that was generated for the Job, which differs each time.
func nameless(err error) string {
	if status, ok := errors.AsType[*apierrors.StatusError](err); ok && status.ErrStatus.Details != nil {
		return strings.ReplaceAll(err.Error(), fmt.Sprintf("%q", status.ErrStatus.Details.Name), "its Job")
	}
	return err.Error()
}
