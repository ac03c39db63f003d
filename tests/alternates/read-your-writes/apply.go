package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	batchv1ac "k8s.io/client-go/applyconfigurations/batch/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// labelOwner is on the pods of a step's Job; its value is the SequentialJob's UID.
const labelOwner = "read-your-writes.example.com/owner"

// statusOf is the apply configuration of a SequentialJob's status. It is typed, because the client waits for
// writes of unstructured objects only when unstructured objects are read.
type statusOf struct {
	metav1ac.TypeMetaApplyConfiguration    `json:",inline"`
	*metav1ac.ObjectMetaApplyConfiguration `json:"metadata"`
	Status                                 v1alpha1.SequentialJobStatus `json:"status"`
}

func (s *statusOf) IsApplyConfiguration()  {}
func (s *statusOf) GetName() *string       { return s.Name }
func (s *statusOf) GetNamespace() *string  { return s.Namespace }
func (s *statusOf) GetKind() *string       { return s.Kind }
func (s *statusOf) GetAPIVersion() *string { return s.APIVersion }

// applyStatus returns the object with the status applied. It fails if anything about the object is not as
// it was seen.
func (r *reconciler) applyStatus(ctx context.Context, object *v1alpha1.SequentialJob, status v1alpha1.SequentialJobStatus) (*v1alpha1.SequentialJob, error) {
	wanted := &statusOf{
		*metav1ac.TypeMeta().WithAPIVersion(v1alpha1.GroupVersion.String()).WithKind(v1alpha1.Kind),
		metav1ac.ObjectMeta().WithNamespace(object.Namespace).WithName(object.Name).
			WithUID(object.UID).WithResourceVersion(object.ResourceVersion),
		*status.DeepCopy(),
	}
	if err := r.Status().Apply(ctx, wanted, client.ForceOwnership); err != nil {
		return nil, err
	}
	before := object.Status
	object = object.DeepCopy()
	object.Status, object.ResourceVersion = status, *wanted.ResourceVersion
	r.announce(object, before)
	return object, nil
}

// createJob applies the Job of the current step, which did not exist a moment ago. It returns why the API
// server refused the Job, for the status.
func (r *reconciler) createJob(ctx context.Context, object *v1alpha1.SequentialJob) (*refusal, error) {
	job, err := jobOf(object, specOf(object, current(object.Status.Steps).Name))
	if err != nil {
		return nil, err
	}
	err = r.Apply(ctx, job)
	switch {
	case err == nil:
		r.pace.accepted(object.UID)
		return nil, nil
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return nil, err
	case apierrors.IsForbidden(err), apierrors.IsInvalid(err), byWebhook(err):
		// It may be invalid as a change to a Job that has just appeared. The next reconcile reads that Job.
		taken := r.live.Get(ctx, client.ObjectKey{Namespace: object.Namespace, Name: *job.Name}, &batchv1.Job{})
		if !apierrors.IsNotFound(taken) {
			return nil, err
		}
		if isFinal(err) {
			return &refusal{v1alpha1.ReasonInvalidJobTemplate, short(err.Error())}, nil
		}
		r.pace.refused(object.UID)
		return &refusal{v1alpha1.ReasonJobRefused, short(err.Error())}, nil
	default:
		return nil, err
	}
}

// jobOf is a step's Job as it is created: suspended until the status has its UID.
func jobOf(object *v1alpha1.SequentialJob, step *v1alpha1.Step) (*batchv1ac.JobApplyConfiguration, error) {
	template, err := json.Marshal(step.JobTemplate)
	if err != nil {
		return nil, err
	}
	job := batchv1ac.Job(v1alpha1.JobName(object.Name, step.Name), object.Namespace)
	if err := json.Unmarshal(template, job); err != nil {
		return nil, fmt.Errorf("read the template of step %s: %w", step.Name, err)
	}
	ours := map[string]string{v1alpha1.LabelSequentialJob: object.Name, v1alpha1.LabelStep: step.Name}
	job.WithLabels(ours).Spec.WithSuspend(true)
	job.Spec.Template.WithLabels(ours).WithLabels(map[string]string{labelOwner: string(object.UID)})
	job.WithOwnerReferences(metav1ac.OwnerReference().
		WithAPIVersion(v1alpha1.GroupVersion.String()).WithKind(v1alpha1.Kind).WithName(object.Name).WithUID(object.UID).
		WithController(true).WithBlockOwnerDeletion(true))
	return job, nil
}

// applySuspend suspends or resumes a Job as it was seen. It owns the field under a name of its own, and so
// a late request to create the Job, which would suspend it again, fails on a conflict.
func (r *reconciler) applySuspend(ctx context.Context, job *batchv1.Job, suspend bool) error {
	wanted := batchv1ac.Job(job.Name, job.Namespace).WithUID(job.UID).WithResourceVersion(job.ResourceVersion).
		WithSpec(batchv1ac.JobSpec().WithSuspend(suspend))
	return client.IgnoreNotFound(r.Apply(ctx, wanted, client.FieldOwner("suspend."+name), client.ForceOwnership))
}

// byWebhook says whether a webhook responded, which may choose any code.
func byWebhook(err error) bool {
	status, ok := err.(apierrors.APIStatus)
	return ok && strings.HasPrefix(status.Status().Message, "admission webhook ")
}

// isFinal says whether the API server itself found the Job invalid. Policies and webhooks respond with the
// same code, but name no fields, or say that they are a webhook.
func isFinal(err error) bool {
	status, ok := err.(apierrors.APIStatus)
	if !ok || !apierrors.IsInvalid(err) || status.Status().Details == nil || byWebhook(err) {
		return false
	}
	causes := status.Status().Details.Causes
	return len(causes) > 0 && !slices.ContainsFunc(causes, func(cause metav1.StatusCause) bool { return cause.Field == "" })
}

// short truncates a message to the length that a status can hold.
func short(message string) string {
	return strings.ToValidUTF8(message[:min(len(message), 900)], "")
}
