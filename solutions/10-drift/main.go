// Command sequentialjob has two controllers: one of SequentialJobs, and one of Workspaces.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// gracePeriod is how long a running reconcile may take to finish after SIGTERM.
const gracePeriod = 5 * time.Second

// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=system,resources=leases,verbs=get;create;update
// +kubebuilder:rbac:groups="",namespace=system,resources=events,verbs=create;patch

func main() {
	metricsAddress := flag.String("metrics-bind-address", ":8080", "address to serve Prometheus metrics on; 0 for not at all")
	probeAddress := flag.String("health-probe-bind-address", ":8081", "address to serve /healthz and /readyz on; 0 for not at all")
	leaderElect := flag.Bool("leader-elect", false, "run only while holding a lease, so that other replicas can stand by")
	driftWay := flag.String("drift", string(notify), "how to notice that somebody has changed a bucket: reapply, poll, poller or notify")
	driftInterval := flag.Duration("drift-interval", 10*time.Minute, "time between two looks for that; with reapply, between two updates")
	flag.Parse()
	ctrl.SetLogger(zap.New())

	drift, err := parseDrift(*driftWay, *driftInterval)
	if err == nil {
		err = run(*metricsAddress, *probeAddress, *leaderElect, drift)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sequentialjob:", err)
		os.Exit(1)
	}
}

func run(metricsAddress, probeAddress string, leaderElect bool, drift drift) error {
	// The scheme maps each kind to its Go type.
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return fmt.Errorf("building the scheme: %w", err)
		}
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the cluster (set KUBECONFIG): %w", err)
	}
	// The manager has what controllers share: the cache, a client that reads from it, metrics and probes.
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                  scheme,
		Cache:                   cacheOptions(),
		Metrics:                 metricsserver.Options{BindAddress: metricsAddress},
		HealthProbeBindAddress:  probeAddress,
		LeaderElection:          leaderElect,
		LeaderElectionID:        "sequentialjob.batch.example.com",
		GracefulShutdownTimeout: ptr.To(gracePeriod),
	})
	if err != nil {
		return fmt.Errorf("setting up the manager: %w", err)
	}
	for _, add := range []func(string, healthz.Checker) error{manager.AddHealthzCheck, manager.AddReadyzCheck} {
		if err := add("ping", healthz.Ping); err != nil {
			return fmt.Errorf("adding the probes: %w", err)
		}
	}
	if err := setup(manager); err != nil {
		return fmt.Errorf("setting up the controller of SequentialJobs: %w", err)
	}
	if url := os.Getenv("NATS_URL"); url != "" { // without an object store, this process leaves Workspaces alone
		store, err := connect(url)
		if err != nil {
			return err
		}
		defer store.close()
		if err := setupWorkspaces(manager, store, drift); err != nil {
			return fmt.Errorf("setting up the controller of Workspaces: %w", err)
		}
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
