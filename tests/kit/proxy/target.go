package proxy

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.com/controller-course/tests/kit/kinds"
)

// Resources that are treated in their own way: leases are renewed by a clock and say nothing about
// a run, events are written only to be read by people, and a namespace is in none itself.
const (
	leases     = "leases"
	events     = "events"
	namespaces = "namespaces"
)

// target is what a request is about, as the API server understands it.
type target struct {
	url         *url.URL
	verb        string // get, list, watch, create, update, patch, delete, deletecollection
	group       string
	namespace   string
	resource    string // "jobs"
	name        string
	subresource string // "status"
	query       url.Values
	narrowed    bool   // it asks about all namespaces, and receives those of the run
	nowhere     string // the namespace that does not exist and replaces another run's in the request; empty for others
}

// targetOf reads a request's URL. It returns false for a request that is not about objects: discovery, OpenAPI, health.
func targetOf(r *http.Request) (target, bool) {
	t := target{url: r.URL, query: r.URL.Query()}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		t.group, parts = parts[1], parts[3:]
	default:
		return target{}, false
	}
	oldWatch := parts[0] == "watch" && len(parts) > 1
	if oldWatch {
		parts = parts[1:]
	}
	if parts[0] == namespaces && len(parts) > 1 {
		t.namespace = parts[1]
		if len(parts) > 2 && !slices.Contains([]string{"status", "finalize"}, parts[2]) {
			parts = parts[2:]
		}
	}
	t.resource = parts[0]
	if len(parts) > 1 {
		t.name = parts[1]
	}
	if len(parts) > 2 {
		t.subresource = parts[2]
	}
	t.verb = t.verbOf(r.Method, oldWatch)
	return t, t.verb != ""
}

func (t target) verbOf(method string, oldWatch bool) string {
	switch {
	case method == http.MethodGet && (oldWatch || t.name == "" && t.says("watch")):
		return "watch"
	case method == http.MethodGet && t.name == "":
		return "list"
	case method == http.MethodDelete && t.name == "":
		return "deletecollection"
	}
	return verbs[method]
}

// verbs are those of requests about one object, by their methods.
var verbs = map[string]string{
	http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete",
}

// says reads a boolean of the query as the API server does.
func (t target) says(parameter string) bool {
	value := strings.ToLower(t.query.Get(parameter))
	return t.query.Has(parameter) && value != "false" && value != "0"
}

// fullResource is the resource with the subresource: "sequentialjobs/status".
func (t target) fullResource() string {
	if t.subresource == "" {
		return t.resource
	}
	return t.resource + "/" + t.subresource
}

// kind returns what the kit knows about the objects of the request, however little of them a body shows.
func (t target) kind() kinds.Kind {
	kind, _ := kinds.OfResource(t.group, t.resource)
	return kind
}

// object is the URL of the object itself, when the request is about a subresource of it.
func (t target) object() *url.URL {
	return &url.URL{Path: strings.TrimSuffix(t.url.Path, "/"+t.subresource)}
}

// fromAnywhere says whether the request accepts any initial state.
func (t target) fromAnywhere() bool {
	version := t.query.Get("resourceVersion")
	return version == "" || version == "0"
}

// isBefore says whether the request asks for what comes after an earlier version than that.
func (t target) isBefore(version uint64) bool {
	from, err := strconv.ParseUint(t.query.Get("resourceVersion"), 10, 64)
	return err == nil && from < version
}
