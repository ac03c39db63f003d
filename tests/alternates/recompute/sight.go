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

// sight is the state that a reconcile has read.
type sight struct {
	now     time.Time
	object  *v1alpha1.SequentialJob
	job     *batchv1.Job        // with the current step's Job name, controlled by the object
	foreign *batchv1.Job        // with that name, and another owner's
	storage *v1alpha1.Workspace // of the name that the run uses
	refused *refusal            // why creating the Job failed in this reconcile
	pause   time.Duration       // before the next attempt to create it
}

// refusal is a reason and a message of the condition Succeeded.
type refusal struct{ reason, message string }

type action int

const (
	nothing action = iota
	createStorage
	createJob
	suspendJob
	resumeJob
	stopJob
	deleteObject
)

// due returns the action that the current status calls for.
func (s sight) due() action {
	if ended(&s.object.Status) {
		if left, limited := s.toLive(); limited && left <= 0 {
			return deleteObject
		}
		return nothing
	}
	step := current(s.object.Status.Steps)
	switch {
	case ownsStorage(s.object) && s.storage == nil && s.object.Status.Workspace != nil && s.object.Status.Workspace.UID == "" && !s.halted():
		return createStorage
	case step == nil, step.JobName == "":
		return nothing
	case s.job == nil && s.mayStart(step) && s.foreign == nil:
		return createJob
	case s.job == nil, finished(s.job), s.job.DeletionTimestamp != nil:
		return nothing
	case s.stopReason() != "":
		return stopJob
	case s.wantsSuspended() && !jobSuspendWanted(s.job):
		return suspendJob
	case !s.wantsSuspended() && jobSuspendWanted(s.job) && !s.late():
		return resumeJob
	}
	return nothing
}

// mayStart says whether a claimed step without a Job may get one.
func (s sight) mayStart(step *v1alpha1.StepStatus) bool {
	return step.JobName != "" && step.State == v1alpha1.StepPending && !s.halted() && s.stored()
}

// halted says whether nothing new may start.
func (s sight) halted() bool { return s.wantsSuspended() || s.stopReason() != "" || s.late() }

// stopReason is the recorded reason to stop the active Job, or empty if there is none.
func (s sight) stopReason() string {
	summary := meta.FindStatusCondition(s.object.Status.Conditions, v1alpha1.ConditionSucceeded)
	if summary != nil && summary.Status == metav1.ConditionUnknown &&
		(summary.Reason == v1alpha1.ReasonDeadlineExceeded || summary.Reason == v1alpha1.ReasonJobDeleted) {
		return summary.Reason
	}
	return ""
}

// replaced says whether the Job is not the one that was recorded.
func (s sight) replaced(step *v1alpha1.StepStatus) bool {
	return s.job != nil && step.JobUID != "" && s.job.UID != step.JobUID
}

func (s sight) active() bool { return s.job != nil && !finished(s.job) }

func (s sight) wantsSuspended() bool { return ptr.Deref(s.object.Spec.Suspend, false) }

// left is how much time the run has, if it is limited. It stays the same while the clock is stopped.
func (s sight) left() (time.Duration, bool) {
	status, now := &s.object.Status, s.now
	if s.object.Spec.ActiveDeadlineSeconds == nil || status.StartTime == nil {
		return 0, false
	}
	if s.paused() {
		now = meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSuspended).LastTransitionTime.Time
	}
	limit := time.Duration(*s.object.Spec.ActiveDeadlineSeconds+status.SuspendedSeconds) * time.Second
	return status.StartTime.Add(limit).Sub(now), true
}

// paused says whether the clock is stopped.
func (s sight) paused() bool {
	return meta.IsStatusConditionTrue(s.object.Status.Conditions, v1alpha1.ConditionSuspended)
}

func (s sight) late() bool {
	left, limited := s.left()
	return limited && left <= 0
}

// toLive is how long an object that has ended is kept, if that is limited.
func (s sight) toLive() (time.Duration, bool) {
	if s.object.Spec.TTLSecondsAfterFinished == nil || s.object.Status.CompletionTime == nil {
		return 0, false
	}
	ttl := time.Duration(*s.object.Spec.TTLSecondsAfterFinished) * time.Second
	return s.object.Status.CompletionTime.Add(ttl).Sub(s.now), true
}

// requeueAfter is how long to wait for something that no event announces; 0 for never.
func (s sight) requeueAfter() time.Duration {
	left, limited := s.left()
	switch {
	case ended(&s.object.Status):
		left, limited = s.toLive()
	case s.paused():
		limited = false
	}
	wait := time.Duration(0)
	if limited && left > 0 {
		wait = left
	}
	if s.foreign != nil && (wait == 0 || wait > foreignRetry) {
		wait = foreignRetry
	}
	if s.pause > 0 && (wait == 0 || wait > s.pause) && !ended(&s.object.Status) {
		wait = s.pause
	}
	return wait
}

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
	return step.State != v1alpha1.StepPending && step.State != v1alpha1.StepRunning
}

func ended(status *v1alpha1.SequentialJobStatus) bool {
	summary := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded)
	return summary != nil && summary.Status != metav1.ConditionUnknown
}

func finished(job *batchv1.Job) bool {
	return holds(job, batchv1.JobComplete) != nil || holds(job, batchv1.JobFailed) != nil
}

func jobSuspendWanted(job *batchv1.Job) bool { return ptr.Deref(job.Spec.Suspend, false) }

// stopped says whether a Job is suspended and nothing of it runs any more.
func stopped(job *batchv1.Job) bool {
	return jobSuspendWanted(job) && holds(job, batchv1.JobSuspended) != nil &&
		job.Status.Active == 0 && ptr.Deref(job.Status.Terminating, 0) == 0
}

func holds(job *batchv1.Job, conditionType batchv1.JobConditionType) *batchv1.JobCondition {
	for i := range job.Status.Conditions {
		if condition := &job.Status.Conditions[i]; condition.Type == conditionType && condition.Status == corev1.ConditionTrue {
			return condition
		}
	}
	return nil
}
