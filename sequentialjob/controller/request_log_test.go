package controller_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// requestLog records the operator's requests, and may respond in the API server's place.
type requestLog struct {
	mu       sync.Mutex
	requests []recordedRequest
	faults   []*fault
}

type recordedRequest struct {
	verb      string // as in RBAC: get, list, watch, create, patch, delete
	resource  string // with the subresource: jobs, sequentialjobs/status
	namespace string
	status    int
}

// fault is something that happens to the next request that it matches.
type fault struct {
	verb, resource, namespace string
	strike                    strike
}

// strike is what happens to a request: it may send it, or not, and may change the response.
type strike func(send func() (*http.Response, error)) (*http.Response, error)

// loseReply lets the server do what it was asked to, without a response to the operator.
func loseReply(send func() (*http.Response, error)) (*http.Response, error) {
	if response, err := send(); err == nil {
		response.Body.Close()
	}
	return nil, fmt.Errorf("reply lost by the test")
}

// loseRequest keeps the request from the server.
func loseRequest(func() (*http.Response, error)) (*http.Response, error) {
	return nil, fmt.Errorf("request lost by the test")
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func (l *requestLog) wrap(inner http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		recorded := describeRequest(request)
		send := func() (*http.Response, error) { return inner.RoundTrip(request) }
		if fault := l.take(recorded); fault != nil {
			return fault.strike(send)
		}
		response, err := send()
		if err == nil {
			recorded.status = response.StatusCode
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.requests = append(l.requests, recorded)
		return response, err
	})
}

func (l *requestLog) inject(f *fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = append(l.faults, f)
}

func (l *requestLog) take(request recordedRequest) *fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, fault := range l.faults {
		if fault.verb == request.verb && fault.resource == request.resource && fault.namespace == request.namespace {
			l.faults = append(l.faults[:i], l.faults[i+1:]...)
			return fault
		}
	}
	return nil
}

// pendingFaults is how many faults have not struck yet.
func (l *requestLog) pendingFaults() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.faults)
}

// about returns the requests about SequentialJobs and Jobs in a namespace, as "verb resource".
func (l *requestLog) about(namespace string) []string {
	var found []string
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, request := range l.requests {
		if request.namespace == namespace && request.resource != "events" {
			found = append(found, request.verb+" "+request.resource)
		}
	}
	return found
}

// refused returns the requests in a namespace that the server refused with an error.
func (l *requestLog) refused(namespace string) []string {
	var found []string
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, request := range l.requests {
		if request.namespace == namespace && request.status >= 400 {
			found = append(found, fmt.Sprintf("%s %s: %d", request.verb, request.resource, request.status))
		}
	}
	return found
}

func describeRequest(request *http.Request) recordedRequest {
	verbs := map[string]string{"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete", "GET": "get"}
	described := recordedRequest{verb: verbs[request.Method]}
	parts := strings.Split(strings.Trim(request.URL.Path, "/"), "/")
	for i, part := range parts {
		if part == "namespaces" && i+2 < len(parts) {
			described.namespace = parts[i+1]
			rest := parts[i+2:]
			described.resource = rest[0]
			if len(rest) == 3 {
				described.resource += "/" + rest[2]
			}
			if request.Method == "GET" && len(rest) == 1 {
				described.verb = "list"
			}
			return described
		}
	}
	described.verb, described.resource = "list", parts[len(parts)-1]
	if request.URL.Query().Get("watch") != "" {
		described.verb = "watch"
	}
	return described
}
