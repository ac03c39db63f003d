package observer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"example.com/controller-course/tests/kit/assert"
)

func TestAWatchThatEndsIsAGap(t *testing.T) {
	for name, test := range map[string]struct {
		end   func(http.ResponseWriter) // of the watch on Jobs
		wants string
	}{
		"the API server has forgotten where it was": {func(response http.ResponseWriter) {
			fmt.Fprintln(response, `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":410,`+
				`"reason":"Expired","message":"too old resource version"}}`)
		}, "too old resource version"},
		"the connection is cut": {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, "closed the connection"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
				response.Header().Set("Content-Type", "application/json")
				if request.URL.Query().Get("watch") == "" {
					fmt.Fprint(response, `{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}`)
					return
				}
				response.(http.Flusher).Flush()
				if strings.HasSuffix(request.URL.Path, "/jobs") {
					test.end(response)
					response.(http.Flusher).Flush()
				}
				<-request.Context().Done()
			}))
			t.Cleanup(server.Close)

			o := w.observeAs(&rest.Config{Host: server.URL})
			for changed := o.Changed(); o.Err() == nil; changed = o.Changed() {
				<-changed
			}
			if frontier, err := o.Sync(w.ctx); err == nil {
				t.Errorf("Sync() = %d, want an error", frontier)
			}
			assert.Error(t, o.Err(), "watch on jobs ended", "has a gap", test.wants)
		})
	}
}
