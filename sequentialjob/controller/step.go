package controller

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// settleStep records what the facts say about the current step. Its state only moves forward.
func settleStep(step *v1alpha1.StepStatus, seen facts) {
	job := seen.job
	if step.JobUID == "" {
		step.JobUID = seen.created
	}
	hadJob := step.JobUID != "" || step.State == v1alpha1.StepRunning
	switch {
	case isStray(step, job) && !jobFinished(job):
		// Somebody put another Job in the place of the step's own. The step is over once that one
		// has been stopped; see judgeRun.

	case job != nil && !isStray(step, job):
		step.JobUID = job.UID
		step.StartTime = ptr.To(job.CreationTimestamp)
		step.State = v1alpha1.StepRunning
		if complete := jobCondition(job, batchv1.JobComplete); complete != nil {
			step.State = v1alpha1.StepSucceeded
			step.CompletionTime = ptr.To(ptr.Deref(job.Status.CompletionTime, complete.LastTransitionTime))
		}
		if failed := jobCondition(job, batchv1.JobFailed); failed != nil {
			step.State = v1alpha1.StepFailed
			step.CompletionTime = ptr.To(failed.LastTransitionTime)
			step.Reason = failed.Reason
			step.Message = shorten(failed.Message)
		}

	case hadJob && stopReason(&seen.object.Status) == v1alpha1.ReasonDeadlineExceeded:
		failStep(step, seen, v1alpha1.ReasonDeadlineExceeded, "stopped: the run's activeDeadlineSeconds had passed")

	case hadJob:
		failStep(step, seen, v1alpha1.ReasonJobDeleted,
			fmt.Sprintf("Job %s was deleted before it was seen to finish; it is not run again, as what it did may have had its effect", step.JobName))

	case seen.refusal != nil && seen.refusal.reason == v1alpha1.ReasonInvalidJobTemplate:
		failStep(step, seen, v1alpha1.ReasonInvalidJobTemplate, seen.refusal.message)
	}
}

func failStep(step *v1alpha1.StepStatus, seen facts, reason, message string) {
	step.State = v1alpha1.StepFailed
	step.CompletionTime = ptr.To(timestamp(seen.now))
	step.Reason = reason
	step.Message = message
}

// isStray says whether job, which bears the step's Job name and our controller reference, is not
// the one that was recorded for the step.
func isStray(step *v1alpha1.StepStatus, job *batchv1.Job) bool {
	return job != nil && step.JobUID != "" && step.JobUID != job.UID
}
