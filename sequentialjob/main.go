// Command sequentialjob is the operator that runs SequentialJobs, and gives Workspaces their buckets.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/sequentialjob/controller"
	"example.com/controller-course/sequentialjob/workspace"
)

// gracePeriod is how long running reconciles may take to finish after SIGTERM.
const gracePeriod = 5 * time.Second

// lease is the name of the lease that a manager holds while it works. A role can't narrow create to
// a name.
const lease = "sequentialjob.batch.example.com"

// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=system,resources=leases,verbs=create
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=system,resources=leases,resourceNames=sequentialjob.batch.example.com,verbs=get;update
// +kubebuilder:rbac:groups="",namespace=system,resources=events,verbs=create;patch

func main() {
	metricsAddress := flag.String("metrics-bind-address", ":8080", "address to serve Prometheus metrics on; 0 for not at all")
	probeAddress := flag.String("health-probe-bind-address", ":8081", "address to serve /healthz and /readyz on; 0 for not at all")
	leaderElect := flag.Bool("leader-elect", false, "run only while holding a lease, so that other replicas can stand by")
	interval := flag.Duration("drift-interval", 10*time.Minute, "time between two looks at all buckets, for changes that the object store does not tell of")
	logging := zap.Options{}
	logging.BindFlags(flag.CommandLine)
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&logging)))

	if err := run(*metricsAddress, *probeAddress, *leaderElect, *interval); err != nil {
		fmt.Fprintln(os.Stderr, "sequentialjob:", err)
		os.Exit(1)
	}
}

func run(metricsAddress, probeAddress string, leaderElect bool, interval time.Duration) error {
	if interval <= 0 {
		return fmt.Errorf("--drift-interval is %s; it has to be positive", interval)
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the cluster (set KUBECONFIG, or run in a pod): %w", err)
	}
	namespace, err := ownNamespace()
	if err != nil {
		return fmt.Errorf("finding the namespace for the lease: %w", err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return fmt.Errorf("building the scheme: %w", err)
		}
	}
	store, err := storeOptions(interval)
	if err != nil {
		return err
	}
	caches := controller.CacheOptions()
	if store.Store != nil {
		workspace.AddToCache(&caches)
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme,
		Cache:                         caches,
		Metrics:                       metricsserver.Options{BindAddress: metricsAddress},
		HealthProbeBindAddress:        probeAddress,
		LeaderElection:                leaderElect,
		LeaderElectionNamespace:       namespace,
		LeaderElectionID:              lease,
		LeaderElectionReleaseOnCancel: true, // main ends with the manager
		GracefulShutdownTimeout:       new(gracePeriod),
	})
	if err != nil {
		return fmt.Errorf("setting up the manager, for which the API server must be up and the CustomResourceDefinition installed: %w", err)
	}
	if err := controller.Setup(manager); err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	if store.Store != nil {
		if store.Cluster, err = clusterUID(ctx, manager.GetAPIReader()); err != nil {
			return err
		}
	}
	if err := workspace.Setup(manager, store); err != nil {
		return err
	}
	if err := manager.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return fmt.Errorf("adding the liveness probe: %w", err)
	}
	if err := manager.AddReadyzCheck("caches", cachesSynced(manager.GetCache())); err != nil {
		return fmt.Errorf("adding the readiness probe: %w", err)
	}
	if err := manager.Start(ctx); err != nil {
		return fmt.Errorf("running the manager: %w", err)
	}
	return nil
}

// ownNamespace is the kubeconfig's namespace; in a pod without a kubeconfig, the pod's.
func ownNamespace() (string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	if kubeconfig := flag.Lookup("kubeconfig"); kubeconfig != nil { // controller-runtime's
		rules.ExplicitPath = kubeconfig.Value.String()
	}
	namespace, _, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).Namespace()
	return namespace, err
}

// cachesSynced is a probe that fails until the caches are filled.
func cachesSynced(caches cache.Cache) healthz.Checker {
	return func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), time.Second)
		defer cancel()
		if !caches.WaitForCacheSync(ctx) {
			return errors.New("the caches have not synced yet")
		}
		return nil
	}
}
