// Command recompute is a controller of SequentialJobs that trusts no cache. Watches, of metadata alone,
// tell it only that something has happened. A reconcile reads the SequentialJob and its step's Job from the API
// server, recomputes the whole status out of them, and changes one thing at most: the status if it is not
// as it should be, or else a Job. The event of that change brings about the next reconcile.
//
// What protects it: held or missed events delay it and can't deceive it, nor can a restart on old ones.
// The status is written with the resourceVersion that was read, so two processes, or a dead one's last
// request, never write over each other. A Job is created only when the status as read a moment ago
// names it, and has a fixed name, so it is created once whichever reply got lost. It is created suspended,
// and resumed once the status tells its UID: a Job that vanishes before anybody knew of it has not run,
// and one that has run can't be forgotten. A Job is changed and deleted only as it was read.
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
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

const lease = "recompute.batch.example.com"

// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs,verbs=get;list;watch;delete
// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/status,verbs=update
// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/finalizers,verbs=update
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;update;delete
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=system,resources=leases,verbs=create
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=system,resources=leases,resourceNames=recompute.batch.example.com,verbs=get;update
// +kubebuilder:rbac:groups="",namespace=system,resources=events,verbs=create;patch

func main() {
	metricsAddress := flag.String("metrics-bind-address", ":8080", "address to serve metrics on; 0 for not at all")
	probeAddress := flag.String("health-probe-bind-address", ":8081", "address to serve probes on; 0 for not at all")
	leaderElect := flag.Bool("leader-elect", false, "run only while holding a lease")
	flag.Parse()
	ctrl.SetLogger(zap.New())

	if err := run(*metricsAddress, *probeAddress, *leaderElect); err != nil {
		fmt.Fprintln(os.Stderr, "recompute:", err)
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
		Cache:                         cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
		Metrics:                       metricsserver.Options{BindAddress: metricsAddress},
		HealthProbeBindAddress:        probeAddress,
		LeaderElection:                leaderElect,
		LeaderElectionID:              lease,
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
		For(&v1alpha1.SequentialJob{}, builder.OnlyMetadata).
		Owns(&batchv1.Job{}, builder.OnlyMetadata).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: 4,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](5*time.Millisecond, 10*time.Second),
		}).
		Complete(&runner{live: manager.GetAPIReader(), writer: manager.GetClient()})
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
