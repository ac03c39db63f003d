package main

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func suspendWanted(object *v1alpha1.SequentialJob) bool { return ptr.Deref(object.Spec.Suspend, false) }

func jobSuspendWanted(job *batchv1.Job) bool { return ptr.Deref(job.Spec.Suspend, false) }

// jobSuspended says whether nothing of a Job runs any more because it is suspended.
func jobSuspended(job *batchv1.Job) bool {
	// TODO(stopped): Tell what was asked for from what is so.
	// The Job controller confirms a suspension with the condition JobSuspended; pods may take their
	// time to end.
	return jobSuspendWanted(job)
}

// active says whether anything of the step may run.
func active(step *v1alpha1.StepStatus, seen facts) bool {
	job := seen.jobs[step.Name]
	return job != nil && !jobFinished(job) && !jobSuspended(job)
}

// setJobSuspend suspends or resumes the step's Job. The write holds only for the Job as it was seen: one
// that has finished in the meantime is not touched.
func (r *reconciler) setJobSuspend(ctx context.Context, seen facts, step *v1alpha1.Step, suspend bool) (facts, error) {
	// TODO(suspend-job): Change spec.suspend of the step's Job, and nothing else of it.
	// The write is to be refused if the Job is no longer as it was read. The facts are to have the Job
	// as it is afterwards, for assess.
	return seen, nil
}

// suspendedCondition is the condition Suspended of a run whose steps stand so.
func suspendedCondition(steps []v1alpha1.StepStatus, run verdict, seen facts) metav1.Condition {
	suspended := metav1.Condition{Type: v1alpha1.ConditionSuspended, Status: metav1.ConditionFalse}
	// TODO(suspended): Say whether the run is suspended: True only once nothing of it is active.
	// The reasons are ReasonFinished, ReasonNotSuspended, ReasonSuspending (asked for, but the Job
	// has not stopped yet) and ReasonSuspended. A Job that is still to be resumed is suspended yet,
	// though nobody asks for it any more.
	suspended.Reason, suspended.Message = v1alpha1.ReasonNotSuspended, "runs can't be suspended yet"
	return suspended
}
