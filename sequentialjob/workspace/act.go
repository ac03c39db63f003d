package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/sequentialjob/buckets"
	"example.com/controller-course/sequentialjob/internal/admission"
)

// act does what was decided and returns the facts as they are afterwards. If it fails for a reason that a user has to know, the
// facts have that reason too.
func (r *Reconciler) act(ctx context.Context, next action, seen facts) (facts, error) {
	switch next {
	case addFinalizer, removeFinalizer:
		return r.setFinalizer(ctx, seen, next == addFinalizer)
	case look:
		return r.look(ctx, seen)
	case createBucket, anchorBucket, updateBucket, retainBucket, deleteBucket:
		after, err := seen, r.confirm(ctx, next, seen.object)
		if err == nil {
			after, err = r.change(ctx, next, seen)
		}
		if err != nil {
			r.suspects.add(seen.object.UID) // whatever the status says: it may have been done, and what was seen is not corrected yet
		}
		return after, err
	case createSecret:
		return r.createSecret(ctx, seen)
	case updateSecret:
		return r.updateSecret(ctx, seen)
	default:
		return seen, nil
	}
}

// setFinalizer adds or removes the Workspace's own finalizer. The patch replaces the whole list, so it holds only for the list
// that was read.
func (r *Reconciler) setFinalizer(ctx context.Context, seen facts, present bool) (facts, error) {
	object, verb := seen.object.DeepCopy(), "adding the finalizer to"
	if present {
		controllerutil.AddFinalizer(object, v1alpha1.FinalizerBucket)
	} else {
		controllerutil.RemoveFinalizer(object, v1alpha1.FinalizerBucket)
		verb = "removing the finalizer of"
	}
	patch := client.MergeFromWithOptions(seen.object, client.MergeFromWithOptimisticLock{})
	if err := r.Patch(ctx, object, patch); err != nil {
		return seen, staleIfBehind(fmt.Errorf("%s Workspace %s: %w", verb, object.Name, err))
	}
	r.versions.expect(object)
	seen.object = object
	return seen, nil
}

// look asks the store for the bucket.
func (r *Reconciler) look(ctx context.Context, seen facts) (facts, error) {
	r.suspects.clear(seen.object.UID) // what is suspected from here on leads to another look
	bucket, err := r.Store.Look(ctx, v1alpha1.BucketName(seen.object.UID))
	if err != nil {
		if seen.suspect {
			r.suspects.add(seen.object.UID)
		}
		return storeFailed(seen, err)
	}
	return r.withBucket(seen, bucket), nil
}

// change creates, anchors, updates or deletes the bucket.
func (r *Reconciler) change(ctx context.Context, next action, seen facts) (facts, error) {
	wanted := r.wanted(seen.object)
	switch next {
	case createBucket:
		bucket, err := r.Store.Create(ctx, wanted)
		if errors.Is(err, buckets.ErrExists) { // since the look
			seen.looked = false
			return seen, nil
		}
		if err != nil {
			return storeFailed(seen, err)
		}
		return r.withBucket(seen, bucket), nil
	case anchorBucket:
		if err := r.Store.Anchor(ctx, wanted.Name); err != nil {
			return storeFailed(seen, err)
		}
		return r.look(ctx, seen)
	case updateBucket:
		drifted := r.drifted(seen)
		bucket, err := r.Store.Update(ctx, wanted)
		if errors.Is(err, buckets.ErrGone) { // since the look
			seen.looked = false
			return seen, nil
		}
		if err != nil {
			return storeFailed(seen, err)
		}
		if seen = r.withBucket(seen, bucket); len(seen.bucket.differs) > 0 {
			return storeFailed(seen, fmt.Errorf("updating bucket %s: the store does not take %s", wanted.Name, strings.Join(seen.bucket.differs, ", ")))
		}
		if len(drifted) > 0 {
			seen.truce = r.disputes.record(seen.object.UID, seen.now, restoring)
			r.sendRestored(seen.object, drifted)
		}
		return seen, nil
	case retainBucket:
		if err := r.Store.Retain(ctx, seen.bucket.raw); err != nil {
			return storeFailed(seen, err)
		}
		return r.look(ctx, seen)
	default:
		if err := r.Store.Delete(ctx, wanted.Name); err != nil {
			return storeFailed(seen, err)
		}
		seen, err := r.look(ctx, seen) // whether it is gone is for the store to say
		if err == nil && seen.bucket != nil && seen.bucket.mine {
			return storeFailed(seen, fmt.Errorf("deleting bucket %s: it is still there", wanted.Name))
		}
		return seen, err
	}
}

// drifted returns the settings that somebody else has changed: the bucket differs, although the spec was conveyed.
func (r *Reconciler) drifted(seen facts) []string {
	if recorded := seen.object.Status.Bucket; recorded == nil || recorded.Generation != seen.object.Generation || beingDeleted(seen.object) {
		return nil
	}
	return seen.bucket.differs
}

// confirm makes sure that the cache shows the object's current state: before this process first changes anything outside for it,
// because the initial list may be stale, and before each creation and deletion. The store has no precondition that would refuse to
// delete the files of a user who has just decided for Retain, or to create a bucket for an object that is gone. An old spec that is
// conveyed is followed by the new one.
func (r *Reconciler) confirm(ctx context.Context, next action, object *v1alpha1.Workspace) error {
	final := next == createBucket || next == deleteBucket
	if r.versions.knows(object) && !final {
		return nil
	}
	live := &v1alpha1.Workspace{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(object), live); err != nil {
		return staleIfBehind(fmt.Errorf("reading Workspace %s before changing its bucket: %w", object.Name, err))
	}
	if live.UID != object.UID {
		return errStale
	}
	r.versions.expect(live)
	if r.versions.stale(object) {
		return errStale
	}
	return nil
}

// storeFailed turns an error of the store into what the status says. The error itself leads to a retry.
func storeFailed(seen facts, err error) (facts, error) {
	reason := v1alpha1.ReasonStoreUnavailable
	if _, refused := errors.AsType[*buckets.RefusedError](err); refused {
		reason = v1alpha1.ReasonStoreRefused
	}
	seen.bucketProblem = &problem{reason, shorten(err.Error())}
	return seen, err
}

func (r *Reconciler) createSecret(ctx context.Context, seen facts) (facts, error) {
	secret, err := r.newSecret(seen.object)
	if err != nil {
		return seen, err
	}
	err = r.Create(ctx, secret)
	if err != nil {
		// It may exist already, which a quota doesn't say: the response to an earlier request was lost, or the cache is stale.
		existing, readErr := r.readSecret(ctx, r.Live, seen.object)
		if readErr != nil {
			return seen, fmt.Errorf("reading the Secret of Workspace %s: %w", seen.object.Name, readErr)
		}
		if existing == nil {
			return r.secretFailed(ctx, seen, fmt.Errorf("creating Secret %s: %w", secret.Name, err))
		}
		secret = existing
	}
	r.refusals.forget(seen.object.UID)
	return r.withSecret(seen, secret), nil
}

func (r *Reconciler) updateSecret(ctx context.Context, seen facts) (facts, error) {
	secret := seen.secret.DeepCopy()
	if err := r.fillSecret(secret, seen.object); err != nil {
		return seen, err
	}
	patch := client.MergeFromWithOptions(seen.secret, client.MergeFromWithOptimisticLock{})
	err := r.Patch(ctx, secret, patch)
	_, watched := seen.secret.Labels[v1alpha1.LabelWorkspace]
	switch {
	case watched && isStale(staleIfBehind(err)):
		return seen, errStale // its event is on its way
	case err != nil:
		return r.secretFailed(ctx, seen, fmt.Errorf("updating Secret %s: %w", secret.Name, err))
	}
	r.refusals.forget(seen.object.UID)
	return r.withSecret(seen, secret), nil
}

// secretFailed returns an error of the API server, which leads to a retry. A refusal for now is tried again at its own pace, and the
// status says why.
func (r *Reconciler) secretFailed(ctx context.Context, seen facts, err error) (facts, error) {
	if !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err) && !admission.Denied(err) && !admission.Unanswered(err) {
		return seen, err
	}
	seen.secretProblem = &problem{v1alpha1.ReasonSecretRefused, shorten(err.Error())}
	seen.secretRetry = r.refusals.record(seen.object.UID, seen.now, asking)
	ctrl.LoggerFrom(ctx).Info("the API server refuses for now", "error", err.Error(), "retryAt", seen.secretRetry)
	return seen, nil
}

// errStale says that the cache is stale, and that an event will bring what is missing.
var errStale = errors.New("the cache is stale: it does not show the latest state yet")

func isStale(err error) bool { return errors.Is(err, errStale) }

// staleIfBehind returns errStale if the error says that the object has changed since it was cached, or is gone. A webhook may refuse a
// write with the same codes, and then no event arrives.
func staleIfBehind(err error) error {
	if apierrors.IsConflict(err) && !admission.Denied(err) || admission.Gone(err) {
		return errStale
	}
	return err
}

// problem is why a reconcile could not go on with the bucket or the Secret, as the status says it.
type problem struct{ reason, message string }

// shorten keeps a message from another source within what a condition and an event can hold.
func shorten(message string) string {
	const most = 900
	if len(message) <= most {
		return message
	}
	return strings.ToValidUTF8(message[:most], "") + "…"
}
