package workspace

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

var (
	restoredTotal = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "workspace_buckets_restored_total",
		Help: "How often settings of a bucket that somebody had changed were put back.",
	})

	sweptTotal = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "workspace_buckets_swept_total",
		Help: "Buckets that were deleted because their Workspace is gone.",
	})

	looksTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "workspace_looks_at_all_buckets_total",
		Help: "Looks at all buckets, by result (done or failed).",
	}, []string{"result"})
)

func init() {
	metrics.Registry.MustRegister(restoredTotal, sweptTotal, looksTotal)
	for _, result := range []string{resultDone, resultFailed} {
		looksTotal.WithLabelValues(result)
	}
}

// Values of the label result.
const (
	resultDone   = "done"
	resultFailed = "failed"
)
