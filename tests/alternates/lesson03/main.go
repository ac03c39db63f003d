// Command lesson03 is a controller of SequentialJobs that meets the requirements of lesson 3 with another design
// than its solution: one function observes, decides and acts. Jobs have fixed names. An index finds them by the
// UID of their controller. The names identify the steps, so there are no labels.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs,verbs=get;list;watch
// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/finalizers,verbs=update
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=system,resources=leases,verbs=get;create;update
// +kubebuilder:rbac:groups="",namespace=system,resources=events,verbs=create;patch

// byController is the index of Jobs by the UID of their controller.
const byController = "controller"

func main() {
	metrics := flag.String("metrics-bind-address", "0", "address to serve metrics on; 0 for not at all")
	probes := flag.String("health-probe-bind-address", "0", "address to serve probes on; 0 for not at all")
	elect := flag.Bool("leader-elect", false, "run only while holding a lease")
	flag.Parse()
	ctrl.SetLogger(zap.New())

	grace := 5 * time.Second
	if err := run(ctrl.Options{
		Metrics: metricsserver.Options{BindAddress: *metrics}, HealthProbeBindAddress: *probes,
		LeaderElection: *elect, LeaderElectionID: "lesson03.batch.example.com", GracefulShutdownTimeout: &grace,
	}); err != nil {
		fmt.Fprintln(os.Stderr, "lesson03:", err)
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
	ctx := ctrl.SetupSignalHandler()
	err = manager.GetFieldIndexer().IndexField(ctx, &batchv1.Job{}, byController, func(job client.Object) []string {
		if owner := metav1.GetControllerOf(job); owner != nil {
			return []string{string(owner.UID)}
		}
		return nil
	})
	if err != nil {
		return err
	}
	c := manager.GetClient()
	err = ctrl.NewControllerManagedBy(manager).
		For(&v1alpha1.SequentialJob{}).
		Owns(&batchv1.Job{}).
		Complete(reconcile.Func(func(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
			return ctrl.Result{}, advance(ctx, c, request)
		}))
	if err != nil {
		return err
	}
	return manager.Start(ctx)
}

// advance creates the first Job that is missing, if all before it are complete. It leaves alone what another
// controller manages. It does not support startAt yet, so it runs no step of an object that has it.
func advance(ctx context.Context, c client.Client, request ctrl.Request) error {
	object := &v1alpha1.SequentialJob{}
	if err := c.Get(ctx, request.NamespacedName, object); err != nil {
		return client.IgnoreNotFound(err)
	}
	if object.DeletionTimestamp != nil || ptr.Deref(object.Spec.ManagedBy, v1alpha1.ControllerName) != v1alpha1.ControllerName {
		return nil
	}
	if object.Spec.StartAt != nil {
		ctrl.LoggerFrom(ctx).Info("spec.startAt is not supported yet: create a new SequentialJob without it to run all steps")
		return nil
	}
	jobs := &batchv1.JobList{}
	if err := c.List(ctx, jobs, client.InNamespace(object.Namespace), client.MatchingFields{byController: string(object.UID)}); err != nil {
		return err
	}
	for _, step := range object.Spec.Steps {
		name := v1alpha1.JobName(object.Name, step.Name)
		i := slices.IndexFunc(jobs.Items, func(job batchv1.Job) bool { return job.Name == name })
		if i < 0 {
			return c.Create(ctx, jobOf(object, name, step.JobTemplate)) // if the name is taken, the queue retries
		}
		if !slices.ContainsFunc(jobs.Items[i].Status.Conditions, isComplete) {
			return nil // its events trigger the next reconcile
		}
	}
	return nil
}

func jobOf(object *v1alpha1.SequentialJob, name string, template batchv1.JobTemplateSpec) *batchv1.Job {
	template = *template.DeepCopy()
	job := &batchv1.Job{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	job.Namespace, job.Name = object.Namespace, name
	job.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(object, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))}
	return job
}

func isComplete(condition batchv1.JobCondition) bool {
	return condition.Type == batchv1.JobComplete && condition.Status == corev1.ConditionTrue
}
