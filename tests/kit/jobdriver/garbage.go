package jobdriver

import (
	"context"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// CollectGarbage does what the garbage collector does with SequentialJobs and their Jobs, until there is
// nothing left to do: Jobs go whose owner is gone; what is being deleted in the foreground goes once its
// dependents are gone (pods are, always); what is being deleted as orphaning goes once its dependents
// have no reference to it. It says whether there was anything. Jobs that no SequentialJob controls are
// left alone, unless they are being deleted.
func (d *Driver) CollectGarbage(ctx context.Context) (bool, error) {
	for any := false; ; any = true {
		if collected, err := d.collectOne(ctx); !collected || err != nil {
			return any, err
		}
	}
}

// collectOne does the first thing that is to be done, if any.
func (d *Driver) collectOne(ctx context.Context) (bool, error) {
	// The Jobs are read first, so that each one's owner, if it is there at all, is among the objects.
	jobs, err := d.jobs(ctx)
	if err != nil {
		return false, err
	}
	list := &v1alpha1.SequentialJobList{}
	if err := d.client.List(ctx, list, client.InNamespace(d.namespace)); err != nil {
		return false, err
	}
	owners := map[types.UID]*v1alpha1.SequentialJob{}
	for i := range list.Items {
		owners[list.Items[i].UID] = &list.Items[i]
	}

	for _, job := range jobs {
		if job.DeletionTimestamp != nil {
			if finalizer := ofTheCollector(job); finalizer != "" {
				return true, d.letGo(ctx, job, "Job", finalizer)
			}
			continue
		}
		reference := ownerOf(job)
		if reference == nil {
			continue
		}
		switch owner := owners[reference.UID]; {
		case owner == nil:
			return true, d.collect(ctx, job, metav1.DeletePropagationBackground)
		case goesInForeground(owner) && ptr.Deref(reference.BlockOwnerDeletion, false):
			return true, d.collect(ctx, job, metav1.DeletePropagationForeground)
		case orphans(owner):
			return true, d.orphan(ctx, job, owner)
		}
	}
	for i := range list.Items {
		owner := &list.Items[i]
		if finalizer := ofTheCollector(owner); owner.DeletionTimestamp != nil && finalizer != "" && !blocked(owner, jobs) {
			return true, d.letGo(ctx, owner, "SequentialJob", finalizer)
		}
	}
	return false, nil
}

func (d *Driver) collect(ctx context.Context, job *batchv1.Job, policy metav1.DeletionPropagation) error {
	d.log.Stimulate(garbageCollector, "deletes Job "+job.Name)
	return goneOrReplaced(d.client.Delete(ctx, job, client.Preconditions{UID: &job.UID}, client.PropagationPolicy(policy)))
}

// orphan takes the reference to an owner from a Job.
func (d *Driver) orphan(ctx context.Context, job *batchv1.Job, owner client.Object) error {
	d.log.Stimulate(garbageCollector, "orphans Job "+job.Name)
	return d.update(ctx, job, func() {
		job.OwnerReferences = slices.DeleteFunc(job.OwnerReferences, func(reference metav1.OwnerReference) bool {
			return reference.UID == owner.GetUID()
		})
	})
}

// letGo takes its finalizer from what is being deleted.
func (d *Driver) letGo(ctx context.Context, object client.Object, kind, finalizer string) error {
	d.log.Stimulate(garbageCollector, "lets "+kind+" "+object.GetName()+" go")
	return d.update(ctx, object, func() { controllerutil.RemoveFinalizer(object, finalizer) })
}

// ofTheCollector returns the garbage collector's finalizer of an object, of which there is one at most;
// empty when there is none. Those of others are theirs to remove.
func ofTheCollector(object client.Object) string {
	for _, finalizer := range []string{metav1.FinalizerDeleteDependents, metav1.FinalizerOrphanDependents} {
		if controllerutil.ContainsFinalizer(object, finalizer) {
			return finalizer
		}
	}
	return ""
}

func goesInForeground(owner client.Object) bool {
	return owner.GetDeletionTimestamp() != nil && ofTheCollector(owner) == metav1.FinalizerDeleteDependents
}

func orphans(owner client.Object) bool {
	return owner.GetDeletionTimestamp() != nil && ofTheCollector(owner) == metav1.FinalizerOrphanDependents
}

// blocked says whether a Job is in the way of the deletion of an owner in the foreground.
func blocked(owner client.Object, jobs []*batchv1.Job) bool {
	return goesInForeground(owner) && slices.ContainsFunc(jobs, func(job *batchv1.Job) bool {
		reference := ownerOf(job)
		return reference != nil && reference.UID == owner.GetUID() && ptr.Deref(reference.BlockOwnerDeletion, false)
	})
}

// goneOrReplaced ignores that what was to be deleted is gone already, or is another object by now.
func goneOrReplaced(err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}
