package controller

import (
	"cmp"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// updateStep records what the facts say about the current step. Its state only moves forward.
func updateStep(step *v1alpha1.StepStatus, seen facts) {
	job := seen.job
	if step.JobUID == "" {
		step.JobUID = seen.created
	}
	hadJob := step.JobUID != "" || step.State == v1alpha1.StepRunning
	switch {
	case isReplacement(step, job) && !jobFinished(job):
		// Another Job has replaced the step's own. The step is finished once the replacement has been
		// stopped; see outcomeOf.

	case job != nil && !isReplacement(step, job):
		step.JobUID = job.UID
		step.StartTime = new(job.CreationTimestamp)
		step.State = v1alpha1.StepRunning
		if complete := jobCondition(job, batchv1.JobComplete); complete != nil {
			step.State = v1alpha1.StepSucceeded
			step.CompletionTime = new(*cmp.Or(job.Status.CompletionTime, &complete.LastTransitionTime))
		}
		switch failed := jobCondition(job, batchv1.JobFailed); {
		case failed == nil:
		case failedByStop(job, seen):
			failStep(step, seen, v1alpha1.ReasonDeadlineExceeded, stoppedMessage)
		default:
			step.State = v1alpha1.StepFailed
			step.CompletionTime = new(failed.LastTransitionTime)
			step.Reason = failed.Reason
			step.Message = shorten(failed.Message)
		}

	case hadJob && stoppingAtDeadline(seen.object):
		failStep(step, seen, v1alpha1.ReasonDeadlineExceeded, stoppedMessage)

	case hadJob:
		failStep(step, seen, v1alpha1.ReasonJobDeleted,
			fmt.Sprintf("Job %s was deleted before the controller saw it finish; it does not run again, because it may have had an effect", step.JobName))

	case seen.refusal != nil && seen.refusal.reason == v1alpha1.ReasonInvalidJobTemplate:
		failStep(step, seen, v1alpha1.ReasonInvalidJobTemplate, seen.refusal.message)
	}
}

const stoppedMessage = "stopped: the run's activeDeadlineSeconds had passed"

func failStep(step *v1alpha1.StepStatus, seen facts, reason, message string) {
	step.State = v1alpha1.StepFailed
	step.CompletionTime = new(timestamp(seen.now))
	step.Reason = reason
	step.Message = message
}

// isReplacement says whether job, which has the step's Job name and our controller reference, is not
// the one that was recorded for the step.
func isReplacement(step *v1alpha1.StepStatus, job *batchv1.Job) bool {
	return job != nil && step.JobUID != "" && step.JobUID != job.UID
}
