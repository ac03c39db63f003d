package main

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// retries remember, for each object that needs what the API server refuses for now, when to ask again. The zero value is ready.
type retries struct {
	mu      sync.Mutex
	entries map[types.NamespacedName]retry
}

// retry is about one object. The next object of that name has another UID.
type retry struct {
	uid  types.UID
	wait time.Duration // from the last attempt to the next one
	at   metav1.Time   // when the next attempt is due
}

// retryLater has a refused creation tried again after a while, which grows. A returned error would do so too. But a refusal is in the
// status, and its words may differ each time: the event of that write would trigger the next attempt immediately.
func (r *reconciler) retryLater(ctx context.Context, seen facts, refused error) facts {
	seen.retryAt = r.retries.add(seen.object, seen.now)
	ctrl.LoggerFrom(ctx).Info("the API server refuses a creation for now", "error", refused.Error(), "retryAt", seen.retryAt)
	return seen
}

// waitsToRetry says whether it is too early to ask again for what the API server has refused.
func waitsToRetry(seen facts) bool {
	return seen.now.Before(&seen.retryAt)
}

// add records that an attempt was refused, and returns when to make the next one.
func (r *retries) add(object client.Object, now metav1.Time) metav1.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := client.ObjectKeyFromObject(object)
	wait := firstRetry
	if before := r.entries[key]; before.uid == object.GetUID() {
		wait = min(2*before.wait, lastRetry)
	}
	if r.entries == nil {
		r.entries = map[types.NamespacedName]retry{}
	}
	r.entries[key] = retry{object.GetUID(), wait, metav1.NewTime(now.Add(wait))}
	return r.entries[key].at
}

// due returns when to make the next attempt; zero if the last one was not refused.
func (r *retries) due(object client.Object) metav1.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if entry := r.entries[client.ObjectKeyFromObject(object)]; entry.uid == object.GetUID() {
		return entry.at
	}
	return metav1.Time{}
}

// forget drops the entry of a name: nothing is refused any more, or the object is gone.
func (r *retries) forget(key types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.entries, key)
}
