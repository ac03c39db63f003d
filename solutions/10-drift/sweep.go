package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// sweep deletes a bucket if it is an orphan. No controller can prevent that some are left: a request to create a bucket can be done
// after the finalizer has gone, because it was on its way when the process died. And users remove finalizers by hand.
func (w *watcher) sweep(ctx context.Context, listed *bucket) error {
	if !w.mayBeOrphan(listed) {
		return nil
	}
	gone, err := w.ownerGone(ctx, listed)
	if err != nil || !gone {
		return err
	}
	found, err := w.store.look(ctx, listed.name) // the list may be stale by now
	if err != nil || found == nil || !w.mayBeOrphan(found) {
		return err
	}
	ctrl.LoggerFrom(ctx).Info("deleting a bucket whose Workspace is gone", "bucket", found.name, "workspace", found.settings.Metadata[markWorkspace])
	return w.store.delete(ctx, found.name)
}

// mayBeOrphan says whether a bucket would have to be deleted if its Workspace were gone.
func (w *watcher) mayBeOrphan(found *bucket) bool {
	//exercise:begin orphan By its marks, whose bucket may your controller delete? Others use the store too: the controllers of other
	//exercise:task clusters, and people. Some buckets are to stay without their Workspace. And somebody may have copied a bucket with its
	//exercise:task marks: then its name is not the one that v1alpha1.BucketName makes of the marked UID.
	marks := found.settings.Metadata
	return marks[markCluster] == w.cluster && marks[markRetain] == "" && found.name == v1alpha1.BucketName(types.UID(marks[markUID]))
	//exercise:starter return false
	//exercise:end
}

// ownerGone says whether the Workspace of a bucket does not exist.
func (w *watcher) ownerGone(ctx context.Context, found *bucket) (bool, error) {
	namespace, name, named := strings.Cut(found.settings.Metadata[markWorkspace], "/")
	if !named {
		return false, nil // somebody has removed the mark, so nobody can say
	}
	key := client.ObjectKey{Namespace: namespace, Name: name}
	uid := types.UID(found.settings.Metadata[markUID])
	//exercise:begin owner-gone Only the API server knows whether the Workspace is gone. Another Workspace may have the name now, or somebody has
	//exercise:task changed the name in the mark. So compare UIDs, and ask nobodyHas last. An error other than "not found" proves nothing.
	owner := &v1alpha1.Workspace{}
	err := w.live.Get(ctx, key, owner)
	if client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("reading Workspace %s, whose bucket may be an orphan: %w", key, err)
	}
	if err == nil && owner.UID == uid {
		return false, nil
	}
	return w.nobodyHas(ctx, uid)
	//exercise:starter _ = uid
	//exercise:starter return false, fmt.Errorf("nobody knows whether Workspace %s is gone", key)
	//exercise:end
}

// nobodyHas says whether no Workspace of this cluster has a UID. It reads all of them from the API server.
func (w *watcher) nobodyHas(ctx context.Context, uid types.UID) (bool, error) {
	all := &metav1.PartialObjectMetadataList{}
	all.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.KindWorkspace + "List"))
	if err := w.live.List(ctx, all); err != nil {
		return false, fmt.Errorf("listing all Workspaces, to delete a bucket only if it belongs to none: %w", err)
	}
	return !slices.ContainsFunc(all.Items, func(one metav1.PartialObjectMetadata) bool { return one.UID == uid }), nil
}
