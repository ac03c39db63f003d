package config_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/yaml"

	_ "example.com/controller-course/sequentialjob/controller" // registers its metrics
	_ "example.com/controller-course/sequentialjob/workspace"  // registers its metrics
)

// TestAlerts runs the tests of the alerts, which have a module of their own.
func TestAlerts(t *testing.T) {
	files, err := os.ReadDir("prometheus")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		read(t, filepath.Join("prometheus", file.Name())) // so that this result isn't reused when one changes
	}
	test := exec.Command("go", "test", ".")
	test.Dir = "prometheus"
	if output, err := test.CombinedOutput(); err != nil {
		t.Errorf("%s in %s: %s\n%s", test, test.Dir, err, output)
	}
}

// TestAlertsSpeakOfMetrics checks that the operator has every metric that an alert or its
// description speaks of.
func TestAlertsSpeakOfMetrics(t *testing.T) {
	var file struct {
		Groups []struct {
			Rules []struct {
				Expr        string
				Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(read(t, "prometheus/alerts.yaml"), &file); err != nil {
		t.Fatal(err)
	}
	exported := exportedMetrics()
	metric := regexp.MustCompile(`\b(sequentialjob|workspace|controller_runtime|workqueue|leader_election|rest_client)_[a-z_]+\b`)
	found := 0
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			for _, name := range metric.FindAllString(rule.Expr+" "+rule.Annotations["description"], -1) {
				found++
				if !slices.Contains(exported, strings.TrimSuffix(name, "_bucket")) {
					t.Errorf("there is no metric %s", name)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no alert speaks of a metric")
	}
}

// exportedMetrics lists the names of all metrics that the operator registers.
func exportedMetrics() []string {
	descriptions := make(chan *prometheus.Desc)
	go func() {
		metrics.Registry.(prometheus.Collector).Describe(descriptions)
		close(descriptions)
	}()
	name := regexp.MustCompile(`fqName: "([^"]+)"`)
	var names []string
	for description := range descriptions {
		names = append(names, name.FindStringSubmatch(description.String())[1])
	}
	return names
}
