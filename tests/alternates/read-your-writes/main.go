// Command read-your-writes is a controller of SequentialJobs that reads from the cache and has the client
// wait until the cache shows what this process has written (CacheOptions.EnableReadYourWritesConsistency).
// It writes by server-side apply alone. A reconcile continues until nothing is left to do: it applies the status
// if that has to change, then does what the status calls for.
//
// Reading its own writes protects it neither from a lost response nor from a stale cache after a restart.
// This does:
//   - It trusts the cache only for facts that stay true: that a Job exists, is complete, or has failed. It
//     reads from the API server that a Job does not exist. It reads whether one is suspended, where anybody has
//     suspended the run.
//   - Before it changes a Job, it makes sure that the SequentialJob is as it was read: by the status that it
//     has just applied with the resourceVersion, or else by a live read.
//   - It creates a Job suspended, and resumes it once the status has its UID. So a Job that vanishes before
//     that has not run.
//   - An apply creates or changes, and can't be limited to creating. So it is not forced, and conflicts once
//     the Job has been resumed. The labels of the pod template, which are immutable once a Job has started,
//     include the owner's UID. So an apply to another owner's Job fails.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// name is that of the lease, and of the owner of applied fields.
const name = "read-your-writes.batch.example.com"

// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs,verbs=get;list;watch;delete
// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/status,verbs=patch
// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/finalizers,verbs=update
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=system,resources=leases,verbs=create
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=system,resources=leases,resourceNames=read-your-writes.batch.example.com,verbs=get;update
// +kubebuilder:rbac:groups="",namespace=system,resources=events,verbs=create;patch

func main() {
	metricsAddress := flag.String("metrics-bind-address", ":8080", "address to serve metrics on; 0 for not at all")
	probeAddress := flag.String("health-probe-bind-address", ":8081", "address to serve probes on; 0 for not at all")
	leaderElect := flag.Bool("leader-elect", false, "run only while holding a lease")
	flag.Parse()
	ctrl.SetLogger(zap.New())

	if err := run(*metricsAddress, *probeAddress, *leaderElect); err != nil {
		fmt.Fprintln(os.Stderr, "read-your-writes:", err)
		os.Exit(1)
	}
}

func run(metricsAddress, probeAddress string, leaderElect bool) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{batchv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme,
		Cache:                         cacheOptions(),
		Client:                        client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: new(true)}, FieldOwner: name},
		Metrics:                       metricsserver.Options{BindAddress: metricsAddress},
		HealthProbeBindAddress:        probeAddress,
		LeaderElection:                leaderElect,
		LeaderElectionID:              name,
		LeaderElectionReleaseOnCancel: true,
		GracefulShutdownTimeout:       new(5 * time.Second),
	})
	if err != nil {
		return err
	}
	for _, add := range []func(string, healthz.Checker) error{manager.AddHealthzCheck, manager.AddReadyzCheck} {
		if err := add("ping", healthz.Ping); err != nil {
			return err
		}
	}
	err = ctrl.NewControllerManagedBy(manager).
		For(&v1alpha1.SequentialJob{}).
		Owns(&batchv1.Job{}).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: 10, // each may wait for the cache
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](5*time.Millisecond, 10*time.Second),
		}).
		Complete(&reconciler{Client: manager.GetClient(), live: manager.GetAPIReader(), recorder: manager.GetEventRecorder("read-your-writes"), pace: newPace()})
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
