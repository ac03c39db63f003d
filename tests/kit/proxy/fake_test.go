package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// fakeServer responds as an API server does, as far as the proxy can see. The response to a write has
// what was sent, and a UID and a version of their own.
type fakeServer struct {
	*httptest.Server
	opened chan *fakeWatch // watches, as they are opened

	mu        sync.Mutex
	version   int
	asked     []asked
	responses map[string]string // by method and path, instead of the usual one
	wait      map[string]chan struct{}
}

type asked struct {
	line   string // "PATCH /path?query"
	header http.Header
	body   string
}

// fakeWatch is a watch; it sends what it is given.
type fakeWatch struct {
	t     *testing.T
	query string
	lines chan string // closed to end the watch
}

func newFakeServer(t *testing.T) *fakeServer {
	f := &fakeServer{
		opened: make(chan *fakeWatch, 10), version: 100,
		responses: map[string]string{}, wait: map[string]chan struct{}{},
	}
	f.Server = httptest.NewServer(f)
	t.Cleanup(func() {
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

func (f *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	key := r.Method + " " + r.URL.Path
	f.mu.Lock()
	f.version++
	version := f.version
	f.asked = append(f.asked, asked{r.Method + " " + r.URL.RequestURI(), r.Header, string(body)})
	response, wait := f.responses[key], f.wait[key]
	f.mu.Unlock()
	if wait != nil {
		select {
		case <-wait:
		case <-r.Context().Done():
			return
		}
	}
	if r.URL.Query().Has("watch") {
		f.watch(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case response != "":
		fmt.Fprint(w, response)
	case r.Method == http.MethodPost || r.Method == http.MethodPut:
		fmt.Fprint(w, stored(body, version))
	default:
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Success"}`)
	}
}

// stored returns what was sent, as a stored object.
func stored(body []byte, version int) string {
	object := map[string]any{}
	if json.Unmarshal(body, &object) != nil {
		return string(body)
	}
	metadata := object["metadata"].(map[string]any)
	if metadata["name"] == nil {
		metadata["name"] = fmt.Sprintf("%s%d", metadata["generateName"], version)
	}
	metadata["namespace"] = namespace
	metadata["uid"] = fmt.Sprint("uid-", metadata["name"])
	metadata["resourceVersion"] = fmt.Sprint(version)
	data, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func (f *fakeServer) watch(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	watch := &fakeWatch{query: r.URL.RawQuery, lines: make(chan string)}
	f.opened <- watch
	for {
		select {
		case line, ok := <-watch.lines:
			if !ok {
				return
			}
			fmt.Fprintln(w, line)
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

func (f *fakeServer) next(t *testing.T) *fakeWatch {
	t.Helper()
	watch, _ := receive(t, f.opened, "a watch is opened")
	watch.t = t
	return watch
}

func (w *fakeWatch) send(lines ...string) {
	w.t.Helper()
	for _, line := range lines {
		select {
		case w.lines <- line:
		case <-time.After(patience):
			w.t.Fatal("the watch is not read any more")
		}
	}
}

func (w *fakeWatch) end() { close(w.lines) }

func (f *fakeServer) respond(key, body string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.responses[key] = body
}

// delay keeps a request until the channel is closed.
func (f *fakeServer) delay(key string) chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wait[key] = make(chan struct{})
	return f.wait[key]
}

func (f *fakeServer) lines() []string {
	var lines []string
	for _, one := range f.all() {
		lines = append(lines, one.line)
	}
	return lines
}

func (f *fakeServer) all() []asked {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.asked)
}

// job is a Job of web's step, as JSON.
func job(step string, version int) string {
	return fmt.Sprintf(`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"web-%[1]s","namespace":"run",
		"uid":"uid-%[1]s","resourceVersion":"%[2]d","ownerReferences":[{"kind":"SequentialJob","name":"web"}]},
		"spec":{"template":{"spec":{"containers":[{"name":"%[1]s"}]}}}}`, step, version)
}

// metadata is the same Job as a client sees it that watches metadata only.
func metadata(step string, version int) string {
	return fmt.Sprintf(`{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"name":"web-%[1]s",
		"namespace":"run","uid":"uid-%[1]s","resourceVersion":"%[2]d","ownerReferences":[{"kind":"SequentialJob","name":"web"}]}}`, step, version)
}

func frame(kind, object string) string {
	return fmt.Sprintf(`{"type":%q,"object":%s}`, kind, compact(object))
}

func compact(object string) string {
	var content any
	if err := json.Unmarshal([]byte(object), &content); err != nil {
		panic(err)
	}
	data, err := json.Marshal(content)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func added(step string, version int) string    { return frame("ADDED", job(step, version)) }
func modified(step string, version int) string { return frame("MODIFIED", job(step, version)) }
func deleted(step string, version int) string  { return frame("DELETED", job(step, version)) }

func bookmark(version int) string {
	return frame("BOOKMARK", fmt.Sprintf(`{"kind":"Job","metadata":{"resourceVersion":"%d"}}`, version))
}

// initialEnd is the bookmark that ends a watch's initial state.
func initialEnd(version int) string {
	return frame("BOOKMARK", fmt.Sprintf(
		`{"kind":"Job","metadata":{"resourceVersion":"%d","annotations":{"k8s.io/initial-events-end":"true"}}}`, version))
}
