package main

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// settle records what the facts say about the current step. Its state only moves forward.
func settle(step *v1alpha1.StepStatus, seen facts) {
	job := seen.jobs[step.Name]
	if job == nil {
		if step.State == v1alpha1.StepRunning {
			step.State = v1alpha1.StepFailed
			step.CompletionTime = &seen.now
			step.Reason = v1alpha1.ReasonJobDeleted
			step.Message = fmt.Sprintf("Job %s was deleted before the controller saw it finish; it does not run again, because it may have had an effect", step.JobName)
		}
		return
	}
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
		step.Reason, step.Message = failed.Reason, failed.Message
	}
}
