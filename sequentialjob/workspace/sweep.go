package workspace

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/sequentialjob/buckets"
)

// sweep deletes an orphan: a bucket with the mark of a Workspace of this cluster that is gone. No controller can exclude that one
// is left: a request to create it may be done after the finalizer has gone, because it was under way in a dead process or in the
// store's own queue. A UID never comes back, so no Workspace can need the bucket any more. Listed is the bucket as a list of all has it.
func (r *Reconciler) sweep(ctx context.Context, listed *buckets.Bucket) error {
	if orphan, err := r.orphaned(ctx, listed); err != nil || !orphan {
		return err
	}
	// A bucket that is to stay gets its mark before its Workspace goes. So only a look after the Workspace has gone shows it for certain.
	bucket, err := r.Store.Look(ctx, listed.Name)
	if err != nil || bucket == nil || !r.mayBeOrphan(bucket) {
		return err
	}
	if err := r.Store.Delete(ctx, bucket.Name); err != nil {
		return fmt.Errorf("deleting the orphaned bucket %s: %w", bucket.Name, err)
	}
	sweptTotal.Inc()
	ctrl.LoggerFrom(ctx).Info("deleted a bucket whose Workspace is gone", "bucket", bucket.Name,
		"workspace", bucket.Owner.Namespace+"/"+bucket.Owner.Name, "uid", bucket.Owner.UID)
	return nil
}

// mayBeOrphan says whether a bucket is to be deleted if its Workspace is gone. A mark that doesn't fit the bucket's name is not one of ours.
func (r *Reconciler) mayBeOrphan(bucket *buckets.Bucket) bool {
	owner := bucket.Owner
	if owner.Namespace == "" || owner.Name == "" {
		return false // somebody has removed these marks, so nobody can say
	}
	return owner.Cluster == r.Cluster && !bucket.Retain && bucket.Name == v1alpha1.BucketName(types.UID(owner.UID))
}

// orphaned says whether a bucket has the mark of a Workspace of this cluster that is gone. The cache may be stale, so the API
// server has to say so. Somebody may have changed the name in the mark, so no Workspace at all must have the UID.
func (r *Reconciler) orphaned(ctx context.Context, bucket *buckets.Bucket) (bool, error) {
	if !r.mayBeOrphan(bucket) {
		return false, nil
	}
	owner := bucket.Owner
	live := &v1alpha1.Workspace{}
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: owner.Namespace, Name: owner.Name}, live)
	if client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("reading Workspace %s/%s, whose bucket may be an orphan: %w", owner.Namespace, owner.Name, err)
	}
	if err == nil && string(live.UID) == owner.UID {
		return false, nil
	}
	return r.nobodyHas(ctx, types.UID(owner.UID))
}

// nobodyHas says whether no Workspace of this cluster has a UID, as the API server knows.
func (r *Reconciler) nobodyHas(ctx context.Context, uid types.UID) (bool, error) {
	all := &metav1.PartialObjectMetadataList{}
	all.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.KindWorkspace + "List"))
	if err := r.Live.List(ctx, all); err != nil {
		return false, fmt.Errorf("listing all Workspaces, to delete a bucket only if it belongs to none: %w", err)
	}
	return !slices.ContainsFunc(all.Items, func(one metav1.PartialObjectMetadata) bool { return one.UID == uid }), nil
}
