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

// summary is the content of the condition Succeeded.
type summary struct {
	status          metav1.ConditionStatus
	reason, message string
}

// recompute returns the status that follows from a sight. A step or a run that is recorded as finished stays so.
func (s sight) recompute() v1alpha1.SequentialJobStatus {
	status := *s.object.Status.DeepCopy()
	status.ObservedGeneration = s.object.Generation
	if !ended(&status) {
		status.Steps = s.steps()
		if status.StartTime == nil && !s.wantsSuspended() {
			status.StartTime = s.seconds()
		}
		if step := current(status.Steps); step != nil {
			s.settle(step)
		}
		s.conclude(&status)
	}
	for i := range status.Conditions {
		switch status.Conditions[i].Type {
		case v1alpha1.ConditionAccepted, v1alpha1.ConditionSuspended, v1alpha1.ConditionWorkspaceReady, v1alpha1.ConditionSucceeded:
			status.Conditions[i].ObservedGeneration = status.ObservedGeneration
		}
	}
	return status
}

// steps are the recorded entries, completed for a first status.
func (s sight) steps() []v1alpha1.StepStatus {
	if len(s.object.Status.Steps) == len(s.object.Spec.Steps) {
		return s.object.Status.DeepCopy().Steps
	}
	var steps []v1alpha1.StepStatus
	before := s.object.Spec.StartAt != nil
	for _, step := range s.object.Spec.Steps {
		before = before && step.Name != *s.object.Spec.StartAt
		entry := v1alpha1.StepStatus{Name: step.Name, State: v1alpha1.StepPending}
		if before {
			entry.State, entry.Reason, entry.Message = v1alpha1.StepSkipped, v1alpha1.ReasonBeforeStartAt, "the run starts later"
		}
		steps = append(steps, entry)
	}
	return steps
}

// settle updates the current step's entry from its Job.
func (s sight) settle(step *v1alpha1.StepStatus) {
	had := step.State == v1alpha1.StepRunning
	fail := func(reason, message string) {
		step.State, step.Reason, step.Message, step.CompletionTime = v1alpha1.StepFailed, reason, message, s.seconds()
	}
	switch {
	case s.replaced(step) && s.active(): // it is stopped first

	case s.job != nil && !s.replaced(step):
		step.State, step.JobUID, step.StartTime = v1alpha1.StepRunning, s.job.UID, new(s.job.CreationTimestamp)
		if failed := holds(s.job, batchv1.JobFailed); failed != nil && s.brokenOff() {
			fail(v1alpha1.ReasonDeadlineExceeded, "stopped at the run's deadline")
		} else if failed != nil {
			fail(failed.Reason, failed.Message)
			step.CompletionTime = new(failed.LastTransitionTime)
		} else if complete := holds(s.job, batchv1.JobComplete); complete != nil {
			step.State, step.CompletionTime = v1alpha1.StepSucceeded, new(ptr.Deref(s.job.Status.CompletionTime, complete.LastTransitionTime))
		}
	case had && s.stopReason() == v1alpha1.ReasonDeadlineExceeded:
		fail(v1alpha1.ReasonDeadlineExceeded, "stopped at the run's deadline")
	case had:
		fail(v1alpha1.ReasonJobDeleted, "its Job was deleted, and may have had an effect")
	case s.refused != nil && s.refused.reason == v1alpha1.ReasonInvalidJobTemplate:
		fail(s.refused.reason, s.refused.message)
	}
}

// brokenOff says whether a Job that has failed did so because it was deleted at the deadline, with its pods.
func (s sight) brokenOff() bool {
	return s.stopReason() == v1alpha1.ReasonDeadlineExceeded && s.job.DeletionTimestamp != nil
}

// conclude sets everything that follows from the steps.
func (s sight) conclude(status *v1alpha1.SequentialJobStatus) {
	result := s.summarize(status)
	step := current(status.Steps)
	status.CurrentStep = ""
	if result.status == metav1.ConditionUnknown {
		status.CurrentStep = step.Name
	} else {
		status.CompletionTime = s.seconds()
		for ; step != nil; step = current(status.Steps) {
			*step = v1alpha1.StepStatus{Name: step.Name, State: v1alpha1.StepSkipped, Reason: v1alpha1.ReasonRunFailed, Message: "the run had failed"}
		}
	}
	done, accepted := 0, metav1.Condition{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAccepted}
	for _, step := range status.Steps {
		if stepFinished(&step) && step.Reason != v1alpha1.ReasonRunFailed {
			done++
		}
		if step.Reason == v1alpha1.ReasonInvalidJobTemplate {
			accepted.Status, accepted.Reason, accepted.Message = metav1.ConditionFalse, step.Reason, step.Message
		}
	}
	status.Progress = fmt.Sprintf("%d/%d", done, len(status.Steps))

	suspended := s.suspended(result)
	if before := meta.FindStatusCondition(status.Conditions, suspended.Type); before != nil && before.Status == metav1.ConditionTrue &&
		suspended.Status == metav1.ConditionFalse && status.StartTime != nil {
		since := before.LastTransitionTime.Time
		if since.Before(status.StartTime.Time) {
			since = status.StartTime.Time
		}
		status.SuspendedSeconds += max(0, int64(s.now.Sub(since)/time.Second))
	}
	conditions := []metav1.Condition{accepted, suspended}
	if storageName(s.object) != "" {
		storage, _ := s.storageState()
		conditions = append(conditions, storage)
	}
	s.recordStorage(status)
	succeeded := metav1.Condition{Type: v1alpha1.ConditionSucceeded, Status: result.status, Reason: result.reason, Message: result.message}
	for _, condition := range append(conditions, succeeded) {
		condition.LastTransitionTime = *s.seconds()
		meta.SetStatusCondition(&status.Conditions, condition)
	}
}

// summarize returns the summary of the run, and claims the next step: the status has the Job's name before the
// Job exists.
func (s sight) summarize(status *v1alpha1.SequentialJobStatus) summary {
	unknown := func(reason, message string) summary { return summary{metav1.ConditionUnknown, reason, message} }
	if fatal, reason := s.fatal(status.Steps); fatal != nil {
		return summary{metav1.ConditionFalse, reason, fmt.Sprintf("step %s failed: %s: %s", fatal.Name, fatal.Reason, fatal.Message)}
	}
	step := current(status.Steps)
	if step == nil {
		for _, step := range status.Steps {
			if step.State == v1alpha1.StepFailed {
				return summary{metav1.ConditionTrue, v1alpha1.ReasonStepsFailed, "all steps are finished"}
			}
		}
		return summary{metav1.ConditionTrue, v1alpha1.ReasonAllStepsSucceeded, "all steps are finished"}
	}
	timeUp := s.stopReason() == v1alpha1.ReasonDeadlineExceeded
	recorded := meta.FindStatusCondition(s.object.Status.Conditions, v1alpha1.ConditionSucceeded)
	switch {
	case s.active() && s.replaced(step) && !timeUp:
		return unknown(v1alpha1.ReasonJobDeleted, "another Job has taken the place of the step's; it is stopped")
	case s.active() && (timeUp || s.late()):
		return unknown(v1alpha1.ReasonDeadlineExceeded, "the time is up; the Job is stopped")
	case timeUp || s.late():
		return summary{metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "the time was up before step " + step.Name}
	case s.refused != nil && s.refused.reason != v1alpha1.ReasonInvalidJobTemplate:
		return unknown(s.refused.reason, s.refused.message)
	case s.wantsSuspended() && (!s.active() || stopped(s.job)):
		return unknown(v1alpha1.ReasonSuspended, "suspended at step "+step.Name)
	case s.foreign != nil && s.mayStart(step) && s.foreign.DeletionTimestamp == nil:
		return unknown(v1alpha1.ReasonJobConflict, "Job "+step.JobName+" belongs to another owner; delete it, and the step starts")
	case s.job == nil && s.foreign == nil && s.mayStart(step) && recorded != nil && recorded.Reason == v1alpha1.ReasonJobRefused:
		return unknown(recorded.Reason, recorded.Message) // until it is created
	case step.State == v1alpha1.StepPending && !s.stored():
		condition, gone := s.storageState()
		if gone {
			return summary{metav1.ConditionFalse, condition.Reason, "before step " + step.Name + ": " + condition.Message}
		}
		return unknown(condition.Reason, condition.Message)
	case step.State == v1alpha1.StepPending:
		step.JobName = v1alpha1.JobName(s.object.Name, step.Name)
	}
	return unknown(v1alpha1.ReasonRunning, "at step "+step.Name)
}

// fatal is the step whose failure ends the run, and the run's reason. It is nil if there is none.
func (s sight) fatal(steps []v1alpha1.StepStatus) (*v1alpha1.StepStatus, string) {
	for i := range steps {
		step := &steps[i]
		stoppedInTime := step.Reason == v1alpha1.ReasonDeadlineExceeded && step.Name == s.object.Status.CurrentStep &&
			s.stopReason() == v1alpha1.ReasonDeadlineExceeded && (s.job == nil || s.brokenOff() || holds(s.job, batchv1.JobFailed) == nil)
		switch {
		case step.State != v1alpha1.StepFailed:
		case !stoppedInTime && specOf(s.object, step.Name).OnFailure == v1alpha1.FailurePolicyContinue:
		case stoppedInTime, step.Reason == v1alpha1.ReasonJobDeleted, step.Reason == v1alpha1.ReasonInvalidJobTemplate:
			return step, step.Reason
		default:
			return step, v1alpha1.ReasonStepFailed
		}
	}
	return nil, ""
}

func (s sight) suspended(result summary) metav1.Condition {
	condition := metav1.Condition{Type: v1alpha1.ConditionSuspended, Status: metav1.ConditionFalse}
	was := meta.IsStatusConditionTrue(s.object.Status.Conditions, condition.Type)
	switch {
	case result.status != metav1.ConditionUnknown:
		condition.Reason = v1alpha1.ReasonFinished
	case !s.wantsSuspended() && was && s.active() && jobSuspendWanted(s.job):
		condition.Status, condition.Reason, condition.Message = metav1.ConditionTrue, v1alpha1.ReasonSuspended, "the Job has not resumed yet"
	case !s.wantsSuspended():
		condition.Reason = v1alpha1.ReasonNotSuspended
	case s.active() && !stopped(s.job):
		condition.Reason, condition.Message = v1alpha1.ReasonSuspending, "the Job has not stopped yet"
	default:
		condition.Status, condition.Reason = metav1.ConditionTrue, v1alpha1.ReasonSuspended
	}
	return condition
}

// seconds is now, as the API stores it.
func (s sight) seconds() *metav1.Time { return new(metav1.NewTime(s.now.Truncate(time.Second))) }
