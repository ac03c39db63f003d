package prometheus_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// atWork is what a manager shows that holds the lease.
const atWork = `controller_runtime_max_concurrent_reconciles{controller="sequentialjob"} 10x90`

// stories are the samples that Prometheus has scraped, once a minute, and the alerts that they trigger,
// with the value that their description must have.
var stories = []struct {
	name   string
	series []string
	fires  map[string]float64
}{
	{
		name: "all is well",
		series: []string{
			atWork,
			`sequentialjob_finished_total{result="succeeded",reason="AllStepsSucceeded"} 0+3x90`,
			`sequentialjob_finished_total{result="failed",reason="StepFailed"} 0+0.2x90`,
			`sequentialjob_step_transition_seconds_bucket{le="0.08"} 0+9x90`,
			`sequentialjob_step_transition_seconds_bucket{le="5.12"} 0+9x90`,
			`sequentialjob_step_transition_seconds_bucket{le="+Inf"} 0+9x90`,
			`controller_runtime_reconcile_errors_total{controller="sequentialjob"} 0+0.1x90`,
			`controller_runtime_reconcile_total{controller="sequentialjob",result="success"} 0+80x90`,
			`controller_runtime_reconcile_total{controller="sequentialjob",result="requeue_after"} 0+20x90`,
			`sequentialjob_stale_reconciles_total{kind="SequentialJob"} 0+3x90`,
			`workqueue_depth{controller="sequentialjob",name="sequentialjob",priority="0"} 2x90`,
			`workqueue_longest_running_processor_seconds{controller="sequentialjob",name="sequentialjob"} 0.1x90`,
		},
	},
	{
		name:   "there is no manager",
		series: []string{`up 1x90`},
		fires:  map[string]float64{"SequentialJobOperatorAbsent": 1},
	},
	{
		name:   "a manager is on standby, none holds the lease",
		series: []string{`leader_election_master_status{name="sequentialjob.batch.example.com"} 0x90`},
		fires:  map[string]float64{"SequentialJobOperatorAbsent": 1},
	},
	{
		name:   "the manager is replaced",
		series: []string{`controller_runtime_max_concurrent_reconciles{controller="sequentialjob"} 10x40 _x7 10x40`},
	},
	{
		name: "every second run fails",
		series: []string{
			atWork,
			`sequentialjob_finished_total{result="succeeded",reason="AllStepsSucceeded"} 0+1x90`,
			`sequentialjob_finished_total{result="failed",reason="StepFailed"} 0+0.5x90`,
			`sequentialjob_finished_total{result="failed",reason="DeadlineExceeded"} 0+0.5x90`,
		},
		fires: map[string]float64{"SequentialJobsFailing": 0.5},
	},
	{
		name: "a tenth of many runs fails",
		series: []string{
			atWork,
			`sequentialjob_finished_total{result="succeeded",reason="AllStepsSucceeded"} 0+90x90`,
			`sequentialjob_finished_total{result="failed",reason="StepFailed"} 0+10x90`,
		},
	},
	{
		name: "the only two runs fail",
		series: []string{
			atWork,
			`sequentialjob_finished_total{result="failed",reason="StepFailed"} 0x30 1x10 2x50`,
		},
	},
	{
		name: "steps start late",
		series: []string{
			atWork,
			`sequentialjob_step_transition_seconds_bucket{le="5.12"} 0+1x90`,
			`sequentialjob_step_transition_seconds_bucket{le="10.24"} 0+2x90`,
			`sequentialjob_step_transition_seconds_bucket{le="+Inf"} 0+2x90`,
		},
		fires: map[string]float64{"SequentialJobStepsStartLate": 9.728},
	},
	{
		name: "one object fails again and again",
		series: []string{
			atWork,
			`controller_runtime_reconcile_errors_total{controller="sequentialjob"} 0+1x90`,
		},
		fires: map[string]float64{"SequentialJobReconcileErrors": 10},
	},
	{
		name: "the API server is gone for three minutes",
		series: []string{
			atWork,
			`controller_runtime_reconcile_errors_total{controller="sequentialjob"} 0x30 100+100x2 300x57`,
		},
	},
	{
		name: "another controller fails",
		series: []string{
			atWork,
			`controller_runtime_reconcile_errors_total{controller="other"} 0+60x90`,
			`workqueue_depth{controller="other",name="other",priority="0"} 5000x90`,
		},
	},
	{
		name: "more comes in than is worked off",
		series: []string{
			atWork,
			`workqueue_depth{controller="sequentialjob",name="sequentialjob",priority="0"} 60x90`,
			`workqueue_depth{controller="sequentialjob",name="sequentialjob",priority="-100"} 60x90`,
		},
		fires: map[string]float64{"SequentialJobQueueBacklog": 120},
	},
	{
		name: "a standby has many objects in its queue",
		series: []string{
			`controller_runtime_max_concurrent_reconciles{controller="sequentialjob",instance="leader"} 10x90`,
			`workqueue_depth{controller="sequentialjob",name="sequentialjob",priority="0",instance="leader"} 2x90`,
			`workqueue_depth{controller="sequentialjob",name="sequentialjob",priority="0",instance="standby"} 5000x90`,
		},
	},
	{
		name: "a manager starts with thousands of objects",
		series: []string{
			atWork,
			`workqueue_depth{controller="sequentialjob",name="sequentialjob",priority="-100"} 5000-400x12 0x77`,
		},
	},
	{
		name: "a reconcile hangs",
		series: []string{
			atWork,
			`workqueue_longest_running_processor_seconds{controller="sequentialjob",name="sequentialjob"} 0x30 0+60x20`,
		},
		fires: map[string]float64{"SequentialJobReconcileStuck": 20 * 60},
	},
	{
		name: "watch events arrive late",
		series: []string{
			atWork,
			`controller_runtime_reconcile_total{controller="sequentialjob",result="success"} 0+40x90`,
			`controller_runtime_reconcile_total{controller="sequentialjob",result="requeue_after"} 0+20x90`,
			`sequentialjob_stale_reconciles_total{kind="SequentialJob"} 0+10x90`,
			`sequentialjob_stale_reconciles_total{kind="Job"} 0+20x90`,
		},
		fires: map[string]float64{"SequentialJobCacheStale": 0.5},
	},
	{
		name: "the object store is gone",
		series: []string{
			atWork,
			`workspace_looks_at_all_buckets_total{result="failed"} 0x30 1+1x59`,
			`workspace_looks_at_all_buckets_total{result="done"} 0+0.1x30 3x59`,
		},
		fires: map[string]float64{"WorkspaceStoreUnavailable": 15},
	},
	{
		name: "the object store is gone for five minutes",
		series: []string{
			atWork,
			`workspace_looks_at_all_buckets_total{result="failed"} 0x30 1+1x5 6x54`,
			`workspace_looks_at_all_buckets_total{result="done"} 0+0.1x90`,
		},
	},
	{
		name: "there is no object store",
		series: []string{
			atWork,
			`workspace_looks_at_all_buckets_total{result="failed"} 0x90`,
			`workspace_looks_at_all_buckets_total{result="done"} 0x90`,
		},
	},
}

func TestStories(t *testing.T) {
	alerts := load(t)
	silent := map[string]bool{}
	for _, alert := range alerts {
		silent[alert.Alert] = true
	}
	for _, story := range stories {
		t.Run(story.name, func(t *testing.T) {
			scraped := record(t, story.series)
			for _, alert := range alerts {
				value, fires := watch(t, alert, scraped)
				want, wanted := story.fires[alert.Alert]
				if fires != wanted {
					t.Errorf("%s fires: %t, want %t", alert.Alert, fires, wanted)
				}
				if fires && wanted && math.Abs(value-want) > 0.01*want {
					t.Errorf("%s reports %g, want about %g", alert.Alert, value, want)
				}
			}
		})
		for name := range story.fires {
			delete(silent, name)
		}
	}
	if len(silent) > 0 {
		t.Errorf("no story sets off %s", slices.Sorted(maps.Keys(silent)))
	}
}

// TestForm checks what Prometheus leaves to taste, and that alerts speak of metrics of the operator only.
func TestForm(t *testing.T) {
	for _, alert := range load(t) {
		if severity := alert.Labels["severity"]; severity != "warning" && severity != "critical" {
			t.Errorf("%s: severity is %q, want warning or critical", alert.Alert, severity)
		}
		for _, annotation := range []string{"summary", "description"} {
			if alert.Annotations[annotation] == "" {
				t.Errorf("%s has no %s", alert.Alert, annotation)
			}
		}
		expr, err := parser.ParseExpr(alert.Expr)
		if err != nil {
			t.Fatal(err)
		}
		parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
			if selector, ok := node.(*parser.VectorSelector); ok && !ours(selector) {
				t.Errorf("%s: %s may be another program's", alert.Alert, selector)
			}
			return nil
		})
	}
}

// ours says whether a selector chooses series that only the operator has.
func ours(selector *parser.VectorSelector) bool {
	if strings.HasPrefix(selector.Name, "sequentialjob_") || selector.Name == "workspace_looks_at_all_buckets_total" {
		return true
	}
	label := "controller"
	if strings.HasPrefix(selector.Name, "workqueue_") {
		label = "name"
	}
	return slices.ContainsFunc(selector.LabelMatchers, func(m *labels.Matcher) bool {
		return m.Name == label && m.Type == labels.MatchEqual && m.Value == "sequentialjob"
	})
}

func load(t *testing.T) []rulefmt.Rule {
	t.Helper()
	groups, errs := rulefmt.ParseFile("alerts.yaml", false, model.UTF8Validation)
	for _, err := range errs {
		t.Error(err)
	}
	if len(errs) > 0 {
		t.FailNow()
	}
	var rules []rulefmt.Rule
	for _, group := range groups.Groups {
		rules = append(rules, group.Rules...)
	}
	return rules
}

// watch evaluates an alert once a minute and says whether it ever fires, and its value at the end.
func watch(t *testing.T, alert rulefmt.Rule, scraped recording) (value float64, fires bool) {
	t.Helper()
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute})
	defer engine.Close()
	pending := time.Duration(-1)
	for at := time.Duration(0); at <= scraped.length; at += time.Minute {
		query, err := engine.NewInstantQuery(context.Background(), scraped, nil, alert.Expr, time.UnixMilli(0).Add(at))
		if err != nil {
			t.Fatal(err)
		}
		result, err := query.Exec(context.Background()).Vector()
		if err != nil {
			t.Fatalf("%s: %s", alert.Alert, err)
		}
		switch {
		case len(result) == 0:
			pending = -1
		case pending < 0:
			pending = at
		case at-pending >= time.Duration(alert.For):
			fires, value = true, result[0].F
		}
		if len(result) > 1 {
			t.Errorf("%s comes %d times", alert.Alert, len(result))
		}
		query.Close()
	}
	return value, fires
}

// recording is a storage that holds a few series.
type recording struct {
	series []storage.Series
	length time.Duration
}

func record(t *testing.T, descriptions []string) recording {
	t.Helper()
	var recorded recording
	for _, description := range descriptions {
		name, values, err := parser.ParseSeriesDesc(description)
		if err != nil {
			t.Fatalf("%s: %s", description, err)
		}
		var points []chunks.Sample
		for minute, value := range values {
			at := time.Duration(minute) * time.Minute
			recorded.length = max(recorded.length, at)
			if !value.Omitted {
				points = append(points, point{at.Milliseconds(), value.Value})
			}
		}
		recorded.series = append(recorded.series, storage.NewListSeries(name, points))
	}
	return recorded
}

func (r recording) Querier(_, _ int64) (storage.Querier, error) {
	return &storage.MockQuerier{SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
		chosen := &seriesSet{}
		for _, series := range r.series {
			if !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(series.Labels().Get(m.Name)) }) {
				chosen.left = append(chosen.left, series)
			}
		}
		return chosen
	}}, nil
}

type seriesSet struct {
	current storage.Series
	left    []storage.Series
}

func (s *seriesSet) Next() bool {
	if len(s.left) == 0 {
		return false
	}
	s.current, s.left = s.left[0], s.left[1:]
	return true
}

func (s *seriesSet) At() storage.Series                { return s.current }
func (s *seriesSet) Err() error                        { return nil }
func (s *seriesSet) Warnings() annotations.Annotations { return nil }

// point is one value of a series.
type point struct {
	at    int64
	value float64
}

func (p point) T() int64                      { return p.at }
func (p point) ST() int64                     { return 0 }
func (p point) F() float64                    { return p.value }
func (p point) H() *histogram.Histogram       { return nil }
func (p point) FH() *histogram.FloatHistogram { return nil }
func (p point) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (p point) Copy() chunks.Sample           { return p }
func (p point) String() string                { return fmt.Sprint(p.value) }
