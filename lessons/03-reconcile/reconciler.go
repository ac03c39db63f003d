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
		// TODO(watch): Have a pass over a SequentialJob too whenever one of its Jobs changes.
		Complete(&reconciler{Client: manager.GetClient()})
}

// Reconcile does one pass over one SequentialJob: it looks at what there is, decides what is next, and
// does that. What has changed since the last pass it isn't told, and needs not know.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	// TODO(pass): Read the SequentialJob that the request names, then observe, decide and act.
	// It may be gone, which is no error, or it may be about to go: then nothing is done.
	// Return what makes the queue do what is right: a pass that failed is tried again, one
	// that had nothing to do is not.
	return ctrl.Result{}, nil
}

func beingDeleted(object client.Object) bool {
	return !object.GetDeletionTimestamp().IsZero()
}
