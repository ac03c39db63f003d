package finding

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/controller-course/tests/kit/history"
)

func TestAReadThatWaitsForAWatch(t *testing.T) {
	t.Parallel()
	const start, late = 1 * time.Second, 2 * time.Second
	watch := func(resource string, opened time.Duration, code int) history.Stream {
		return history.Stream{Instance: 1, Resource: resource, Opened: opened, Code: code, Scope: history.Scope{Namespace: "team"}}
	}
	for name, test := range map[string]struct {
		streams []history.Stream
		want    string // is part of it; empty for no finding
	}{
		"refused again and again": {
			streams: []history.Stream{watch("jobs", start/2, http.StatusOK), watch("namespaces", late, http.StatusForbidden), watch("namespaces", late+start, http.StatusForbidden)},
			want:    "the cache started a watch of namespaces (of the namespace team, without a selector). Your controller's role does not allow list and watch of them, and the API server refused 2 times",
		},
		"refused when it started":         {streams: []history.Stream{watch("jobs", start/2, http.StatusForbidden)}},
		"allowed at last":                 {streams: []history.Stream{watch("pods", late, http.StatusForbidden), watch("pods", late+start, http.StatusOK)}},
		"the API server was overloaded":   {streams: []history.Stream{watch("pods", late, http.StatusTooManyRequests)}},
		"of an instance that has crashed": {streams: []history.Stream{{Instance: 2, Resource: "pods", Opened: late, Code: http.StatusForbidden}}},
	} {
		run := history.Run{Processes: []history.Process{{Instance: 1, UpToDate: start}}, Streams: test.streams}
		found, is := Unfilled(run, 1)
		if is != (test.want != "") || !strings.Contains(found.What, test.want) {
			t.Errorf("%s: %v, %q; want %q", name, is, found.What, test.want)
		}
		if is && found.At != late {
			t.Errorf("%s: it is said to begin at %s, want %s", name, found.At, late)
		}
	}
}
