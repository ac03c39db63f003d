package observer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// An API server that has forgotten where the watch was.
func TestAnExpiredWatchIsAGap(t *testing.T) {
	w := newWorld(t)
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		answer.Header().Set("Content-Type", "application/json")
		if request.URL.Query().Get("watch") == "" {
			fmt.Fprint(answer, `{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}`)
			return
		}
		answer.WriteHeader(http.StatusOK)
		if strings.HasSuffix(request.URL.Path, "/jobs") {
			fmt.Fprintln(answer, `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired","message":"too old resource version"}}`)
		}
		answer.(http.Flusher).Flush()
		<-request.Context().Done()
	}))
	t.Cleanup(server.Close)

	o := w.observeAs(&rest.Config{Host: server.URL})
	for changed := o.Changed(); o.Err() == nil; changed = o.Changed() {
		<-changed
	}
	assertGap(t, w.ctx, o)
	if message := o.Err().Error(); !strings.Contains(message, "too old resource version") || !strings.Contains(message, "jobs") {
		t.Errorf("the error does not tell what happened: %s", message)
	}
}
