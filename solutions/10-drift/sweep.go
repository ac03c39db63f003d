package main

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

// ownerGone says whether the Workspace that a bucket's marks name does not exist.
func (w *watcher) ownerGone(ctx context.Context, found *bucket) (bool, error) {
	namespace, name, named := strings.Cut(found.settings.Metadata[markWorkspace], "/")
	if !named {
		return false, nil // somebody has removed the mark, so nobody can say
	}
	key := client.ObjectKey{Namespace: namespace, Name: name}
	//exercise:begin owner-gone Who can say for sure that the Workspace is gone? Another one may have its name now: compare the UID with the
	//exercise:task mark. Only the response "not found" says that it is gone; any other error says nothing.
	owner := &v1alpha1.Workspace{}
	err := w.live.Get(ctx, key, owner)
	if client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("reading Workspace %s, whose bucket may be an orphan: %w", key, err)
	}
	return apierrors.IsNotFound(err) || string(owner.UID) != found.settings.Metadata[markUID], nil
	//exercise:starter return false, fmt.Errorf("nobody knows whether Workspace %s is gone", key)
	//exercise:end
}
