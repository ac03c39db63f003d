package main

import (
	"context"
	"errors"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
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

	expectations expectations
	retries      retries
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
// +kubebuilder:rbac:groups=batch.example.com,resources=workspaces,verbs=get;list;watch;create
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// The owner references of Jobs and Workspaces block the owner's deletion. Where the admission plugin
// OwnerReferencesPermissionEnforcement is on, that takes this permission.
// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/finalizers,verbs=update

// setup adds the controller to the manager.
func setup(manager ctrl.Manager) error {
	if err := indexJobs(context.Background(), manager.GetFieldIndexer()); err != nil {
		return err
	}
	if err := indexUsers(context.Background(), manager.GetFieldIndexer()); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(manager).
		For(&v1alpha1.SequentialJob{}).
		Owns(&batchv1.Job{}).
		Watches(&v1alpha1.Workspace{}, handler.EnqueueRequestsFromMapFunc(usersOf(manager.GetClient()))).
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
// not know what has changed since the last reconcile, and does not need to. It waits if the cache is stale: if it does not show
// yet what this process has done.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &v1alpha1.SequentialJob{}
	err := r.Get(ctx, request.NamespacedName, object)
	if apierrors.IsNotFound(err) {
		r.expectations.forget(request.NamespacedName)
		r.retries.forget(request.NamespacedName)
		return ctrl.Result{}, nil
	} else if err != nil {
		return ctrl.Result{}, err
	}
	if !managedByUs(object) || beingDeleted(object) {
		return ctrl.Result{}, nil
	}
	return waitIfStale(r.reconcile(ctx, object))
}

func (r *reconciler) reconcile(ctx context.Context, object *v1alpha1.SequentialJob) (ctrl.Result, error) {
	seen, err := r.observe(ctx, object)
	if err != nil {
		return ctrl.Result{}, err
	}
	next, step := decide(seen)
	if next != createJob && next != createWorkspace {
		r.retries.forget(client.ObjectKeyFromObject(object)) // nothing is refused any more
	}
	if err := r.confirm(ctx, seen, next); err != nil {
		return ctrl.Result{}, err
	}
	seen, actErr := r.act(ctx, seen, next, step)
	if isStale(actErr) {
		return ctrl.Result{}, actErr
	}
	status := assess(seen)
	if err := r.confirmJob(ctx, seen, status); err != nil {
		return ctrl.Result{}, errors.Join(actErr, err)
	}
	if err := r.confirmWorkspace(ctx, seen, status); err != nil {
		return ctrl.Result{}, errors.Join(actErr, err)
	}
	reportErr := r.report(ctx, object, status)
	if err := errors.Join(actErr, reportErr); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: requeueAfter(seen, status)}, nil
}

func beingDeleted(object client.Object) bool {
	return !object.GetDeletionTimestamp().IsZero()
}
