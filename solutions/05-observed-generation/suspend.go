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

// jobSuspended says whether nothing of a Job runs any more because it is suspended.
func jobSuspended(job *batchv1.Job) bool {
	//exercise:begin stopped Tell what was asked for from what is so.
	//exercise:task The Job controller confirms a suspension with the condition JobSuspended; pods may take their
	//exercise:task time to end.
	return jobSuspendWanted(job) && jobCondition(job, batchv1.JobSuspended) != nil &&
		job.Status.Active == 0 && ptr.Deref(job.Status.Terminating, 0) == 0
	//exercise:starter return jobSuspendWanted(job)
	//exercise:end
}

// active says whether anything of the step may run.
func active(step *v1alpha1.StepStatus, seen facts) bool {
	job := seen.jobs[step.Name]
	return job != nil && !jobFinished(job) && !jobSuspended(job)
}

// setJobSuspend suspends or resumes the step's Job. The write holds only for the Job as it was seen: one
// that has finished in the meantime is not touched.
func (r *reconciler) setJobSuspend(ctx context.Context, seen facts, step *v1alpha1.Step, suspend bool) (facts, error) {
	//exercise:begin suspend-job Change spec.suspend of the step's Job, and nothing else of it.
	//exercise:task The write is to be refused if the Job is no longer as it was read. The facts are to have the Job
	//exercise:task as it is afterwards, for assess.
	job := seen.jobs[step.Name]
	changed := job.DeepCopy()
	changed.Spec.Suspend = &suspend
	patch := client.MergeFromWithOptions(job, client.MergeFromWithOptimisticLock{})
	if err := r.Patch(ctx, changed, patch); err != nil {
		return seen, fmt.Errorf("setting suspend=%t on Job %s: %w", suspend, job.Name, err)
	}
	seen.jobs[step.Name] = changed
	//exercise:end
	return seen, nil
}

// suspendedCondition is the condition Suspended of a run whose steps stand so.
func suspendedCondition(steps []v1alpha1.StepStatus, run verdict, seen facts) metav1.Condition {
	suspended := metav1.Condition{Type: v1alpha1.ConditionSuspended, Status: metav1.ConditionFalse}
	//exercise:begin suspended Say whether the run is suspended: True only once nothing of it is active.
	//exercise:task The reasons are ReasonFinished, ReasonNotSuspended, ReasonSuspending (asked for, but the Job
	//exercise:task has not stopped yet) and ReasonSuspended. A Job that is still to be resumed is suspended yet,
	//exercise:task though nobody asks for it any more.
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
		suspended.Reason, suspended.Message = v1alpha1.ReasonSuspended, "nothing runs, as spec.suspend asks"
	}
	//exercise:starter suspended.Reason, suspended.Message = v1alpha1.ReasonNotSuspended, "runs can't be suspended yet"
	//exercise:end
	return suspended
}
