package finding_test

import (
	"testing"
	"time"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
)

func TestWhatAControllerPrintedAboutAFinding(t *testing.T) {
	run := staleCache()
	for i, text := range []string{
		"starting", "webhook ready", "reconcile web", "reconcile other", "create web-build-x7k2p", "starting again", "reconcile web",
	} {
		run.Printed = append(run.Printed, history.Line{At: time.Duration(100*i+50) * ms, Instance: 1 + i/5, Text: text})
	}
	for name, test := range map[string]struct {
		finding finding.Finding
		n       int
		want    string
	}{
		"no objects, the nearest lines about any": {finding.Finding{At: 400 * ms}, 2,
			"  0.250 s  [1] reconcile web\n  0.450 s  [1] create web-build-x7k2p"},
		"the objects of a request": {finding.Finding{At: 0, Requests: []int{1}}, 9,
			"  0.250 s  [1] reconcile web\n  0.450 s  [1] create web-build-x7k2p\n  0.650 s  [2] reconcile web"},
		"the object of a change": {finding.Finding{At: 0, Changes: []uint64{101}}, 9, "  0.450 s  [1] create web-build-x7k2p"},
		"the object that its words name": {finding.Finding{At: 0, What: "Job web-build-x7k2p, which nobody needs, still runs."}, 9,
			"  0.450 s  [1] create web-build-x7k2p"},
		"nothing about it": {finding.Finding{Changes: []uint64{103}}, 9, ""},
	} {
		assert.Equal(t, name, finding.Logged(run, test.finding, test.n), test.want)
	}
}

func TestRepeatedLinesOfALogAreFolded(t *testing.T) {
	run := staleCache()
	for i := range 5 {
		text := `{"level":"error","ts":"2030-01-01T12:00:00Z","msg":"Reconciler error","error":"web is refused"}`
		if i == 4 {
			text = "web is created"
		}
		run.Printed = append(run.Printed, history.Line{At: time.Duration(100*i+50) * ms, Instance: 1, Text: text})
	}
	want := "  0.050 s  [1] ERROR Reconciler error: web is refused (4 times)\n  0.450 s  [1] web is created"
	assert.Equal(t, "the log", finding.Logged(run, finding.Finding{Requests: []int{1}}, 2), want)
}
