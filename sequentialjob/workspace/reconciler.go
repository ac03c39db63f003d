// Package workspace gives each Workspace a bucket in the object store outside the cluster, and a Secret with which programs use
// it. It knows no SequentialJobs.
//
// The store has no preconditions, no UIDs and no watches. So a reconcile looks at the bucket before it changes anything, and
// again after each error: a request that failed may have been done. What was achieved is recorded in the status. As long as
// that is what the spec asks for, a reconcile does not ask the store.
package workspace

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/recorder"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/sequentialjob/buckets"
)

// Store is the object store outside the cluster. Package buckets has the only one, and says what its errors mean.
type Store interface {
	URL() string
	Look(ctx context.Context, name string) (*buckets.Bucket, error) // nil if there is none
	Create(ctx context.Context, wanted buckets.Wanted) (*buckets.Bucket, error)
	Anchor(ctx context.Context, name string) error
	Update(ctx context.Context, wanted buckets.Wanted) (*buckets.Bucket, error)
	Retain(ctx context.Context, bucket *buckets.Bucket) error
	Delete(ctx context.Context, name string) error
	List(ctx context.Context) ([]buckets.Bucket, error)
	Notify(ctx context.Context, changed func(bucket string), gap func()) error
}

// Issuer makes the credentials with which a program may use one bucket.
type Issuer interface {
	Issue(bucket string) (credentials []byte, err error)
	Issued(credentials []byte, bucket string) bool // whether they are its own, for that bucket
}

// Reconciler gives Workspaces their buckets.
type Reconciler struct {
	// Client reads from the cache and writes to the API server.
	client.Client
	// Live reads from the API server.
	Live client.Reader
	// Recorder sends events.
	Recorder recorder.EventRecorder
	// Clock provides the time.
	Clock clock.PassiveClock

	// Store is nil if the operator runs without an object store.
	Store Store
	// Issuer is nil if the store asks for no credentials.
	Issuer Issuer
	// Cluster distinguishes the buckets of this cluster from those of others in the same store.
	Cluster string

	versions versions
	suspects suspects
	disputes pauses // between two times that settings of a bucket are put back
	refusals pauses // between two attempts to write a Secret
}

// What the controller needs with a store. What it needs in any case, to say that there is none, is with main.
// +kubebuilder:rbac:groups=batch.example.com,resources=workspaces,verbs=patch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;patch

// The Secrets' owner references block the owner's deletion; see SequentialJobs.
// +kubebuilder:rbac:groups=batch.example.com,resources=workspaces/finalizers,verbs=update

// The UID of this namespace identifies the cluster.
// +kubebuilder:rbac:groups="",resources=namespaces,resourceNames=kube-system,verbs=get

// Reconcile brings one Workspace to what its spec asks for, as far as that is possible now.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &v1alpha1.Workspace{}
	if err := r.Get(ctx, request.NamespacedName, object); apierrors.IsNotFound(err) {
		r.forget(request.NamespacedName)
		return ctrl.Result{}, nil
	} else if err != nil {
		return ctrl.Result{}, err
	}
	if r.versions.stale(object) {
		return ctrl.Result{}, nil // the event of the newer version is on its way
	}
	seen, err := r.observe(ctx, object)
	if err != nil {
		return ctrl.Result{}, err
	}
	seen, actErr := r.proceed(ctx, seen)
	if isStale(actErr) {
		if seen.looked {
			r.suspects.add(object.UID) // the status does not tell of what was seen
		}
		return ctrl.Result{}, nil
	}
	reportErr := r.report(ctx, seen, assess(seen))
	if err := errors.Join(actErr, reportErr); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: requeueAfter(seen)}, nil
}

// proceed takes one action after another, until nothing is left to do. One that fails is the last, unless what is known now calls for
// another one: a problem with the bucket does not keep the Secret from being restored. Apart from looks, none is taken twice: a webhook
// may have undone it, and would do so again.
func (r *Reconciler) proceed(ctx context.Context, seen facts) (facts, error) {
	taken := map[action]bool{}
	var failed error
	for next := decide(seen); next != doNothing; next = decide(seen) {
		if taken[next] && next != look {
			return seen, errors.Join(failed, fmt.Errorf("reconciling Workspace %s: to %s has had no effect", seen.object.Name, next))
		}
		taken[next] = true
		before := seen.bucketProblem
		var err error
		if seen, err = r.act(ctx, next, seen); err == nil {
			continue
		}
		if isStale(err) && failed != nil {
			break // what failed before is tried again in any case
		}
		failed = errors.Join(failed, err)
		if seen.bucketProblem == before {
			break
		}
	}
	return seen, failed
}

func hasFinalizer(object *v1alpha1.Workspace) bool {
	return controllerutil.ContainsFinalizer(object, v1alpha1.FinalizerBucket)
}

func beingDeleted(object *v1alpha1.Workspace) bool { return !object.DeletionTimestamp.IsZero() }

// bindingSecret returns the Workspace's Secret without what is in it.
func bindingSecret(object *v1alpha1.Workspace) *corev1.Secret {
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = object.Namespace, v1alpha1.BindingName(object.Name)
	return secret
}
