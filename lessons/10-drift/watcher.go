package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlevent "sigs.k8s.io/controller-runtime/pkg/event"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// watcher looks at all buckets, and listens to what the store tells of them. It changes no bucket of a Workspace: it has the Workspace
// reconciled. Only the replica that holds the lease runs it.
type watcher struct {
	*workspaceReconciler
	// suspected gets each Workspace whose bucket may have changed.
	suspected chan ctrlevent.GenericEvent
	// listening says that the store calls changed.
	listening bool
}

// Start watches until ctx is done.
func (w *watcher) Start(ctx context.Context) error {
	// TODO(gap): What changes while the connection is down, the store never tells. Each time it is up again, w.store.connected()
	// receives something, and the loop below looks. Ask for that before you subscribe.
	var connected connections
	retry := firstRetry
	for {
		pause := w.drift.pause()
		if err := w.watch(ctx); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "looking at all buckets")
			pause, retry = min(pause, retry), min(2*retry, lastRetry)
		} else {
			retry = firstRetry
		}
		select {
		case <-time.After(pause):
		case <-connected:
		case <-ctx.Done():
			return nil
		}
	}
}

// watch looks at all buckets, and with --drift=notify it has the store call w.changed from now on.
func (w *watcher) watch(ctx context.Context) error {
	// TODO(notify): Subscribe once, with w.store.subscribe. Which changes does a process miss that looks first, and subscribes then?
	return w.lookAtAll(ctx)
}

// changed handles what the store tells: that somebody has changed a bucket. It may have been this process.
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
	case w.suspected <- ctrlevent.GenericEvent{Object: object}:
	case <-ctx.Done():
	}
}

// lookAtAll compares all buckets with all Workspaces.
func (w *watcher) lookAtAll(ctx context.Context) error {
	found, err := w.store.list(ctx)
	if err != nil {
		return err
	}
	var all v1alpha1.WorkspaceList
	if err := w.List(ctx, &all); err != nil {
		return fmt.Errorf("listing Workspaces: %w", err)
	}
	for i := range all.Items {
		object := &all.Items[i]
		name := v1alpha1.BucketName(object.UID)
		// TODO(poller): Which Workspaces have to be reconciled? w.suspect does that. w.drifted compares one with its bucket in the list;
		// nil stands for none.
		delete(found, name)
	}
	var failed []error
	for _, bucket := range found { // no Workspace of these is in the cache
		failed = append(failed, w.sweep(ctx, bucket))
	}
	return errors.Join(failed...)
}

// drifted says whether a look at that bucket would lead to something.
func (w *watcher) drifted(object *v1alpha1.Workspace, found *bucket) bool {
	recorded := meta.FindStatusCondition(object.Status.Conditions, v1alpha1.ConditionBucketReady)
	if recorded == nil || beingDeleted(object) {
		return false // its own reconcile looks
	}
	seen := w.facts(object)
	seen.looked, seen.bucket = true, found
	condition := bucketCondition(seen)
	return decideBucket(seen) != nothingToDo || condition.Reason != recorded.Reason || condition.Message != recorded.Message
}
