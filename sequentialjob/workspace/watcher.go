package workspace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/sequentialjob/buckets"
)

// watcher notices when what the store has is not what Workspaces ask for. The store's notifications tell of most changes at once,
// and of none that happened while the connection was down, nor of a purge. So it also looks at all buckets: at start, after each
// gap, and periodically. It changes no bucket of a Workspace itself, it only has the Workspace reconciled.
type watcher struct {
	*Reconciler
	// interval is the time between two looks at all buckets.
	interval time.Duration
	// suspected gets a Workspace whose bucket may have changed.
	suspected chan event.GenericEvent
	// listening says that Notify has succeeded: the store's notifications reach changed, at the latest with the next connection.
	listening bool
}

// NeedLeaderElection says that only the leader watches: a standby reconciles nothing.
func (w *watcher) NeedLeaderElection() bool { return true }

// Start watches until ctx is done.
func (w *watcher) Start(ctx context.Context) error {
	gaps := make(chan struct{}, 1)
	gap := func() {
		select {
		case gaps <- struct{}{}:
		default: // a look at all is due already
		}
	}
	retry := firstRetry
	for {
		pause := wait.Jitter(w.interval, 0.1)
		if err := w.watch(ctx, gap); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "looking at all buckets")
			pause, retry = min(retry, w.interval), min(2*retry, lastRetry)
		} else {
			retry = firstRetry
		}
		select {
		case <-gaps:
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
	}
}

// watch looks at all buckets. It first subscribes, the first time it succeeds in that, so that no change in between is missed. Without
// notifications, the look is all the more important.
func (w *watcher) watch(ctx context.Context, gap func()) error {
	var unheard error
	if !w.listening {
		if unheard = w.Store.Notify(ctx, func(bucket string) { w.changed(ctx, bucket) }, gap); unheard != nil {
			unheard = fmt.Errorf("subscribing to the object store's notifications: %w", unheard)
		}
		w.listening = unheard == nil
	}
	return errors.Join(unheard, w.lookAtAll(ctx))
}

// changed handles a notification about a bucket. The change may be this process's own.
func (w *watcher) changed(ctx context.Context, bucket string) {
	var users v1alpha1.WorkspaceList
	if err := w.List(ctx, &users, client.MatchingFields{byBucket: bucket}); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "finding the Workspace of a bucket", "bucket", bucket)
		return
	}
	for i := range users.Items {
		w.suspect(ctx, &users.Items[i])
	}
}

// suspect has a Workspace reconciled, with a look at its bucket.
func (w *watcher) suspect(ctx context.Context, object *v1alpha1.Workspace) {
	w.suspects.add(object.UID)
	select {
	case w.suspected <- event.GenericEvent{Object: object}:
	case <-ctx.Done():
	}
}

// lookAtAll compares all buckets with all Workspaces.
func (w *watcher) lookAtAll(ctx context.Context) error {
	found, err := w.Store.List(ctx)
	if err != nil {
		looksTotal.WithLabelValues(resultFailed).Inc()
		return err
	}
	looksTotal.WithLabelValues(resultDone).Inc()

	var all v1alpha1.WorkspaceList
	if err := w.List(ctx, &all); err != nil {
		return fmt.Errorf("listing Workspaces: %w", err)
	}
	byName := map[string]*buckets.Bucket{}
	for i := range found {
		byName[found[i].Name] = &found[i]
	}
	owners := map[types.UID]bool{}
	for i := range all.Items {
		object := &all.Items[i]
		owners[object.UID] = true
		if w.drifted(object, byName[v1alpha1.BucketName(object.UID)]) {
			w.suspect(ctx, object)
		}
	}
	var failed []error
	for i := range found {
		if bucket := &found[i]; !owners[types.UID(bucket.Owner.UID)] {
			failed = append(failed, w.sweep(ctx, bucket))
		}
	}
	return errors.Join(failed...)
}

// drifted says whether a bucket is not what the Workspace's status says. The list may have missed a bucket, so the reconcile looks
// again before it believes it.
func (w *watcher) drifted(object *v1alpha1.Workspace, bucket *buckets.Bucket) bool {
	if object.Status.Bucket == nil || beingDeleted(object) || lost(facts{object: object}) {
		return false // its own reconcile looks anyway, or nothing can be done
	}
	seen := w.withBucket(facts{now: w.Clock.Now(), object: object, store: true}, bucket)
	recorded := meta.FindStatusCondition(object.Status.Conditions, v1alpha1.ConditionBucketReady)
	return recorded == nil || bucketCondition(seen).Reason != recorded.Reason
}
