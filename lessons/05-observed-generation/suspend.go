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

// jobSuspended says whether a Job is suspended and nothing of it is running any more.
func jobSuspended(job *batchv1.Job) bool {
	// TODO(stopped): Distinguish the desired state from the actual state.
	// A Job is suspended once the Job controller has confirmed it. Pods may take longer to terminate.
	return jobSuspendWanted(job)
}

// active says whether anything of the step may be running.
func active(step *v1alpha1.StepStatus, seen facts) bool {
	job := seen.jobs[step.Name]
	return job != nil && !jobFinished(job) && !jobSuspended(job)
}

// setJobSuspend suspends or resumes the step's Job. The write fails if the Job is not as it was read, so a
// Job that has finished in the meantime does not change.
func (r *reconciler) setJobSuspend(ctx context.Context, seen facts, step *v1alpha1.Step, suspend bool) (facts, error) {
	// TODO(suspend-job): Suspend or resume the step's Job, and change nothing else of it.
	// The API server refuses the write if the Job is no longer as it was read. The returned facts have
	// the Job as it is after the write, because assess reads them next.
	return seen, nil
}

// suspendedCondition is the condition Suspended of a run with these steps.
func suspendedCondition(steps []v1alpha1.StepStatus, run verdict, seen facts) metav1.Condition {
	suspended := metav1.Condition{Type: v1alpha1.ConditionSuspended, Status: metav1.ConditionFalse}
	// TODO(suspended): Report whether the run is suspended: True only while nothing of it is active.
	// The reason distinguishes four cases: Finished, NotSuspended, Suspending (requested, but the Job has
	// not stopped yet) and Suspended. A run whose Job has not resumed yet is still suspended, even if
	// spec.suspend is not set any more.
	suspended.Reason, suspended.Message = v1alpha1.ReasonNotSuspended, "the controller can't suspend a run yet"
	return suspended
}
