package observer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"example.com/controller-course/tests/kit/assert"
)

func TestAWatchThatCanNotContinueIsAGap(t *testing.T) {
	for name, cuts := range map[string]int32{"at once": 0, "after its connection was cut twice": 2} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			var watches atomic.Int32 // on Jobs
			server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
				response.Header().Set("Content-Type", "application/json")
				if request.URL.Query().Get("watch") == "" {
					fmt.Fprint(response, `{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}`)
					return
				}
				response.(http.Flusher).Flush()
				if strings.HasSuffix(request.URL.Path, "/jobs") {
					if since := request.URL.Query().Get("resourceVersion"); since != "7" {
						t.Errorf("a watch starts at %s", since)
					}
					if watches.Add(1) <= cuts {
						panic(http.ErrAbortHandler)
					}
					fmt.Fprintln(response, `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":410,`+
						`"reason":"Expired","message":"too old resource version"}}`)
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
			assert.Error(t, o.Err(), "watch on jobs ended", "has a gap", "too old resource version")
			if got := watches.Load(); got != cuts+1 {
				t.Errorf("%d watches, want %d", got, cuts+1)
			}
		})
	}
}
