package main

import (
	"context"
	"errors"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/recorder"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// reconciler drives SequentialJobs to their end.
type reconciler struct {
	// Client reads from the cache and writes to the API server.
	client.Client
	// live reads from the API server. It is for the few questions that a cache can't answer.
	live client.Reader
	// recorder sends events.
	recorder recorder.EventRecorder

	retries retries
}

// A failed reconcile is retried after firstRetry, then after twice that, and so on, but never later than after
// lastRetry. By default the limit is 16 minutes, which is long for a user who has just raised a quota. A refused Job is tried
// again with the same pauses.
const (
	firstRetry = 5 * time.Millisecond
	lastRetry  = time.Minute
)

// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs,verbs=get;list;watch;delete
// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/status,verbs=patch
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// TODO(role): A role has to allow what the code needs, and nothing else.
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get

// The Jobs' owner references block the owner's deletion. Where the admission plugin
// OwnerReferencesPermissionEnforcement is on, that takes this permission.
// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/finalizers,verbs=update

// setup adds the controller to the manager.
func setup(manager ctrl.Manager) error {
	// New in lesson 7.
	if err := indexJobs(context.Background(), manager.GetFieldIndexer()); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(manager).
		For(&v1alpha1.SequentialJob{}).
		// TODO(once): Each kind needs one watch.
		// What do reconciles read of Jobs: whole Jobs, or their metadata only?
		Owns(&batchv1.Job{}, builder.OnlyMetadata).
		WithOptions(controller.Options{
			RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](firstRetry, lastRetry),
		}).
		Complete(&reconciler{
			Client:   manager.GetClient(),
			live:     manager.GetAPIReader(),
			recorder: manager.GetEventRecorder("sequentialjob-controller"),
		})
}

// Reconcile brings one SequentialJob closer to its end: it observes, decides, acts and reports. It does
// not know what has changed since the last reconcile, and does not need to.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &v1alpha1.SequentialJob{}
	// TODO(offline): To reconcile an object that is up to date must not cost a request.
	err := r.live.Get(ctx, request.NamespacedName, object) // to be safe
	if apierrors.IsNotFound(err) {
		r.retries.forget(request.NamespacedName)
		return ctrl.Result{}, nil
	} else if err != nil {
		return ctrl.Result{}, err
	}
	if !managedByUs(object) || beingDeleted(object) {
		return ctrl.Result{}, nil
	}

	seen, err := r.observe(ctx, object)
	if err != nil {
		return ctrl.Result{}, err
	}
	next, step := decide(seen)
	if next != createJob {
		r.retries.forget(client.ObjectKeyFromObject(object)) // nothing is refused any more
	}
	seen, actErr := r.act(ctx, seen, next, step)
	status := assess(seen)
	reportErr := r.report(ctx, object, status)
	if err := errors.Join(actErr, reportErr); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: requeueAfter(seen, status)}, nil
}

func beingDeleted(object client.Object) bool {
	return !object.GetDeletionTimestamp().IsZero()
}
