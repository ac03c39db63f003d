// Command naive is a controller as a tutorial might leave it, and it works on a quiet day. Each reconcile
// lists the Jobs with the SequentialJob's label, derives from them how far the run is, and creates the next
// one, under a random name. It remembers and checks nothing. It mistakes the cache for the current state,
// labels for ownership, and Jobs for history.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
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
	metricsAddress := flag.String("metrics-bind-address", ":8080", "address to serve metrics on")
	probeAddress := flag.String("health-probe-bind-address", ":8081", "address to serve probes on")
	leaderElect := flag.Bool("leader-elect", false, "run only while holding a lease")
	flag.Parse()
	ctrl.SetLogger(zap.New())

	if err := run(*metricsAddress, *probeAddress, *leaderElect); err != nil {
		fmt.Fprintln(os.Stderr, "naive:", err)
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
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: metricsAddress}, HealthProbeBindAddress: probeAddress,
		LeaderElection: leaderElect, LeaderElectionID: "naive.batch.example.com",
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
		Complete(&reconciler{manager.GetClient()})
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

type reconciler struct {
	client.Client
}

// Reconcile creates the Job of the first step that has none, once those before have one that is complete.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &v1alpha1.SequentialJob{}
	if err := r.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	jobs := &batchv1.JobList{}
	if err := r.List(ctx, jobs, client.InNamespace(object.Namespace), client.MatchingLabels{v1alpha1.LabelSequentialJob: object.Name}); err != nil {
		return ctrl.Result{}, err
	}

	before := object.Status.DeepCopy()
	summary := metav1.Condition{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAllStepsSucceeded}
	object.Status.Steps, object.Status.CurrentStep = nil, ""
	done := 0
	for i := range object.Spec.Steps {
		step := &object.Spec.Steps[i]
		state := stateOf(step.Name, jobs.Items)
		if state == v1alpha1.StepPending && summary.Status == metav1.ConditionTrue {
			if err := r.createJob(ctx, object, step); err != nil {
				return ctrl.Result{}, err
			}
			state = v1alpha1.StepRunning
		}
		object.Status.Steps = append(object.Status.Steps, v1alpha1.StepStatus{Name: step.Name, State: state})
		switch {
		case state == v1alpha1.StepSucceeded:
			done++
		case summary.Status != metav1.ConditionTrue:
		case state == v1alpha1.StepFailed:
			summary.Status, summary.Reason = metav1.ConditionFalse, v1alpha1.ReasonStepFailed
		default:
			summary.Status, summary.Reason = metav1.ConditionUnknown, v1alpha1.ReasonRunning
			object.Status.CurrentStep = step.Name
		}
	}
	object.Status.Progress = fmt.Sprintf("%d/%d", done, len(object.Spec.Steps))
	object.Status.ObservedGeneration = object.Generation
	summary.ObservedGeneration = object.Generation
	meta.SetStatusCondition(&object.Status.Conditions, summary)
	if equality.Semantic.DeepEqual(before, &object.Status) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Status().Update(ctx, object)
}

func (r *reconciler) createJob(ctx context.Context, object *v1alpha1.SequentialJob, step *v1alpha1.Step) error {
	job := &batchv1.Job{ObjectMeta: *step.JobTemplate.ObjectMeta.DeepCopy(), Spec: *step.JobTemplate.Spec.DeepCopy()}
	job.Namespace, job.GenerateName = object.Namespace, object.Name+"-"+step.Name+"-"
	if job.Labels == nil {
		job.Labels = map[string]string{}
	}
	job.Labels[v1alpha1.LabelSequentialJob], job.Labels[v1alpha1.LabelStep] = object.Name, step.Name
	if err := ctrl.SetControllerReference(object, job, r.Scheme()); err != nil {
		return err
	}
	return r.Create(ctx, job)
}

// stateOf derives the state of a step from the Jobs.
func stateOf(step string, jobs []batchv1.Job) v1alpha1.StepState {
	state := v1alpha1.StepPending
	for _, job := range jobs {
		if job.Labels[v1alpha1.LabelStep] != step {
			continue
		}
		if state == v1alpha1.StepPending {
			state = v1alpha1.StepRunning
		}
		for _, condition := range job.Status.Conditions {
			switch {
			case condition.Status != corev1.ConditionTrue:
			case condition.Type == batchv1.JobComplete:
				return v1alpha1.StepSucceeded
			case condition.Type == batchv1.JobFailed:
				state = v1alpha1.StepFailed
			}
		}
	}
	return state
}
