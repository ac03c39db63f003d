package controller

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

const (
	// workers is how many objects are reconciled at the same time. A reconcile is short, and waits
	// for the API server most of the time.
	workers = 10

	// A failed reconcile is retried after 5 ms, 10 ms and so on. The default limit of 16 minutes is
	// too long for a user who has just raised a quota.
	firstRetry = 5 * time.Millisecond
	lastRetry  = time.Minute
)

// CacheOptions keep in memory what the controller needs, and no more: SequentialJobs, Workspaces, and
// those Jobs that have our label, without the fields that it never reads.
func CacheOptions() cache.Options {
	ours, err := labels.NewRequirement(v1alpha1.LabelSequentialJob, selection.Exists, nil)
	if err != nil {
		panic(err) // the label's key is a constant
	}
	return cache.Options{
		// Reading a kind that is not declared here is an error, instead of starting an informer for it.
		ReaderFailOnMissingInformer: true,
		ByObject: map[client.Object]cache.ByObject{
			&v1alpha1.SequentialJob{}: {Transform: cache.TransformStripManagedFields()},
			&v1alpha1.Workspace{}:     {Transform: cache.TransformStripManagedFields()},
			&batchv1.Job{}:            {Transform: stripJob, Label: labels.NewSelector().Add(*ours)},
		},
	}
}

// stripJob leaves out of a cached Job what makes up most of it.
func stripJob(cached any) (any, error) {
	if job, ok := cached.(*batchv1.Job); ok {
		job.ManagedFields = nil
		job.Spec.Template = corev1.PodTemplateSpec{}
	}
	return cached, nil
}

// Setup adds the controller to the manager, whose cache must have CacheOptions.
func Setup(manager ctrl.Manager) error {
	reconciler := &Reconciler{
		Client:   manager.GetClient(),
		Live:     manager.GetAPIReader(),
		Recorder: manager.GetEventRecorder("sequentialjob-controller"),
		Clock:    clock.RealClock{},
	}
	if err := indexByWorkspace(manager); err != nil {
		return err
	}
	err := ctrl.NewControllerManagedBy(manager).
		Named("sequentialjob").
		Watches(&v1alpha1.SequentialJob{}, startedRunsFirst()).
		Watches(&batchv1.Job{}, handler.EnqueueRequestForOwner(
			manager.GetScheme(), manager.GetRESTMapper(), &v1alpha1.SequentialJob{}, handler.OnlyControllerOwner())).
		Watches(&v1alpha1.Workspace{}, handler.EnqueueRequestsFromMapFunc(usersOf(manager.GetClient()))).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: workers,
			// A standby fills its caches too: it is ready only if it could take over, and then does
			// so immediately.
			EnableWarmup: new(true),
			RateLimiter:  workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](firstRetry, lastRetry),
		}).
		Complete(reconciler)
	if err != nil {
		return fmt.Errorf("adding the SequentialJob controller to the manager: %w", err)
	}
	return nil
}
