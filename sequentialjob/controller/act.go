package controller

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/sequentialjob/internal/admission"
)

// nameTakenRetry is how long to wait before the next attempt when another owner's Job has the
// step's Job name. Usually that Job is not watched, and then no event arrives when it goes.
const nameTakenRetry = 5 * time.Second

// refusal is why a step's Job could not be created, as the status reports it.
type refusal struct {
	reason  string // one of the reasons of the condition Succeeded
	message string

	requeueAfter time.Duration // when to try again even if no event arrives; 0 for never
}

// act does what was decided and returns the facts as they are afterwards.
func (r *Reconciler) act(ctx context.Context, next action, seen facts) (facts, error) {
	switch next {
	case createWorkspace:
		return r.createWorkspace(ctx, seen)
	case createJob:
		return r.createJob(ctx, seen)
	case suspendJob, resumeJob:
		return r.setJobSuspend(ctx, seen, next == suspendJob)
	case stopJob:
		return seen, r.stopJob(ctx, seen)
	case deleteObject:
		return seen, r.deleteObject(ctx, seen)
	default:
		return seen, nil
	}
}

func (r *Reconciler) createJob(ctx context.Context, seen facts) (facts, error) {
	object := seen.object
	step := specOf(object, currentStep(object.Status.Steps))
	if step.TemplateError != "" {
		seen.refusal = &refusal{reason: v1alpha1.ReasonInvalidJobTemplate, message: shorten("the template can't be decoded: " + step.TemplateError)}
		return seen, nil
	}
	job := newJob(object, step, seen.workspace)
	err := r.Create(ctx, job)
	switch {
	case err == nil:
		return r.adopt(seen, job), nil
	case apierrors.IsAlreadyExists(err) && !admission.Denied(err): // a webhook may choose that reason too
		return r.adoptJob(ctx, seen, client.ObjectKeyFromObject(job))
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return r.retryLater(ctx, seen, fmt.Errorf("creating Job %s: %w", job.Name, err)), nil // the object itself is about to go, as a rule
	case refusedForGood(err):
		seen.refusal = &refusal{reason: v1alpha1.ReasonInvalidJobTemplate, message: shorten(err.Error())}
		return seen, nil
	case refusedForNow(err):
		return r.refused(ctx, seen, client.ObjectKeyFromObject(job), err)
	default:
		return seen, fmt.Errorf("creating Job %s: %w", job.Name, err)
	}
}

// refused records that the step's Job was refused, unless it exists: a quota refuses before names are
// compared, and it may be this very Job that has used it up.
func (r *Reconciler) refused(ctx context.Context, seen facts, key client.ObjectKey, refused error) (facts, error) {
	job, err := readJob(ctx, r.Live, key)
	if err != nil {
		return seen, err
	}
	if job != nil && metav1.IsControlledBy(job, seen.object) {
		return r.adopt(seen, job), nil
	}
	seen.refusal = &refusal{reason: v1alpha1.ReasonJobRefused, message: shorten(refused.Error())}
	return r.retryLater(ctx, seen, fmt.Errorf("creating Job %s: %w", key.Name, refused)), nil
}

// retryLater has a refused creation tried again after a while, which grows. An error would do so too. But a refusal is in the
// status, and its words may differ each time: the event of that write would bring the next attempt at once.
func (r *Reconciler) retryLater(ctx context.Context, seen facts, refused error) facts {
	seen.retryAt = r.expectations.recordRefusal(seen.object, seen.now)
	ctrl.LoggerFrom(ctx).Info("the API server refuses for now", "error", refused.Error(), "retryAt", seen.retryAt)
	return seen
}

// adopt takes a Job, which was created or read, for the step's.
func (r *Reconciler) adopt(seen facts, job *batchv1.Job) facts {
	r.expectations.expectJob(seen.object, job, seen.now)
	r.expectations.recordCreation(seen.object, job)
	seen.job = job
	return seen
}

// adoptJob reads the Job that already has the step's Job name. It is ours when an earlier create
// request succeeded and its response was lost.
func (r *Reconciler) adoptJob(ctx context.Context, seen facts, key client.ObjectKey) (facts, error) {
	job, err := readJob(ctx, r.Live, key)
	switch {
	case err != nil:
		return seen, err
	case job == nil:
		return seen, fmt.Errorf("creating Job %s: another Job had that name, and is gone now", key.Name)
	case metav1.IsControlledBy(job, seen.object):
		seen = r.adopt(seen, job)
	case beingDeleted(job):
		seen.refusal = &refusal{
			reason:       v1alpha1.ReasonRunning,
			message:      fmt.Sprintf("waiting until another Job named %s, which is being deleted, is gone", key.Name),
			requeueAfter: nameTakenRetry,
		}
	default:
		seen.refusal = &refusal{
			reason: v1alpha1.ReasonJobConflict,
			message: fmt.Sprintf("a Job named %s exists and belongs to %s; the step starts once that name is free: %s",
				key.Name, controllerOf(job), wayOut("Job", job, seen.object)),
			requeueAfter: nameTakenRetry,
		}
	}
	return seen, nil
}

// wayOut says what to do about another owner's Job or Workspace that has the name of one of the object's.
func wayOut(kind string, other client.Object, object *v1alpha1.SequentialJob) string {
	if owner := metav1.GetControllerOf(other); owner != nil && owner.APIVersion == v1alpha1.GroupVersion.String() && owner.Kind == v1alpha1.Kind && owner.Name == object.Name {
		return "it belongs to an earlier SequentialJob of this name, and the garbage collector removes it"
	}
	return fmt.Sprintf("delete that %s, or delete this SequentialJob and create it under another name", kind)
}

func controllerOf(object client.Object) string {
	if owner := metav1.GetControllerOf(object); owner != nil {
		return fmt.Sprintf("%s %s (UID %s)", owner.Kind, owner.Name, owner.UID)
	}
	return "nobody"
}

// refusedForGood says whether the API server found the Job itself invalid. Admission may refuse it
// with the same code, and may allow it later: a validating admission policy names no field.
// Source: k8s.io/apiserver/pkg/admission/plugin/policy/validating.
func refusedForGood(err error) bool {
	if !apierrors.IsInvalid(err) || admission.Denied(err) {
		return false
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil || len(status.Status().Details.Causes) == 0 {
		return false
	}
	for _, cause := range status.Status().Details.Causes {
		if cause.Field == "" {
			return false
		}
	}
	return true
}

// refusedForNow says whether the API server refused to create an object, and may allow it later.
func refusedForNow(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) && !refusedForGood(err) || admission.Denied(err) || admission.Unanswered(err)
}

func (r *Reconciler) setJobSuspend(ctx context.Context, seen facts, suspend bool) (facts, error) {
	job := seen.job.DeepCopy()
	job.Spec.Suspend = new(suspend)
	patch := client.MergeFromWithOptions(seen.job, client.MergeFromWithOptimisticLock{})
	if err := r.Patch(ctx, job, patch); err != nil {
		return seen, r.jobStaleIfConflict(ctx, seen, fmt.Errorf("setting suspend=%t on Job %s: %w", suspend, job.Name, err))
	}
	r.expectations.expectJob(seen.object, job, seen.now)
	seen.job = job
	return seen, nil
}

// stopJob deletes the Job in the foreground, so that it exists until its pods are gone. The request
// holds only for the state that was seen: the Job may have completed in the meantime.
func (r *Reconciler) stopJob(ctx context.Context, seen facts) error {
	err := r.Delete(ctx, seen.job, exactly(seen.job), client.PropagationPolicy(metav1.DeletePropagationForeground))
	if err != nil && !admission.Gone(err) {
		return r.jobStaleIfConflict(ctx, seen, fmt.Errorf("stopping Job %s: %w", seen.job.Name, err))
	}
	r.expectations.expectDeletion(seen.object, seen.job, seen.now)
	return nil
}

func (r *Reconciler) deleteObject(ctx context.Context, seen facts) error {
	err := r.Delete(ctx, seen.object, exactly(seen.object), client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err != nil && !admission.Gone(err) {
		return r.objectStaleIfConflict(ctx, seen.object, fmt.Errorf("deleting SequentialJob %s after its ttlSecondsAfterFinished: %w", seen.object.Name, err))
	}
	return nil
}

// exactly is the precondition that this is the object that was seen, in the state that was seen.
func exactly(object client.Object) client.Preconditions {
	return client.Preconditions{UID: new(object.GetUID()), ResourceVersion: new(object.GetResourceVersion())}
}

// specOf returns the step's entry in the spec.
func specOf(object *v1alpha1.SequentialJob, step *v1alpha1.StepStatus) *v1alpha1.Step {
	for i := range object.Spec.Steps {
		if object.Spec.Steps[i].Name == step.Name {
			return &object.Spec.Steps[i]
		}
	}
	return nil
}

// shorten keeps a message from another source within what a condition and an event can hold.
func shorten(message string) string {
	const most = 900
	if len(message) <= most {
		return message
	}
	return strings.ToValidUTF8(message[:most], "") + "…"
}
