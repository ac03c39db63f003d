// Command lesson04 is a controller of SequentialJobs that meets the requirements of lesson 4 with another design
// than its solution. It observes the current step alone, whose Job has a fixed name, and brings its entry in
// the status up to date. It updates the whole object, through /status. If the object has changed in the
// meantime, the same reconcile starts again with the object as the API server has it.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs,verbs=get;list;watch
// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/status,verbs=update
// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/finalizers,verbs=update
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create
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
		LeaderElection: *elect, LeaderElectionID: "lesson04.batch.example.com", GracefulShutdownTimeout: &grace,
	}); err != nil {
		fmt.Fprintln(os.Stderr, "lesson04:", err)
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
		Owns(&batchv1.Job{}).
		Complete(&runner{Client: manager.GetClient(), live: manager.GetAPIReader()})
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
