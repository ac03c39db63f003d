package workspace

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/sequentialjob/buckets"
)

// facts are everything that decide and assess know. Acting changes them.
type facts struct {
	now time.Time

	// object as the cache shows it, or as this reconcile has written it.
	object *v1alpha1.Workspace

	// store says whether the operator has an object store.
	store bool

	// suspect says that the bucket may have changed since the status was written.
	suspect bool

	// looked says that bucket is what the store has: nil for none. Before, nothing is known but the status.
	looked bool
	bucket *foundBucket

	// secret is the Workspace's Secret, and foreignSecret another owner's that has its name; nil when there is none.
	secret        *corev1.Secret
	secretDiffers bool
	foreignSecret *corev1.Secret

	// truce is when a setting that somebody keeps changing may be put back again; zero if nobody does.
	truce time.Time

	// secretRetry is when to try the Secret again, which the API server has refused for now; zero for now.
	secretRetry time.Time

	// bucketProblem and secretProblem are why this reconcile could not go on with each of the two; nil if it could.
	bucketProblem, secretProblem *problem
}

// foundBucket is the bucket that has the Workspace's bucket name.
type foundBucket struct {
	raw      *buckets.Bucket
	created  time.Time
	retained bool     // its mark says that it stays when the Workspace goes
	mine     bool     // it has this Workspace's mark
	owner    string   // whose mark it has, for people
	blank    bool     // it has never had content
	emptied  bool     // it had content, and has none any more
	overfull bool     // it holds more than its capacity
	differs  []string // settings that are not what the Workspace wants
	locked   []string // settings that can't be put back without losing files
}

// observe gathers what is known without asking the store.
func (r *Reconciler) observe(ctx context.Context, object *v1alpha1.Workspace) (facts, error) {
	key := client.ObjectKeyFromObject(object)
	seen := facts{
		now: r.Clock.Now(), object: object, store: r.Store != nil,
		suspect: r.suspects.is(object.UID), truce: r.disputes.until(object.UID, restoring), secretRetry: r.refusals.until(object.UID, asking),
	}
	if beingDeleted(object) || r.Store == nil {
		return seen, nil // the garbage collector removes the Secret, or there is none
	}
	secret, err := r.readSecret(ctx, r.Client, object)
	if err != nil {
		return seen, err
	}
	if secret == nil && object.Status.Binding != nil { // it is gone, or the cache is stale
		if secret, err = r.readSecret(ctx, r.Live, object); err != nil {
			return seen, fmt.Errorf("reading the Secret of Workspace %s: %w", key.Name, err)
		}
	}
	return r.withSecret(seen, secret), nil
}

// readSecret returns nil when there is no Secret of that name.
func (r *Reconciler) readSecret(ctx context.Context, reader client.Reader, object *v1alpha1.Workspace) (*corev1.Secret, error) {
	secret := bindingSecret(object)
	err := reader.Get(ctx, client.ObjectKeyFromObject(secret), secret)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return secret, err
}

// withBucket returns the facts with what the store has.
func (r *Reconciler) withBucket(seen facts, bucket *buckets.Bucket) facts {
	seen.looked, seen.bucket = true, nil
	if bucket == nil {
		return seen
	}
	wanted := r.wanted(seen.object)
	seen.bucket = &foundBucket{
		raw:      bucket,
		created:  bucket.Created,
		retained: bucket.Retain,
		mine:     isMine(bucket.Owner, wanted.Owner),
		owner:    nameOf(bucket.Owner),
		blank:    bucket.Blank,
		emptied:  bucket.Emptied,
		overfull: bucket.Bytes > uint64(max(0, wanted.Capacity)),
		differs:  bucket.Differs(wanted),
		locked:   bucket.Locked(),
	}
	return seen
}

// isMine says whether a bucket's mark is that of the Workspace. A UID is enough: nobody else has it, and a mark without a cluster is one
// that somebody has removed a part of, or that a controller made which marks the UID only.
func isMine(owner, wanted buckets.Owner) bool {
	return owner.UID == wanted.UID && (owner.Cluster == wanted.Cluster || owner.Cluster == "")
}

// wanted is the bucket that the Workspace asks for.
func (r *Reconciler) wanted(object *v1alpha1.Workspace) buckets.Wanted {
	return buckets.Wanted{
		Name:     v1alpha1.BucketName(object.UID),
		Capacity: object.Spec.Capacity.Value(),
		Retain:   object.Spec.DeletionPolicy == v1alpha1.DeletionPolicyRetain,
		Owner:    buckets.Owner{Cluster: r.Cluster, UID: string(object.UID), Namespace: object.Namespace, Name: object.Name},
	}
}

func nameOf(owner buckets.Owner) string {
	if owner == (buckets.Owner{}) {
		return "nobody that it names"
	}
	return fmt.Sprintf("Workspace %s/%s (UID %s) of the cluster %s", owner.Namespace, owner.Name, owner.UID, owner.Cluster)
}

// forget drops what is known of a name whose object is gone.
func (r *Reconciler) forget(key types.NamespacedName) {
	if uid := r.versions.forget(key); uid != "" {
		r.suspects.clear(uid)
		r.disputes.forget(uid)
		r.refusals.forget(uid)
	}
}
