package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/recorder"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// foreignRetry is how often to check whether a foreign Job still exists: its events do not arrive here.
const foreignRetry = 5 * time.Second

type runner struct {
	live   client.Reader
	writer client.Client
	events recorder.EventRecorder
	pace   *pace
}

// Reconcile reconciles one object.
func (r *runner) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &v1alpha1.SequentialJob{}
	if err := r.live.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if ptr.Deref(object.Spec.ManagedBy, v1alpha1.ControllerName) != v1alpha1.ControllerName || object.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	seen, err := r.look(ctx, object)
	if err != nil {
		return ctrl.Result{}, err
	}

	status := seen.recompute()
	if !equality.Semantic.DeepEqual(status, object.Status) {
		return ctrl.Result{}, r.write(ctx, object, status)
	}
	refused, err := r.do(ctx, seen)
	if refused != nil {
		seen.refused, seen.pause = refused, r.pace.left(object.UID)
		if status := seen.recompute(); !equality.Semantic.DeepEqual(status, object.Status) {
			err = errors.Join(err, r.write(ctx, object, status))
		}
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: seen.requeueAfter()}, nil
}

// look reads the Job with the current step's Job name.
func (r *runner) look(ctx context.Context, object *v1alpha1.SequentialJob) (sight, error) {
	seen := sight{object: object, now: time.Now(), pause: r.pace.left(object.UID)}
	step := current(object.Status.Steps)
	if ended(&object.Status) {
		return seen, nil
	}
	var err error
	if seen.storage, err = r.lookAtStorage(ctx, object); err != nil || step == nil || step.JobName == "" {
		return seen, err
	}
	job := &batchv1.Job{}
	err = r.live.Get(ctx, client.ObjectKey{Namespace: object.Namespace, Name: step.JobName}, job)
	switch {
	case apierrors.IsNotFound(err):
	case err != nil:
		return seen, err
	case metav1.IsControlledBy(job, object):
		seen.job = job
	default:
		seen.foreign = job
	}
	return seen, nil
}

func (r *runner) write(ctx context.Context, object *v1alpha1.SequentialJob, status v1alpha1.SequentialJobStatus) error {
	before := object.Status
	object = object.DeepCopy()
	object.Status = status
	if err := r.writer.Status().Update(ctx, object); err != nil {
		return client.IgnoreNotFound(err)
	}
	r.tell(object, before, status)
	return nil
}

// do takes the action that is due now that the status is as it should be. It returns why the API server
// refused the step's Job, for the status.
func (r *runner) do(ctx context.Context, seen sight) (*refusal, error) {
	asRead := func(object client.Object) client.Preconditions {
		return client.Preconditions{UID: new(object.GetUID()), ResourceVersion: new(object.GetResourceVersion())}
	}
	switch seen.due() {
	case createStorage:
		return nil, r.createStorage(ctx, seen.object)
	case createJob:
		if seen.pause > 0 {
			return nil, nil
		}
		return r.create(ctx, seen.object, seen.storage)
	case suspendJob, resumeJob:
		job := seen.job.DeepCopy()
		job.Spec.Suspend = new(seen.due() == suspendJob)
		return nil, r.writer.Update(ctx, job)
	case stopJob:
		err := r.writer.Delete(ctx, seen.job, asRead(seen.job), client.PropagationPolicy(metav1.DeletePropagationForeground))
		return nil, client.IgnoreNotFound(err)
	case deleteObject:
		err := r.writer.Delete(ctx, seen.object, asRead(seen.object), client.PropagationPolicy(metav1.DeletePropagationBackground))
		return nil, client.IgnoreNotFound(err)
	}
	return nil, nil
}

func (r *runner) create(ctx context.Context, object *v1alpha1.SequentialJob, storage *v1alpha1.Workspace) (*refusal, error) {
	job := jobOf(object, specOf(object, current(object.Status.Steps).Name))
	if storage != nil {
		mount(&job.Spec.Template.Spec, storage.Status.Binding.Name)
	}
	err := r.writer.Create(ctx, job)
	switch {
	case err == nil:
		r.pace.accepted(object.UID)
		return nil, nil
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return nil, nil
	case isFinal(err):
		return &refusal{v1alpha1.ReasonInvalidJobTemplate, short(err)}, nil
	case apierrors.IsForbidden(err), apierrors.IsInvalid(err), byWebhook(err):
		r.pace.refused(object.UID)
		return &refusal{v1alpha1.ReasonJobRefused, short(err)}, nil
	default:
		return nil, err // also if the name is taken: the next reconcile reads the Job that has it
	}
}

// jobOf is a step's Job. It is suspended until the status has its UID.
func jobOf(object *v1alpha1.SequentialJob, step *v1alpha1.Step) *batchv1.Job {
	template := step.JobTemplate.DeepCopy()
	job := &batchv1.Job{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	job.Namespace, job.Name = object.Namespace, v1alpha1.JobName(object.Name, step.Name)
	job.Spec.Suspend = new(true)
	job.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(object, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))}
	for _, labels := range []*map[string]string{&job.Labels, &job.Spec.Template.Labels} {
		if *labels == nil {
			*labels = map[string]string{}
		}
		(*labels)[v1alpha1.LabelSequentialJob], (*labels)[v1alpha1.LabelStep] = object.Name, step.Name
	}
	return job
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
	if !ok || !apierrors.IsInvalid(err) || byWebhook(err) {
		return false
	}
	details := status.Status().Details
	if details == nil || len(details.Causes) == 0 {
		return false
	}
	for _, cause := range details.Causes {
		if cause.Field == "" {
			return false
		}
	}
	return true
}

// short truncates a message to the length that a status can hold.
func short(err error) string {
	message := err.Error()
	return strings.ToValidUTF8(message[:min(len(message), 900)], "")
}

func specOf(object *v1alpha1.SequentialJob, name string) *v1alpha1.Step {
	for i := range object.Spec.Steps {
		if object.Spec.Steps[i].Name == name {
			return &object.Spec.Steps[i]
		}
	}
	panic(fmt.Sprintf("step %q has gone from an immutable list", name))
}
