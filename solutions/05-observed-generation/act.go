package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// act does what decide has chosen, and returns the facts as they are afterwards.
func (r *reconciler) act(ctx context.Context, seen facts, next action, step *v1alpha1.Step) (facts, error) {
	switch next {
	case createJob:
		return r.createJob(ctx, seen, step)
	case suspendJob, resumeJob:
		return r.setJobSuspend(ctx, seen, step, next == suspendJob)
	default:
		return seen, nil
	}
}

func (r *reconciler) createJob(ctx context.Context, seen facts, step *v1alpha1.Step) (facts, error) {
	job := newJob(seen.object, step)
	if err := r.Create(ctx, job); err != nil {
		seen.refusal = refusal(err, job)
		return seen, fmt.Errorf("creating the Job of step %s: %w", step.Name, err)
	}
	ctrl.LoggerFrom(ctx).Info("created the step's Job", "step", step.Name, "job", job.Name)
	seen.jobs[step.Name] = job
	return seen, nil
}

// refusal is why the API server refused a Job, in its own words. It is empty if creating the Job failed
// for another reason. The API server generates a new name for each attempt, and its message contains it.
// refusal removes that name. Otherwise each retry would write a different status, and each of these
// writes would trigger the next retry immediately. If a webhook responds, the name in the details may be
// anything, so its words stay as they are.
func refusal(err error, job *batchv1.Job) string {
	var response apierrors.APIStatus
	refused := apierrors.IsForbidden(err) || apierrors.IsInvalid(err)
	if !refused || !errors.As(err, &response) {
		return ""
	}
	status := response.Status()
	if strings.HasPrefix(status.Message, "admission webhook ") || status.Details == nil || status.Details.Name == "" {
		return status.Message
	}
	return strings.ReplaceAll(status.Message, status.Details.Name, job.GenerateName)
}
