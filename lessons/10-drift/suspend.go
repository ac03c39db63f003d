package main

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func suspendWanted(object *v1alpha1.SequentialJob) bool { return ptr.Deref(object.Spec.Suspend, false) }

func jobSuspendWanted(job *batchv1.Job) bool { return ptr.Deref(job.Spec.Suspend, false) }

// jobSuspended says whether a Job is suspended and nothing of it is running any more.
func jobSuspended(job *batchv1.Job) bool {
	return jobSuspendWanted(job) && jobCondition(job, batchv1.JobSuspended) != nil &&
		job.Status.Active == 0 && ptr.Deref(job.Status.Terminating, 0) == 0
}

// active says whether anything of the step may be running.
func active(step *v1alpha1.StepStatus, seen facts) bool {
	job := seen.jobs[step.Name]
	return job != nil && !jobFinished(job) && !jobSuspended(job)
}

// setJobSuspend suspends or resumes the step's Job. The write fails if the Job is not as it was read, so a
// Job that has finished in the meantime does not change.
func (r *reconciler) setJobSuspend(ctx context.Context, seen facts, step *v1alpha1.Step, suspend bool) (facts, error) {
	job := seen.jobs[step.Name]
	changed := job.DeepCopy()
	changed.Spec.Suspend = &suspend
	patch := client.MergeFromWithOptions(job, client.MergeFromWithOptimisticLock{})
	if err := r.Patch(ctx, changed, patch); err != nil {
		return seen, r.staleIfConflict(ctx, seen, job, fmt.Errorf("setting suspend=%t on Job %s: %w", suspend, job.Name, err))
	}
	r.expectations.expectJob(seen, changed)
	seen.jobs[step.Name] = changed
	return seen, nil
}

// suspendedCondition is the condition Suspended of a run with these steps.
func suspendedCondition(steps []v1alpha1.StepStatus, run verdict, seen facts) metav1.Condition {
	suspended := metav1.Condition{Type: v1alpha1.ConditionSuspended, Status: metav1.ConditionFalse}
	if run.status != metav1.ConditionUnknown {
		suspended.Reason, suspended.Message = v1alpha1.ReasonFinished, "nothing is left to suspend"
		return suspended
	}
	step := currentStep(steps)
	job := seen.jobs[step.Name]
	switch {
	case job != nil && jobSuspended(job):
		suspended.Status = metav1.ConditionTrue
		suspended.Reason, suspended.Message = v1alpha1.ReasonSuspended, fmt.Sprintf("Job %s is suspended", job.Name)
	case !suspendWanted(seen.object):
		suspended.Reason, suspended.Message = v1alpha1.ReasonNotSuspended, "spec.suspend is not set"
	case active(step, seen):
		suspended.Reason, suspended.Message = v1alpha1.ReasonSuspending, fmt.Sprintf("waiting for Job %s to stop", job.Name)
	default:
		suspended.Status = metav1.ConditionTrue
		suspended.Reason, suspended.Message = v1alpha1.ReasonSuspended, "nothing is running, as spec.suspend requests"
	}
	return suspended
}
