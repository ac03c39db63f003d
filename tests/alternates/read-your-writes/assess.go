package main

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// action is what is due once the status is as it should be.
type action int

const (
	nothing action = iota
	createJob
	suspendJob
	resumeJob
	stopJob
	deleteObject
)

// outcome is the summary of the run so far, and the action that is due.
type outcome struct {
	status          metav1.ConditionStatus // of Succeeded
	reason, message string
	due             action
}

// assess returns the status that follows from the view, and the action that is due if it is the recorded one.
func (v view) assess() (v1alpha1.SequentialJobStatus, action) {
	status := *v.object.Status.DeepCopy()
	status.ObservedGeneration = v.object.Generation
	var due action
	if ended(&status) {
		if left, limited := v.toLive(); limited && left <= 0 {
			due = deleteObject
		}
	} else {
		due = v.goOn(&status)
	}
	for i := range status.Conditions {
		switch status.Conditions[i].Type {
		case v1alpha1.ConditionAccepted, v1alpha1.ConditionSuspended, v1alpha1.ConditionSucceeded:
			status.Conditions[i].ObservedGeneration = v.object.Generation
		}
	}
	return status, due
}

// goOn brings the status of a run that has not ended up to date.
func (v view) goOn(status *v1alpha1.SequentialJobStatus) action {
	if len(status.Steps) == 0 {
		status.Steps = firstSteps(&v.object.Spec)
	}
	if status.StartTime == nil && !v.suspendAsked() {
		status.StartTime = new(v.second())
	}
	if step := current(status.Steps); step != nil {
		v.update(step)
	}
	result := v.summarize(status.Steps)
	if step := current(status.Steps); step != nil && result.status == metav1.ConditionUnknown {
		status.CurrentStep = step.Name
	} else {
		status.CurrentStep, status.CompletionTime = "", new(v.second())
		for ; step != nil; step = current(status.Steps) {
			*step = v1alpha1.StepStatus{
				Name: step.Name, State: v1alpha1.StepSkipped, Reason: v1alpha1.ReasonRunFailed, Message: "its turn did not come",
			}
		}
	}
	status.Progress = progress(status.Steps)
	suspended := v.suspended(result)
	v.countPause(status, suspended.Status)
	for _, condition := range []metav1.Condition{accepted(status.Steps), suspended, {
		Type: v1alpha1.ConditionSucceeded, Status: result.status, Reason: result.reason, Message: result.message,
	}} {
		condition.LastTransitionTime = v.second()
		meta.SetStatusCondition(&status.Conditions, condition)
	}
	return result.due
}

// update updates the current step's entry from its Job.
func (v view) update(step *v1alpha1.StepStatus) {
	switch began := step.State == v1alpha1.StepRunning; {
	case v.replaced(step) && v.running() != nil: // that one is stopped first
	case v.job != nil && !v.replaced(step):
		step.State, step.JobUID, step.StartTime = v1alpha1.StepRunning, v.job.UID, new(v.job.CreationTimestamp)
		if complete := conditionOf(v.job, batchv1.JobComplete); complete != nil {
			step.State = v1alpha1.StepSucceeded
			step.CompletionTime = new(ptr.Deref(v.job.Status.CompletionTime, complete.LastTransitionTime))
		}
		if failed := conditionOf(v.job, batchv1.JobFailed); failed != nil && v.brokenOff() {
			v.fail(step, v1alpha1.ReasonDeadlineExceeded, "its Job was stopped, as the run's time was up")
		} else if failed != nil {
			step.State, step.CompletionTime = v1alpha1.StepFailed, new(failed.LastTransitionTime)
			step.Reason, step.Message = failed.Reason, short(failed.Message)
		}
	case began && v.stopping() == v1alpha1.ReasonDeadlineExceeded:
		v.fail(step, v1alpha1.ReasonDeadlineExceeded, "its Job was stopped, as the run's time was up")
	case began:
		v.fail(step, v1alpha1.ReasonJobDeleted, "its Job was deleted, and may have had an effect")
	case v.refused != nil && v.refused.reason == v1alpha1.ReasonInvalidJobTemplate:
		v.fail(step, v.refused.reason, v.refused.message)
	}
}

// brokenOff says whether a Job that has failed did so because it was deleted when the run's time was up, with its pods.
func (v view) brokenOff() bool {
	return v.stopping() == v1alpha1.ReasonDeadlineExceeded && v.job.DeletionTimestamp != nil
}

func (v view) fail(step *v1alpha1.StepStatus, reason, message string) {
	step.State, step.CompletionTime = v1alpha1.StepFailed, new(v.second())
	step.Reason, step.Message = reason, message
}

// summarize returns the outcome of the run so far. If the next step may start, it sets the name of its Job in the
// status. Creating the Job is due only once that name has been recorded.
func (v view) summarize(steps []v1alpha1.StepStatus) outcome {
	for i := range steps {
		if reason := v.endsRun(&steps[i]); reason != "" {
			return outcome{metav1.ConditionFalse, reason, fmt.Sprintf("step %s: %s", steps[i].Name, steps[i].Message), nothing}
		}
	}
	step := current(steps)
	if step == nil {
		return finish(steps)
	}
	on := func(reason, message string, due action) outcome {
		if v.job != nil && v.job.DeletionTimestamp != nil {
			due = nothing
		}
		return outcome{metav1.ConditionUnknown, reason, message, due}
	}
	running := v.running()
	timeUp := v.stopping() == v1alpha1.ReasonDeadlineExceeded || v.late()
	switch {
	case running != nil && v.replaced(step) && v.stopping() != v1alpha1.ReasonDeadlineExceeded:
		return on(v1alpha1.ReasonJobDeleted, "another Job is in the place of the step's", stopJob)
	case running != nil && timeUp:
		return on(v1alpha1.ReasonDeadlineExceeded, "the time is up", stopJob)
	case timeUp:
		return outcome{metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "the time was up before step " + step.Name, nothing}
	case v.suspendAsked() && running == nil:
		return on(v1alpha1.ReasonSuspended, "suspended before step "+step.Name, nothing)
	case v.suspendAsked() && stopped(running):
		return on(v1alpha1.ReasonSuspended, "suspended in step "+step.Name, nothing)
	case v.suspendAsked() && suspendWanted(running):
		return on(v1alpha1.ReasonRunning, "about to be suspended in step "+step.Name, nothing)
	case v.suspendAsked():
		return on(v1alpha1.ReasonRunning, "about to be suspended in step "+step.Name, suspendJob)
	case running != nil && suspendWanted(running):
		return on(v1alpha1.ReasonRunning, "about to be resumed in step "+step.Name, resumeJob)
	case running != nil:
		return on(v1alpha1.ReasonRunning, "in step "+step.Name, nothing)
	}

	recorded := meta.FindStatusCondition(v.object.Status.Conditions, v1alpha1.ConditionSucceeded)
	claimed := step.JobName != ""
	step.JobName = v1alpha1.JobName(v.object.Name, step.Name)
	switch {
	case claimed && v.foreign != nil && v.foreign.DeletionTimestamp == nil:
		return on(v1alpha1.ReasonJobConflict, "Job "+step.JobName+" belongs to another owner; the step starts when it has gone", nothing)
	case claimed && v.foreign != nil:
		return on(v1alpha1.ReasonRunning, "another owner's Job "+step.JobName+" is being deleted", nothing)
	case claimed && v.refused != nil:
		return on(v.refused.reason, v.refused.message, createJob)
	case claimed && recorded != nil && recorded.Reason == v1alpha1.ReasonJobRefused:
		return on(recorded.Reason, recorded.Message, createJob) // it stays until there is a Job
	default:
		return on(v1alpha1.ReasonRunning, "step "+step.Name+" begins", createJob)
	}
}

// endsRun is the reason why a step ends the run as failed, or empty if it does not.
func (v view) endsRun(step *v1alpha1.StepStatus) string {
	failedByItself := v.job != nil && v.running() == nil && !v.brokenOff() // also past a deadline of its own
	timeUp := step.Name == v.object.Status.CurrentStep && step.Reason == v1alpha1.ReasonDeadlineExceeded &&
		v.stopping() == v1alpha1.ReasonDeadlineExceeded && !failedByItself
	switch {
	case step.State != v1alpha1.StepFailed:
		return ""
	case timeUp:
		return step.Reason
	case specOf(v.object, step.Name).OnFailure == v1alpha1.FailurePolicyContinue:
		return ""
	case step.Reason == v1alpha1.ReasonJobDeleted, step.Reason == v1alpha1.ReasonInvalidJobTemplate:
		return step.Reason
	default:
		return v1alpha1.ReasonStepFailed
	}
}

func (v view) suspended(result outcome) metav1.Condition {
	running := v.running()
	is := func(status metav1.ConditionStatus, reason, message string) metav1.Condition {
		return metav1.Condition{Type: v1alpha1.ConditionSuspended, Status: status, Reason: reason, Message: message}
	}
	switch {
	case result.status != metav1.ConditionUnknown:
		return is(metav1.ConditionFalse, v1alpha1.ReasonFinished, "")
	case v.suspendAsked() && running != nil && !stopped(running):
		return is(metav1.ConditionFalse, v1alpha1.ReasonSuspending, "the Job has not stopped yet")
	case v.suspendAsked():
		return is(metav1.ConditionTrue, v1alpha1.ReasonSuspended, "")
	case v.paused() && running != nil && suspendWanted(running):
		return is(metav1.ConditionTrue, v1alpha1.ReasonSuspended, "the Job has not been resumed yet")
	default:
		return is(metav1.ConditionFalse, v1alpha1.ReasonNotSuspended, "")
	}
}

// countPause adds the length of a suspension that has ended.
func (v view) countPause(status *v1alpha1.SequentialJobStatus, now metav1.ConditionStatus) {
	if now == metav1.ConditionTrue || !v.paused() || status.StartTime == nil {
		return
	}
	since := meta.FindStatusCondition(v.object.Status.Conditions, v1alpha1.ConditionSuspended).LastTransitionTime
	if since.Before(status.StartTime) {
		since = *status.StartTime
	}
	status.SuspendedSeconds += max(0, int64(v.now.Sub(since.Time)/time.Second))
}

func accepted(steps []v1alpha1.StepStatus) metav1.Condition {
	for _, step := range steps {
		if step.Reason == v1alpha1.ReasonInvalidJobTemplate {
			return metav1.Condition{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionFalse, Reason: step.Reason, Message: step.Message}
		}
	}
	return metav1.Condition{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAccepted}
}

func finish(steps []v1alpha1.StepStatus) outcome {
	for _, step := range steps {
		if step.State == v1alpha1.StepFailed {
			return outcome{metav1.ConditionTrue, v1alpha1.ReasonStepsFailed, "all steps are finished, not all succeeded", nothing}
		}
	}
	return outcome{metav1.ConditionTrue, v1alpha1.ReasonAllStepsSucceeded, "all steps have succeeded", nothing}
}

func firstSteps(spec *v1alpha1.SequentialJobSpec) []v1alpha1.StepStatus {
	steps := make([]v1alpha1.StepStatus, len(spec.Steps))
	started := spec.StartAt == nil
	for i, step := range spec.Steps {
		steps[i] = v1alpha1.StepStatus{Name: step.Name, State: v1alpha1.StepPending}
		if started = started || step.Name == *spec.StartAt; !started {
			steps[i].State, steps[i].Reason, steps[i].Message = v1alpha1.StepSkipped, v1alpha1.ReasonBeforeStartAt, "startAt names a later step"
		}
	}
	return steps
}

func progress(steps []v1alpha1.StepStatus) string {
	done := 0
	for i := range steps {
		if stepFinished(&steps[i]) && steps[i].Reason != v1alpha1.ReasonRunFailed {
			done++
		}
	}
	return fmt.Sprintf("%d/%d", done, len(steps))
}
