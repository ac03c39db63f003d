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
		Help:    "Seconds from the pass that saw a step to be over until the next step's Job was created.",
		Buckets: prometheus.ExponentialBuckets(0.005, 2, 14), // 5 ms to 41 s
	})

	passesPutOff = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sequentialjob_passes_put_off_total",
		Help: "Passes put off because the cache was behind the API server, by the kind that it was behind for.",
	}, []string{"kind"})
)

func init() {
	metrics.Registry.MustRegister(finishedTotal, stepTransitionSeconds, passesPutOff)

	// A counter that appears with its first event has no increase then that an alert could see.
	for result, reasons := range map[string][]string{
		resultSucceeded: {v1alpha1.ReasonAllStepsSucceeded, v1alpha1.ReasonStepsFailed},
		resultFailed: {v1alpha1.ReasonStepFailed, v1alpha1.ReasonJobDeleted,
			v1alpha1.ReasonInvalidJobTemplate, v1alpha1.ReasonDeadlineExceeded},
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

// countSteps counts what one status tells that the one before did not.
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
		r.memory.takeStepOver(seen.object) // what the next step waits for now is not the controller
		return
	}
	from, to := currentStep(before.Steps), currentStep(after.Steps)
	if from == nil || to == nil {
		return
	}
	if from.Name != to.Name && to.JobName != "" {
		r.memory.stepIsOver(seen.object, seen.now)
	}
	if from.Name == to.Name && from.State == v1alpha1.StepPending && to.State == v1alpha1.StepRunning {
		if over := r.memory.takeStepOver(seen.object); !over.IsZero() {
			stepTransitionSeconds.Observe(r.Clock.Since(over).Seconds())
		}
	}
}
