package workspace

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

const (
	// workers is how many objects are reconciled at the same time. A reconcile may wait for the store until its request times
	// out, so that many objects can wait while others go on.
	workers = 10

	// A failed reconcile is retried after 5 ms, 10 ms and so on, up to a minute.
	firstRetry = 5 * time.Millisecond
	lastRetry  = time.Minute

	// byBucket is the index of Workspaces by the name of their bucket.
	byBucket = "bucket"
)

// AddToCache declares what the controller reads with a store, besides Workspaces: those Secrets that have our label.
func AddToCache(options *cache.Options) {
	ours, err := labels.NewRequirement(v1alpha1.LabelWorkspace, selection.Exists, nil)
	if err != nil {
		panic(err) // the label's key is a constant
	}
	options.ByObject[&corev1.Secret{}] = cache.ByObject{
		Transform: cache.TransformStripManagedFields(), Label: labels.NewSelector().Add(*ours),
	}
}

// Options say with which store the controller works.
type Options struct {
	Store    Store         // nil for none
	Issuer   Issuer        // nil if the store asks for no credentials
	Cluster  string        // distinguishes the buckets of this cluster from those of others in the same store
	Interval time.Duration // between two looks at all buckets
}

// Setup adds the controller to the manager. If there is a store, AddToCache has declared what it reads.
func Setup(manager ctrl.Manager, options Options) error {
	reconciler := &Reconciler{
		Client: manager.GetClient(), Live: manager.GetAPIReader(), Recorder: manager.GetEventRecorder("workspace-controller"),
		Clock: clock.RealClock{}, Store: options.Store, Issuer: options.Issuer, Cluster: options.Cluster,
	}
	names := func(object client.Object) []string { return []string{v1alpha1.BucketName(object.GetUID())} }
	if err := manager.GetFieldIndexer().IndexField(context.Background(), &v1alpha1.Workspace{}, byBucket, names); err != nil {
		return fmt.Errorf("indexing Workspaces by their buckets: %w", err)
	}
	watcher := &watcher{Reconciler: reconciler, interval: options.Interval, suspected: make(chan event.GenericEvent)}
	building := ctrl.NewControllerManagedBy(manager).
		Named("workspace").
		For(&v1alpha1.Workspace{}).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: workers,
			EnableWarmup:            new(true), // as that of SequentialJobs
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](firstRetry, lastRetry),
		})
	if options.Store != nil {
		building.Owns(&corev1.Secret{}).WatchesRawSource(source.Channel(watcher.suspected, &handler.EnqueueRequestForObject{}))
	}
	if err := building.Complete(reconciler); err != nil {
		return fmt.Errorf("adding the Workspace controller to the manager: %w", err)
	}
	if options.Store == nil {
		return nil
	}
	if err := manager.Add(watcher); err != nil {
		return fmt.Errorf("adding the watcher of buckets to the manager: %w", err)
	}
	return nil
}
