package main

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// reconciler drives SequentialJobs to their end.
type reconciler struct {
	// Client reads from the cache and writes to the API server.
	client.Client
}

// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs,verbs=get;list;watch
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create

// The Jobs' owner references block the owner's deletion. Where the admission plugin
// OwnerReferencesPermissionEnforcement is on, that takes this permission.
// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/finalizers,verbs=update

// setup adds the controller to the manager.
func setup(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).
		For(&v1alpha1.SequentialJob{}).
		// TODO(watch): Reconcile a SequentialJob also when one of its Jobs changes.
		Complete(&reconciler{Client: manager.GetClient()})
}

// Reconcile brings one SequentialJob closer to its end: it observes, decides and acts. It does not know
// what has changed since the last reconcile, and does not need to.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	// TODO(reconcile): Read the SequentialJob that the request names, then observe, decide and act.
	// An object that no longer exists is not an error. One that is being deleted starts nothing.
	// The queue retries a reconcile that failed, and does not repeat one that had nothing to do.
	return ctrl.Result{}, nil
}

func beingDeleted(object client.Object) bool {
	return !object.GetDeletionTimestamp().IsZero()
}
