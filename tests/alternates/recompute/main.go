// Command recompute is a controller of SequentialJobs that trusts no cache. It watches metadata alone, and
// uses events only as triggers. A reconcile reads the SequentialJob and its step's Job from the API server,
// recomputes the whole status from them, and changes one thing at most: the status if it is not as it
// should be, or else a Job. The event of that change triggers the next reconcile. Another controller in the same
// process does the same with Workspaces and their buckets.
//
// This is what makes it correct:
//   - Held or missed events delay it, but can't mislead it. Nor can a restart with a stale cache.
//   - It writes the status with the resourceVersion that it read. So two processes, or the last request of
//     one that has died, never overwrite each other.
//   - It creates a Job only if the status that it has just read names the Job. The name is fixed, so a lost
//     response does not lead to a second Job.
//   - It creates the Job suspended, and resumes it once the status has its UID. So a Job that vanishes before
//     that has not run, and a Job that has run is recorded.
//   - It changes or deletes a Job only if the Job is still as it was read.
//   - The object store tells nobody of changes, so each Workspace is reconciled after an interval, and looks at its stream. Another
//     loop deletes the streams of Workspaces that are gone, by what the API server says of all Workspaces.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// resync is how often to look at each object. A Job may come and go while the watch is interrupted, which no event reports.
const resync = 10 * time.Second

const lease = "recompute.batch.example.com"

// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs,verbs=get;list;watch;delete
// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/status,verbs=update
// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/finalizers,verbs=update
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;update;delete
// +kubebuilder:rbac:groups=batch.example.com,resources=workspaces,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups=batch.example.com,resources=workspaces/status,verbs=update
// +kubebuilder:rbac:groups=batch.example.com,resources=workspaces/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups="",resources=namespaces,resourceNames=kube-system,verbs=get
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=system,resources=leases,verbs=create
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=system,resources=leases,resourceNames=recompute.batch.example.com,verbs=get;update
// +kubebuilder:rbac:groups="",namespace=system,resources=events,verbs=create;patch

func main() {
	metricsAddress := flag.String("metrics-bind-address", ":8080", "address to serve metrics on; 0 for not at all")
	probeAddress := flag.String("health-probe-bind-address", ":8081", "address to serve probes on; 0 for not at all")
	leaderElect := flag.Bool("leader-elect", false, "run only while holding a lease")
	interval := flag.Duration("drift-interval", 10*time.Minute, "time between two looks at what others may have done to a bucket")
	flag.Parse()
	ctrl.SetLogger(zap.New())

	if err := run(*metricsAddress, *probeAddress, *leaderElect, *interval); err != nil {
		fmt.Fprintln(os.Stderr, "recompute:", err)
		os.Exit(1)
	}
}

func run(metricsAddress, probeAddress string, leaderElect bool, interval time.Duration) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{batchv1.AddToScheme, corev1.AddToScheme, v1alpha1.AddToScheme} {
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
		Cache:                         cache.Options{DefaultTransform: cache.TransformStripManagedFields(), SyncPeriod: new(resync)},
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
	runner := &runner{live: manager.GetAPIReader(), writer: manager.GetClient(), events: manager.GetEventRecorder("recompute"), pace: newPace()}
	err = ctrl.NewControllerManagedBy(manager).
		For(&v1alpha1.SequentialJob{}, builder.OnlyMetadata).
		Owns(&batchv1.Job{}, builder.OnlyMetadata).
		Watches(&v1alpha1.Workspace{}, handler.EnqueueRequestsFromMapFunc(runner.runsIn()), builder.OnlyMetadata).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: 4,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](5*time.Millisecond, 10*time.Second),
		}).
		Complete(runner)
	if err != nil {
		return err
	}
	if url := os.Getenv("NATS_URL"); url != "" {
		if err := provision(manager, url, interval); err != nil {
			return err
		}
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

// provision adds to the manager the controller of Workspaces, and the loop that deletes orphans.
func provision(to manager.Manager, url string, interval time.Duration) error {
	if interval <= 0 {
		return fmt.Errorf("--drift-interval is %s; it has to be positive", interval)
	}
	streams, err := connect(url)
	if err != nil {
		return err
	}
	system := &corev1.Namespace{}
	if err := to.GetAPIReader().Get(context.Background(), client.ObjectKey{Name: metav1.NamespaceSystem}, system); err != nil {
		return fmt.Errorf("reading what identifies the cluster: %w", err)
	}
	provisioner := &provisioner{
		live: to.GetAPIReader(), writer: to.GetClient(), streams: streams, url: url, cluster: string(system.UID), interval: interval,
	}
	if err := to.Add(manager.RunnableFunc(provisioner.sweepAgain)); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(to).
		For(&v1alpha1.Workspace{}, builder.OnlyMetadata).
		Owns(&corev1.Secret{}, builder.OnlyMetadata).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: 4,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](5*time.Millisecond, 10*time.Second),
		}).
		Complete(provisioner)
}
