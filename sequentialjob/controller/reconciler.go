// Package controller runs SequentialJobs: it creates the Job of one step after another and keeps
// the status, which is the ledger of what has happened.
//
// A reconcile observes, decides, acts and reports. Two actions can't be undone: creating a Job and
// stopping one. An earlier reconcile claims them: it records them in the status before they are
// done. So after a crash at any point the next process reads in the status what may have happened.
package controller

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/recorder"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// Reconciler drives SequentialJobs to their end.
type Reconciler struct {
	// Client reads from the cache and writes to the API server.
	client.Client
	// Live reads from the API server. It is for the few questions that a cache can't answer.
	Live client.Reader
	// Recorder sends events.
	Recorder recorder.EventRecorder
	// Clock provides the time.
	Clock clock.PassiveClock

	expectations expectations
}

// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs,verbs=get;list;watch;delete
// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/status,verbs=patch
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=batch.example.com,resources=workspaces,verbs=get;list;watch;create
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// The Jobs' owner references block the owner's deletion. Where the admission plugin
// OwnerReferencesPermissionEnforcement is on, that takes this permission.
// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/finalizers,verbs=update

// Reconcile brings one SequentialJob closer to its end. It waits when the cache is stale: when it does not
// show yet what this process has already done.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &v1alpha1.SequentialJob{}
	if err := r.Get(ctx, request.NamespacedName, object); apierrors.IsNotFound(err) {
		r.expectations.forget(request.NamespacedName)
		return ctrl.Result{}, nil
	} else if err != nil {
		return ctrl.Result{}, err
	}
	if !managedByUs(object) || beingDeleted(object) {
		return ctrl.Result{}, nil
	}
	return waitIfStale(r.reconcile(ctx, object))
}

// reconcile writes the status at most once, also when acting failed, and not at all when nothing
// changed.
func (r *Reconciler) reconcile(ctx context.Context, object *v1alpha1.SequentialJob) (ctrl.Result, error) {
	seen, err := r.observe(ctx, object)
	if err != nil {
		return ctrl.Result{}, err
	}
	next := decide(seen)
	if err := r.confirm(ctx, object, next); err != nil {
		return ctrl.Result{}, err
	}
	seen, actErr := r.act(ctx, next, seen)
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
	reportErr := r.report(ctx, seen, status)
	if err := errors.Join(actErr, reportErr); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: requeueAfter(seen, status)}, nil
}

func managedByUs(object *v1alpha1.SequentialJob) bool {
	return object.Spec.ManagedBy == nil || *object.Spec.ManagedBy == v1alpha1.ControllerName
}

func beingDeleted(object client.Object) bool {
	return !object.GetDeletionTimestamp().IsZero()
}
