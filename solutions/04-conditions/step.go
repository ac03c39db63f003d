package main

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// settle records what the facts say about the current step. Its state only moves forward.
func settle(step *v1alpha1.StepStatus, seen facts) {
	//exercise:begin settle Record the step's state, and what users will ask about the step.
	//exercise:task A step with a Job is running until its Job has completed or failed. Set jobName and jobUID.
	//exercise:task Record when the Job was created, when it finished and, in the Job's own words, why it failed.
	//exercise:task A step that is recorded as running, but whose Job no longer exists, has failed with the reason
	//exercise:task JobDeleted: nobody knows what it has done.
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
	//exercise:end
}
