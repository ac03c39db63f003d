package finding_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/must"
)

func TestExcerpt(t *testing.T) {
	alone := history.Run{
		Processes: []history.Process{{Instance: 1, Started: 10 * ms}},
		Requests:  []history.Request{request(1, 1, "create", "jobs", "web/build", "web-build", 20*ms, 201, 201, 1)},
	}
	elsewhere := request(2, 1, "create", "configmaps", "job-count", "job-count", 20*ms, 201, 201, 2)
	elsewhere.Object.Namespace = "plan-2"
	namespaces := history.Run{Requests: []history.Request{
		request(1, 1, "create", "configmaps", "job-count", "job-count", 10*ms, 201, 201, 1), elsewhere,
		request(3, 1, "create", "jobs", "web/build", "web-build", 30*ms, 201, 201, 3),
	}}
	store := history.Run{Requests: []history.Request{
		request(1, 1, "create", "buckets", "web", "ws-1", 10*ms, 200, 0, 0),
		request(2, 1, "get", "buckets", "web", "ws-1", 20*ms, 0, 503, 0),
	}}
	faults := history.Run{}
	for i, line := range []string{
		"lose request: create jobs web/build #1", "lose reply: create jobs web/build #1", "answer 429: create jobs web/build #1",
		"answer 500: create jobs web/build #1", "answer 504: create jobs web/build #1",
		"answer 503 after commit: create jobs web/build #1", "write first: update sequentialjobs/status web #1",
		"crash before: write #3 of instance 2", "crash after commit: write #3 of instance 2",
		"crash after reply: write #3 of instance 2", "commit late: write #3 of instance 2", "hold: MODIFIED jobs web/build #2",
		"hold all: MODIFIED jobs web/build #2", "cut: MODIFIED jobs web/build #2", "hold, cut, 410: DELETED jobs web/build #1",
		"crash at: MODIFIED jobs web/build #2", "start stale at: MODIFIED jobs web/build #2", "answer late: write #1 of instance 1",
		"answer 503: create buckets web #1", "cut before: create buckets web #1", "cut after commit: create buckets web #1",
		"cut at: DELETED buckets web #1", "lose from: DELETED buckets web #1",
	} {
		at := time.Duration(10*i+10) * ms
		faults.Faults = append(faults.Faults, history.Strike{ID: i + 1, Fault: fault(line), Struck: at, Healed: at + 5*ms})
	}
	for name, test := range map[string]struct {
		run    history.Run
		around time.Duration
		n      int
	}{
		"whole":   {staleCache(), 412 * ms, 100},
		"around":  {staleCache(), 412 * ms, 6},
		"begin":   {staleCache(), 0, 3},
		"end":     {staleCache(), time.Hour, 3},
		"alone":   {alone, 0, 5},
		"faults":  {faults, 0, 100},
		"nothing": {history.Run{}, 0, 5},
		"store":   {store, 0, 5},

		"namespaces": {namespaces, 0, 5},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join("testdata", "excerpt-"+name+".txt"))
			must.Succeed(t, err)
			assert.Equal(t, "Excerpt", finding.Excerpt(test.run, test.around, test.n)+"\n", string(want))
		})
	}
}

func TestARequestWithoutANameIsDescribedByWhatIsKnown(t *testing.T) {
	for object, want := range map[history.Logical]string{
		"web/fetch": "create jobs web/fetch → 422",
		"?/?":       "create jobs (no name yet) → 422",
		"?":         "create jobs (no name yet) → 422",
	} {
		run := history.Run{Requests: []history.Request{request(1, 1, "create", "jobs", object, "", 20*ms, 422, 422, 0)}}
		assert.Contains(t, "the excerpt of a request about "+string(object), finding.Excerpt(run, 0, 5), want)
	}
}
