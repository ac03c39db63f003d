// Package jobdriver plays, for one namespace of a bare API server, what acts on Jobs in a real cluster: the
// Job controller, the garbage collector, and a user who deletes a Job. It acts only on request, so
// a scenario decides when a Job succeeds.
package jobdriver

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
)

// The actors, as the history names them.
const (
	jobController    = "job controller"
	garbageCollector = "garbage collector"
	user             = "user"
)

// Driver acts on the Jobs of a namespace. What it does to a Job that is gone, or that another one of the
// name has replaced, has no effect: controllers may have removed it, and that is for others to judge.
type Driver struct {
	client    client.Client
	namespace string
	log       *history.Log
	kinds     []kinds.Kind
	linger    bool // see Linger
	delayed   bool // see Delay
}

// New returns a driver that acts as administrator, through a client that reads from the API server, and
// records in log what it does. It collects garbage of these kinds; of kinds.Default where there are none.
func New(client client.Client, namespace string, log *history.Log, of ...kinds.Kind) *Driver {
	if len(of) == 0 {
		of = kinds.Default
	}
	return &Driver{client: client, namespace: namespace, log: log, kinds: of}
}

// React does the first thing that those it plays would do by themselves: collect garbage, start a Job,
// acknowledge that a Job is suspended. It says whether there was anything. How a Job ends is never
// decided here. But a Job that is about to end, and is suspended then, ends.
func (d *Driver) React(ctx context.Context) (bool, error) {
	objects, err := d.objects(ctx)
	if err != nil {
		return false, err
	}
	if collected, err := d.collectGarbage(ctx, objects); collected || err != nil || d.delayed {
		return collected, err
	}
	for _, object := range objects {
		if !isOurs(object) {
			continue
		}
		job := &batchv1.Job{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, job); err != nil {
			return false, fmt.Errorf("read Job %s: %w", object.GetName(), err)
		}
		switch {
		case Ended(job), job.DeletionTimestamp != nil:
		case IsSuspended(job) && Holds(job, batchv1.JobSuccessCriteriaMet): // which can't be stopped any more
			return true, d.Complete(ctx, job)
		case IsSuspended(job) && Holds(job, batchv1.JobFailureTarget):
			target := ConditionOf(&job.Status, batchv1.JobFailureTarget)
			return true, d.Fail(ctx, job, target.Reason, target.Message)
		case IsSuspended(job) && !Holds(job, batchv1.JobSuspended):
			return true, d.Suspend(ctx, job)
		case !IsSuspended(job) && (job.Status.StartTime == nil || Holds(job, batchv1.JobSuspended)):
			return true, d.Start(ctx, job)
		}
	}
	return false, nil
}

// Clear removes all objects of its kinds immediately, even those with finalizers.
func (d *Driver) Clear(ctx context.Context) error {
	objects, err := d.objects(ctx)
	if err != nil {
		return err
	}
	for _, object := range objects {
		if len(object.GetFinalizers()) == 0 {
			continue
		}
		if err := d.update(ctx, object, func() { object.SetFinalizers(nil) }); err != nil {
			return err
		}
	}
	for _, kind := range d.kinds {
		all := &unstructured.Unstructured{}
		all.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind))
		err := d.client.DeleteAllOf(ctx, all, client.InNamespace(d.namespace), client.PropagationPolicy(metav1.DeletePropagationBackground))
		if client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

// update reads the object again, changes it and writes it. It retries on a conflict.
func (d *Driver) update(ctx context.Context, object client.Object, change func()) error {
	uid := object.GetUID()
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		if err := d.client.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
			return err
		}
		if object.GetUID() != uid {
			return nil
		}
		change()
		return d.client.Update(ctx, object)
	})
	return client.IgnoreNotFound(err)
}

// updateStatus is update for the status of a Job, which it writes once for each change.
func (d *Driver) updateStatus(ctx context.Context, job *batchv1.Job, changes ...func(*batchv1.JobStatus)) error {
	return d.updateStatusWhile(ctx, job, func(*batchv1.Job) bool { return true }, changes...)
}

// updateStatusWhile is updateStatus as long as the Job is as it has to be: the controller may change that meanwhile.
func (d *Driver) updateStatusWhile(ctx context.Context, job *batchv1.Job, is func(*batchv1.Job) bool, changes ...func(*batchv1.JobStatus)) error {
	for _, change := range changes {
		err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			current := &batchv1.Job{}
			if err := d.client.Get(ctx, client.ObjectKeyFromObject(job), current); err != nil {
				return err
			}
			if current.UID != job.UID || Ended(current) || !is(current) { // the Job controller is done with those
				return nil
			}
			change(&current.Status)
			return d.client.Status().Update(ctx, current)
		})
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("write the status of Job %s: %w", job.Name, err)
		}
	}
	return nil
}

// objects are those of its kinds.
func (d *Driver) objects(ctx context.Context) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for _, kind := range d.kinds {
		objects, err := kind.List(ctx, d.client, d.namespace)
		if err != nil {
			return nil, err
		}
		all = append(all, objects...)
	}
	return all, nil
}

// isOurs says whether an object is a Job that a SequentialJob controls.
func isOurs(object *unstructured.Unstructured) bool {
	owner := metav1.GetControllerOf(object)
	return object.GroupVersionKind() == batchv1.SchemeGroupVersion.WithKind("Job") && owner != nil && owner.APIVersion == v1alpha1.GroupVersion.String() && owner.Kind == v1alpha1.Kind
}
