package jobdriver

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"example.com/controller-course/tests/kit/kinds"
)

// CollectGarbage does the first thing that the garbage collector would do with objects of the driver's kinds,
// and says whether there was anything: objects go whose controller is gone; what is being deleted in the foreground goes once its
// dependents are gone (pods are, always); what is being deleted as orphaning goes once its dependents
// have no reference to it. Objects that no object of these kinds controls are left alone, unless they are
// being deleted.
func (d *Driver) CollectGarbage(ctx context.Context) (bool, error) {
	objects, err := d.objects(ctx)
	if err != nil {
		return false, err
	}
	return d.collectGarbage(ctx, objects)
}

func (d *Driver) collectGarbage(ctx context.Context, objects []*unstructured.Unstructured) (bool, error) {
	there := map[types.UID]*unstructured.Unstructured{}
	for _, object := range objects {
		there[object.GetUID()] = object
	}
	for _, object := range objects {
		if object.GetDeletionTimestamp() != nil {
			if finalizer := ofTheCollector(object); finalizer != "" && !d.blocked(object, objects) {
				return true, d.letGo(ctx, object, finalizer)
			}
			continue
		}
		reference := d.controllerOf(object)
		if reference == nil {
			continue
		}
		switch owner := there[reference.UID]; {
		case owner == nil:
			if came, err := d.isThere(ctx, reference); came || err != nil {
				return came, err
			}
			return true, d.collect(ctx, object, metav1.DeletePropagationBackground)
		case goesInForeground(owner) && ptr.Deref(reference.BlockOwnerDeletion, false):
			return true, d.collect(ctx, object, metav1.DeletePropagationForeground)
		case orphans(owner):
			return true, d.orphan(ctx, object, owner)
		}
	}
	return false, nil
}

// controllerOf is the reference to the object that controls another, if it is of the driver's kinds.
func (d *Driver) controllerOf(object *unstructured.Unstructured) *metav1.OwnerReference {
	reference := metav1.GetControllerOf(object)
	if reference == nil || !slices.ContainsFunc(d.kinds, func(kind kinds.Kind) bool {
		return kind.Kind == reference.Kind && kind.GroupVersion().String() == reference.APIVersion
	}) {
		return nil
	}
	return reference
}

// isThere says whether an owner exists that did not when the objects were read: it may have been created since.
func (d *Driver) isThere(ctx context.Context, reference *metav1.OwnerReference) (bool, error) {
	owner := &metav1.PartialObjectMetadata{}
	owner.SetGroupVersionKind(schema.FromAPIVersionAndKind(reference.APIVersion, reference.Kind))
	err := d.client.Get(ctx, client.ObjectKey{Namespace: d.namespace, Name: reference.Name}, owner)
	return err == nil && owner.UID == reference.UID, client.IgnoreNotFound(err)
}

func (d *Driver) collect(ctx context.Context, object *unstructured.Unstructured, policy metav1.DeletionPropagation) error {
	d.log.Stimulate(garbageCollector, "deletes "+object.GetKind()+" "+object.GetName())
	uid := object.GetUID()
	return goneOrReplaced(d.client.Delete(ctx, object, client.Preconditions{UID: &uid}, client.PropagationPolicy(policy)))
}

// orphan takes the reference to an owner from an object.
func (d *Driver) orphan(ctx context.Context, object *unstructured.Unstructured, owner client.Object) error {
	d.log.Stimulate(garbageCollector, "orphans "+object.GetKind()+" "+object.GetName())
	return d.update(ctx, object, func() {
		object.SetOwnerReferences(slices.DeleteFunc(object.GetOwnerReferences(), func(reference metav1.OwnerReference) bool {
			return reference.UID == owner.GetUID()
		}))
	})
}

// letGo takes its finalizer from what is being deleted.
func (d *Driver) letGo(ctx context.Context, object *unstructured.Unstructured, finalizer string) error {
	d.log.Stimulate(garbageCollector, "lets "+object.GetKind()+" "+object.GetName()+" go")
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

// blocked says whether an owner that is being deleted has to wait for a dependent: to go, or to be orphaned.
func (d *Driver) blocked(owner *unstructured.Unstructured, objects []*unstructured.Unstructured) bool {
	return slices.ContainsFunc(objects, func(object *unstructured.Unstructured) bool {
		reference := d.controllerOf(object)
		if reference == nil || reference.UID != owner.GetUID() {
			return false
		}
		return goesInForeground(owner) && ptr.Deref(reference.BlockOwnerDeletion, false) || orphans(owner) && object.GetDeletionTimestamp() == nil
	})
}

// goneOrReplaced ignores the error if the object to delete is already gone, or replaced.
func goneOrReplaced(err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}
