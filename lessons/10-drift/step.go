package main

import (
	"cmp"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// settle records what the facts say about the current step. Its state only moves forward.
func settle(step *v1alpha1.StepStatus, seen facts) {
	job := seen.jobs[step.Name]
	hadJob := step.State == v1alpha1.StepRunning
	hadJob = hadJob || seen.created != ""
	switch {
	case job != nil:
		follow(step, job)
		if failedByStop(job, seen) {
			fail(step, seen, v1alpha1.ReasonDeadlineExceeded, stoppedMessage)
		}
	// The run was stopped, or the API server will never accept the Job.
	case hadJob && stopping(seen.object):
		fail(step, seen, v1alpha1.ReasonDeadlineExceeded, stoppedMessage)
	case hadJob:
		fail(step, seen, v1alpha1.ReasonJobDeleted,
			fmt.Sprintf("Job %s was deleted before the controller saw it finish; it does not run again, because it may have had an effect", step.JobName))
	case seen.refusal != nil && seen.refusal.final:
		fail(step, seen, v1alpha1.ReasonInvalidJobTemplate, seen.refusal.message)
	}
}

const stoppedMessage = "stopped: the run's activeDeadlineSeconds had passed"

// follow records what the step's Job shows.
func follow(step *v1alpha1.StepStatus, job *batchv1.Job) {
	step.State = v1alpha1.StepRunning
	step.JobName, step.JobUID = job.Name, job.UID
	step.StartTime = ptr.To(job.CreationTimestamp)
	if jobComplete(job) {
		step.State = v1alpha1.StepSucceeded
		step.CompletionTime = job.Status.CompletionTime
	}
	if failed := jobCondition(job, batchv1.JobFailed); failed != nil {
		step.State = v1alpha1.StepFailed
		step.CompletionTime = ptr.To(failed.LastTransitionTime)
		step.Reason, step.Message = failed.Reason, shorten(failed.Message)
	}
}

// fail records that the step has failed, although no Job says so.
func fail(step *v1alpha1.StepStatus, seen facts, reason, message string) {
	step.JobUID = cmp.Or(step.JobUID, seen.created)
	step.State = v1alpha1.StepFailed
	step.CompletionTime = &seen.now
	step.Reason, step.Message = reason, message
}
