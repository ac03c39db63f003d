package main

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// settle records what the facts say about the current step. Its state only moves forward.
func settle(step *v1alpha1.StepStatus, seen facts) {
	//exercise:begin settle Record where the step stands, and all that people will ask about it.
	//exercise:task A step that has a Job is running, or else it has succeeded or failed, as its Job tells.
	//exercise:task With it go JobName and JobUID, StartTime (when the Job was created) and CompletionTime, and
	//exercise:task for a failure Reason and Message, as the Job's condition gives them. A step that is recorded
	//exercise:task as running and whose Job is gone has failed (ReasonJobDeleted): nobody knows what it has done.
	job := seen.jobs[step.Name]
	if job == nil {
		if step.State == v1alpha1.StepRunning {
			step.State = v1alpha1.StepFailed
			step.CompletionTime = &seen.now
			step.Reason = v1alpha1.ReasonJobDeleted
			step.Message = fmt.Sprintf("Job %s was deleted before it was seen to finish; it is not run again, as what it did may have had its effect", step.JobName)
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
	//exercise:end
}
