package main

import (
	"context"
	"errors"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

type runner struct {
	client.Client
	live client.Reader
}

// Reconcile starts again on each conflict with another writer. It leaves alone what another controller manages.
func (r *runner) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var reader client.Reader = r.Client
	return ctrl.Result{}, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		object := &v1alpha1.SequentialJob{}
		if err := reader.Get(ctx, request.NamespacedName, object); err != nil {
			return client.IgnoreNotFound(err)
		}
		reader = r.live // for the next attempt, because the cache is stale then
		managedBy := ptr.Deref(object.Spec.ManagedBy, v1alpha1.ControllerName)
		if object.DeletionTimestamp != nil || managedBy != v1alpha1.ControllerName || ended(&object.Status) {
			return nil
		}
		return r.reconcile(ctx, object)
	})
}

func (r *runner) reconcile(ctx context.Context, object *v1alpha1.SequentialJob) error {
	before := object.Status.DeepCopy()
	var refused error
	if object.Spec.StartAt != nil {
		decline(object)
	} else {
		var err error
		if refused, err = r.advance(ctx, object); err != nil {
			return err
		}
	}
	if equality.Semantic.DeepEqual(before, &object.Status) {
		return refused
	}
	return errors.Join(refused, client.IgnoreNotFound(r.Status().Update(ctx, object)))
}

// advance brings the current step and the status up to date. It returns why the step's Job was refused.
func (r *runner) advance(ctx context.Context, object *v1alpha1.SequentialJob) (refused, err error) {
	begin(object)
	if step := current(object); step != nil {
		job, err := r.find(ctx, object, step)
		if err != nil {
			return nil, err
		}
		if job == nil && step.State == v1alpha1.StepPending {
			job, refused = r.start(ctx, object, step)
		}
		update(step, job)
	}
	conclude(object, refused)
	return refused, nil
}

// find returns the step's Job, or nil if there is none. The cache may not show a Job that exists.
func (r *runner) find(ctx context.Context, object *v1alpha1.SequentialJob, step *v1alpha1.StepStatus) (*batchv1.Job, error) {
	job := &batchv1.Job{}
	key := client.ObjectKey{Namespace: object.Namespace, Name: v1alpha1.JobName(object.Name, step.Name)}
	err := r.Get(ctx, key, job)
	if apierrors.IsNotFound(err) && step.State == v1alpha1.StepRunning {
		err = r.live.Get(ctx, key, job)
	}
	if err != nil || !metav1.IsControlledBy(job, object) || step.JobUID != "" && step.JobUID != job.UID {
		return nil, client.IgnoreNotFound(err)
	}
	return job, nil
}

// start creates the step's Job, or returns the one that an earlier reconcile has created.
func (r *runner) start(ctx context.Context, object *v1alpha1.SequentialJob, step *v1alpha1.StepStatus) (*batchv1.Job, error) {
	job := jobOf(object, step.Name)
	err := r.Create(ctx, job)
	if !apierrors.IsAlreadyExists(err) {
		if err != nil {
			return nil, err
		}
		return job, nil
	}
	existing := &batchv1.Job{}
	if getErr := r.live.Get(ctx, client.ObjectKeyFromObject(job), existing); getErr != nil {
		return nil, getErr
	}
	if !metav1.IsControlledBy(existing, object) {
		return nil, err
	}
	return existing, nil
}

func jobOf(object *v1alpha1.SequentialJob, step string) *batchv1.Job {
	job := &batchv1.Job{}
	for _, one := range object.Spec.Steps {
		if one.Name == step {
			template := one.JobTemplate.DeepCopy()
			job.ObjectMeta, job.Spec = template.ObjectMeta, template.Spec
		}
	}
	job.Namespace, job.Name = object.Namespace, v1alpha1.JobName(object.Name, step)
	job.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(object, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))}
	return job
}
