package process

import (
	"context"
	"net/http"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Metrics returns the values of the controller's counters and gauges, each summed up over what has these labels. A histogram
// counts as two counters, its name with _sum and with _count.
func (p *Process) Metrics(ctx context.Context, labels map[string]string) (map[string]float64, error) {
	response, err := get(ctx, p.metricsAddr, "/metrics")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	families, err := new(expfmt.NewTextParser(model.UTF8Validation)).TextToMetricFamilies(response.Body)
	sums := map[string]float64{}
	for name, family := range families {
		for _, metric := range family.Metric {
			if !has(metric, labels) {
				continue
			}
			sums[name] += metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
			if histogram := metric.GetHistogram(); histogram != nil {
				sums[name+"_sum"] += histogram.GetSampleSum()
				sums[name+"_count"] += float64(histogram.GetSampleCount())
			}
		}
	}
	return sums, err
}

func has(metric *dto.Metric, labels map[string]string) bool {
	found := 0
	for _, label := range metric.Label {
		if value, asked := labels[label.GetName()]; asked && value == label.GetValue() {
			found++
		}
	}
	return found == len(labels)
}

// get asks what a controller serves. The caller closes the response's body.
func get(ctx context.Context, address, path string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		return nil, err
	}
	return http.DefaultClient.Do(request)
}
