// Command lesson04-metadata is a controller of SequentialJobs that uses its caches as triggers only. Of Jobs it
// watches the metadata. What a reconcile acts on it reads from the API server, so it never acts on a stale state, and
// a Job can have a generated name.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs,verbs=get;list;watch
// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/status,verbs=update
// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/finalizers,verbs=update
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=list;watch;create
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=system,resources=leases,verbs=get;create;update
// +kubebuilder:rbac:groups="",namespace=system,resources=events,verbs=create;patch

func main() {
	metrics := flag.String("metrics-bind-address", "0", "address to serve metrics on; 0 for not at all")
	probes := flag.String("health-probe-bind-address", "0", "address to serve probes on; 0 for not at all")
	elect := flag.Bool("leader-elect", false, "run only while holding a lease")
	flag.Parse()
	ctrl.SetLogger(zap.New())

	grace := 5 * time.Second
	if err := run(ctrl.Options{
		Metrics: metricsserver.Options{BindAddress: *metrics}, HealthProbeBindAddress: *probes,
		LeaderElection: *elect, LeaderElectionID: "lesson04-metadata.batch.example.com", GracefulShutdownTimeout: &grace,
	}); err != nil {
		fmt.Fprintln(os.Stderr, "lesson04-metadata:", err)
		os.Exit(1)
	}
}

func run(options ctrl.Options) error {
	options.Scheme = runtime.NewScheme()
	if err := v1alpha1.AddToScheme(options.Scheme); err != nil {
		return err
	}
	if err := batchv1.AddToScheme(options.Scheme); err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, options)
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(manager).
		For(&v1alpha1.SequentialJob{}).
		Owns(&batchv1.Job{}, builder.OnlyMetadata).
		Complete(&runner{writer: manager.GetClient(), live: manager.GetAPIReader()})
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
