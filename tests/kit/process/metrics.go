package process

import (
	"context"
	"net/http"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Metrics returns the values of the controller's counters and gauges, each summed up over its labels.
func (p *Process) Metrics(ctx context.Context) (map[string]float64, error) {
	families, err := p.families(ctx)
	sums := map[string]float64{}
	for name, family := range families {
		sums[name] = sumOf(family, nil)
	}
	return sums, err
}

// Metric returns the value of a counter or gauge, summed up over what has these labels. Found says
// whether the controller has it.
func (p *Process) Metric(ctx context.Context, name string, labels map[string]string) (value float64, found bool, err error) {
	families, err := p.families(ctx)
	if err != nil || families[name] == nil {
		return 0, false, err
	}
	return sumOf(families[name], labels), true, nil
}

func (p *Process) families(ctx context.Context) (map[string]*dto.MetricFamily, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.MetricsURL(), nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return new(expfmt.NewTextParser(model.UTF8Validation)).TextToMetricFamilies(response.Body)
}

func sumOf(family *dto.MetricFamily, labels map[string]string) float64 {
	var sum float64
	for _, metric := range family.Metric {
		if has(metric, labels) {
			sum += valueOf(metric)
		}
	}
	return sum
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

func valueOf(metric *dto.Metric) float64 {
	switch {
	case metric.Counter != nil:
		return metric.Counter.GetValue()
	case metric.Gauge != nil:
		return metric.Gauge.GetValue()
	default:
		return 0
	}
}
