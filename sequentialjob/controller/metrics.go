package controller

import (
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

var (
	finishedTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sequentialjob_finished_total",
		Help: "SequentialJobs whose end this process has recorded, by result (succeeded or failed) and reason, which is that of the condition Succeeded.",
	}, []string{"result", "reason"})

	stepTransitionSeconds = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "sequentialjob_step_transition_seconds",
		Help:    "Seconds from the reconcile that saw a step finished until the next step's Job was created.",
		Buckets: prometheus.ExponentialBuckets(0.005, 2, 14), // 5 ms to 41 s
	})

	staleReconciles = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sequentialjob_stale_reconciles_total",
		Help: "Reconciles that have ended early because the cache was stale, by the kind of the object that it showed in an old state.",
	}, []string{"kind"})
)

func init() {
	metrics.Registry.MustRegister(finishedTotal, stepTransitionSeconds, staleReconciles)

	// A counter that only appears with its first event shows no increase at that event, so an alert
	// would miss it.
	for result, reasons := range map[string][]string{
		resultSucceeded: {v1alpha1.ReasonAllStepsSucceeded, v1alpha1.ReasonStepsFailed},
		resultFailed: {v1alpha1.ReasonStepFailed, v1alpha1.ReasonJobDeleted,
			v1alpha1.ReasonInvalidJobTemplate, v1alpha1.ReasonDeadlineExceeded, v1alpha1.ReasonWorkspaceLost},
	} {
		for _, reason := range reasons {
			finishedTotal.WithLabelValues(result, reason)
		}
	}
}

// Values of the label result.
const (
	resultSucceeded = "succeeded"
	resultFailed    = "failed"
)

// countSteps counts what one status says that the one before did not.
func (r *Reconciler) countSteps(seen facts, before, after *v1alpha1.SequentialJobStatus) {
	if finished(after) && !finished(before) {
		result := resultFailed
		if summary(after).Status == metav1.ConditionTrue {
			result = resultSucceeded
		}
		finishedTotal.WithLabelValues(result, summary(after).Reason).Inc()
		return
	}

	if summary(after).Reason != v1alpha1.ReasonRunning {
		r.expectations.takeStepEnd(seen.object) // the next step does not wait for the controller now
		return
	}
	from, to := currentStep(before.Steps), currentStep(after.Steps)
	if from == nil || to == nil {
		return
	}
	if from.Name != to.Name && to.JobName != "" {
		r.expectations.recordStepEnd(seen.object, seen.now)
	}
	if from.Name == to.Name && from.State == v1alpha1.StepPending && to.State == v1alpha1.StepRunning {
		if end := r.expectations.takeStepEnd(seen.object); !end.IsZero() {
			stepTransitionSeconds.Observe(r.Clock.Since(end).Seconds())
		}
	}
}
