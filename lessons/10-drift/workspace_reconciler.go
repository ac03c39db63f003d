package main

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	ctrlevent "sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// workspaceReconciler gives each Workspace a bucket in the object store, and a Secret with which programs use it. It knows no
// SequentialJobs.
type workspaceReconciler struct {
	// Client reads from the cache and writes to the API server.
	client.Client
	// live reads from the API server.
	live  client.Reader
	store *store
	drift drift
	// cluster distinguishes the buckets of this cluster from those of others in the same store.
	cluster string

	versions versions
	suspects suspects
	disputes disputes

	// retries are about Secrets that the API server refuses for now.
	retries retries
}

// byBucket is the index of Workspaces by the names of their buckets.
const byBucket = "bucket"

// workspaceWorkers is how many Workspaces are reconciled at the same time. Each may have to wait for the object store.
const workspaceWorkers = 5

// +kubebuilder:rbac:groups=batch.example.com,resources=workspaces,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=batch.example.com,resources=workspaces/status,verbs=patch
// +kubebuilder:rbac:groups=batch.example.com,resources=workspaces/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;patch

// The UID of this namespace identifies the cluster.
// +kubebuilder:rbac:groups="",resources=namespaces,resourceNames=kube-system,verbs=get

// setupWorkspaces adds the controller to the manager, and what watches the buckets.
func setupWorkspaces(manager ctrl.Manager, store *store, drift drift) error {
	cluster := &corev1.Namespace{}
	if err := manager.GetAPIReader().Get(context.Background(), client.ObjectKey{Name: metav1.NamespaceSystem}, cluster); err != nil {
		return fmt.Errorf("reading what identifies the cluster: %w", err)
	}
	reconciler := &workspaceReconciler{
		Client: manager.GetClient(), live: manager.GetAPIReader(), store: store, drift: drift, cluster: string(cluster.UID),
	}
	bucketName := func(object client.Object) []string { return []string{v1alpha1.BucketName(object.GetUID())} }
	if err := manager.GetFieldIndexer().IndexField(context.Background(), &v1alpha1.Workspace{}, byBucket, bucketName); err != nil {
		return fmt.Errorf("indexing Workspaces by their buckets: %w", err)
	}
	watcher := &watcher{workspaceReconciler: reconciler, suspected: make(chan ctrlevent.GenericEvent)}
	err := ctrl.NewControllerManagedBy(manager).
		For(&v1alpha1.Workspace{}).
		Owns(&corev1.Secret{}).
		WatchesRawSource(source.Channel(watcher.suspected, &handler.EnqueueRequestForObject{})).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: workspaceWorkers,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](firstRetry, lastRetry),
		}).
		Complete(reconciler)
	if err != nil || drift.byReconcile() {
		return err
	}
	return manager.Add(watcher)
}

// Reconcile brings one Workspace to what its spec asks for, or to its end.
func (r *workspaceReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &v1alpha1.Workspace{}
	if err := r.Get(ctx, request.NamespacedName, object); apierrors.IsNotFound(err) {
		r.forget(request.NamespacedName)
		return ctrl.Result{}, nil
	} else if err != nil {
		return ctrl.Result{}, err
	}
	return waitIfStale(r.reconcile(ctx, object))
}

func (r *workspaceReconciler) reconcile(ctx context.Context, object *v1alpha1.Workspace) (ctrl.Result, error) {
	seen, err := r.observe(ctx, object)
	if err != nil {
		return ctrl.Result{}, err
	}
	seen, err = r.proceed(ctx, seen)
	if !isStale(err) {
		err = errors.Join(err, r.report(ctx, seen, assessWorkspace(seen)))
	}
	if err != nil {
		if seen.looked || seen.suspect {
			r.suspects.add(object.UID) // the status may not tell of what this reconcile has seen or done
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: lookAgainAfter(seen)}, nil
}

// forget drops what is known of a Workspace that is gone.
func (r *workspaceReconciler) forget(key types.NamespacedName) {
	if uid := r.versions.forget(key); uid != "" {
		r.suspects.remove(uid)
		r.disputes.forget(uid)
	}
	r.retries.forget(key)
}

// proceed takes one action after another, until nothing is left to do or one of them fails. None is taken twice: what has had no
// effect is tried again later. A store that does not respond or refuses a request does not keep the Secret from being written.
func (r *workspaceReconciler) proceed(ctx context.Context, seen workspaceFacts) (workspaceFacts, error) {
	taken := map[workspaceAction]bool{}
	var failed error
	for next := decideWorkspace(seen); next != nothingToDo; next = decideWorkspace(seen) {
		if taken[next] {
			return seen, errors.Join(failed, fmt.Errorf("reconciling Workspace %s: the action %q has had no effect", seen.object.Name, next))
		}
		taken[next] = true
		before := seen.problem
		var err error
		if seen, err = r.act(ctx, seen, next); err != nil && seen.problem == before {
			return seen, errors.Join(failed, err)
		}
		failed = errors.Join(failed, err)
	}
	return seen, failed
}
