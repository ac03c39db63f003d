// Command lesson01-runtime is lesson 1's controller, built with controller-runtime: the manager has the
// queue, the workers and the caches. It caches only the ConfigMaps that it maintains, and writes by
// server-side apply, so it never gets a conflict.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	name  = "job-count"
	key   = "jobs"
	owner = client.FieldOwner(name)
)

// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=list;watch;create;patch

func main() {
	metricsAddress := flag.String("metrics-bind-address", ":8080", "address to serve metrics on; 0 for not at all")
	probeAddress := flag.String("health-probe-bind-address", ":8081", "address to serve probes on; 0 for not at all")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(*metricsAddress, *probeAddress); err != nil {
		fmt.Fprintln(os.Stderr, "lesson01-runtime:", err)
		os.Exit(1)
	}
}

func run(metricsAddress, probeAddress string) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Metrics:                metricsserver.Options{BindAddress: metricsAddress},
		HealthProbeBindAddress: probeAddress,
		Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{
			&corev1.ConfigMap{}: {Field: fields.OneTermEqualSelector("metadata.name", name)},
		}},
	})
	if err != nil {
		return err
	}
	ofNamespace := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, object client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: object.GetNamespace()}}}
	})
	err = ctrl.NewControllerManagedBy(manager).Named(name).
		Watches(&batchv1.Job{}, ofNamespace).
		Watches(&corev1.ConfigMap{}, ofNamespace).
		WithOptions(controller.Options{MaxConcurrentReconciles: 2}).
		Complete(&reconciler{manager.GetClient()})
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

type reconciler struct{ client.Client }

// Reconcile makes the ConfigMap of a namespace say how many Jobs there are. The request's name is the
// namespace.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	namespace := request.Name
	jobs, current := &batchv1.JobList{}, &corev1.ConfigMap{}
	if err := r.List(ctx, jobs, client.InNamespace(namespace)); err != nil {
		return ctrl.Result{}, err
	}
	number := strconv.Itoa(len(jobs.Items))
	err := r.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, current)
	missing := apierrors.IsNotFound(err)
	switch {
	case err != nil && !missing:
		return ctrl.Result{}, err
	case missing && len(jobs.Items) == 0, !missing && current.Data[key] == number:
		return ctrl.Result{}, nil
	}
	wanted := coreapply.ConfigMap(name, namespace).WithData(map[string]string{key: number})
	return ctrl.Result{}, r.Apply(ctx, wanted, owner, client.ForceOwnership)
}
