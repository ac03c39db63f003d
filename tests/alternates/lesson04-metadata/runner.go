package main

import (
	"context"
	"errors"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// stepLabel names the step of a Job.
const stepLabel = "lesson04-metadata.example.com/step"

type runner struct {
	writer client.Client
	live   client.Reader
}

func (r *runner) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &v1alpha1.SequentialJob{}
	if err := r.live.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	managedBy := ptr.Deref(object.Spec.ManagedBy, v1alpha1.ControllerName)
	if object.DeletionTimestamp != nil || managedBy != v1alpha1.ControllerName || ended(&object.Status) {
		return ctrl.Result{}, nil
	}
	before := object.Status.DeepCopy()
	failed := r.advance(ctx, object)
	if equality.Semantic.DeepEqual(before, &object.Status) {
		return ctrl.Result{}, failed
	}
	return ctrl.Result{}, errors.Join(failed, client.IgnoreNotFound(r.writer.Status().Update(ctx, object)))
}

// advance brings the status up to date, and starts the next step once the status records all that came before it.
func (r *runner) advance(ctx context.Context, object *v1alpha1.SequentialJob) error {
	if object.Spec.StartAt != nil {
		decline(object)
		return nil
	}
	jobs, err := r.jobs(ctx, object)
	if err != nil {
		return err
	}
	recorded := object.Status.DeepCopy().Steps
	record(object, jobs)
	var refused error
	if step := current(&object.Status); step != nil && step.State == v1alpha1.StepPending && equality.Semantic.DeepEqual(recorded, object.Status.Steps) {
		job := jobOf(object, step.Name)
		if refused = r.writer.Create(ctx, job); refused == nil {
			show(step, job)
		}
	}
	summarize(object, refused)
	return refused
}

// jobs are those that the object controls, by step. The API server lists them.
func (r *runner) jobs(ctx context.Context, object *v1alpha1.SequentialJob) (map[string][]*batchv1.Job, error) {
	list := &batchv1.JobList{}
	if err := r.live.List(ctx, list, client.InNamespace(object.Namespace), client.HasLabels{stepLabel}); err != nil {
		return nil, err
	}
	jobs := map[string][]*batchv1.Job{}
	for i := range list.Items {
		if job := &list.Items[i]; metav1.IsControlledBy(job, object) {
			jobs[job.Labels[stepLabel]] = append(jobs[job.Labels[stepLabel]], job)
		}
	}
	return jobs, nil
}

func jobOf(object *v1alpha1.SequentialJob, step string) *batchv1.Job {
	job := &batchv1.Job{}
	for _, one := range object.Spec.Steps {
		if one.Name == step {
			template := one.JobTemplate.DeepCopy()
			job.ObjectMeta, job.Spec = template.ObjectMeta, template.Spec
		}
	}
	if job.Labels == nil {
		job.Labels = map[string]string{}
	}
	job.Labels[stepLabel] = step
	job.Namespace, job.GenerateName = object.Namespace, step+"-"
	job.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(object, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))}
	return job
}
