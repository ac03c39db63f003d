package proxy

import (
	"net/url"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"example.com/controller-course/tests/kit/history"
)

// staleStart is the API server of an instance that starts with an old state: its cache is stale, and
// it does not support WatchList, which would wait for the cache. Lists that take any version
// (resourceVersion=0) show the old state, and watches from there on show nothing yet. Reads that require
// the newest state get it. With StaleKind this holds for one resource only.
type staleStart struct {
	proxy   *Proxy
	fault   Fault
	version string // the state
	struck  int    // the fault's ID; 0 before the response to the first list
}

// begin decides, at the first list or watch of an instance, whether it starts with an old state: an
// earlier instance must have seen it. The proxy is locked.
func (d *door) begin(t target) {
	if d.begun || t.resource == leases {
		return
	}
	d.begun = true
	p := d.proxy
	for _, fault := range p.armed.Pending() {
		seen, ok := p.names.sights[fault.Moment]
		taken := slices.ContainsFunc(p.doors, func(other *door) bool { return other.stale != nil && other.stale.fault == fault })
		if startsStale(fault) && ok && seen.instance < d.instance && !taken {
			d.stale = &staleStart{proxy: p, fault: fault, version: seen.version}
			return
		}
	}
}

// staleList returns what responds to a list in place of the API server; nil for the API server. The proxy is locked.
func (d *door) staleList(t target) *staleStart {
	d.begin(t)
	if !d.stale.covers(t) || t.query.Get("resourceVersion") != "0" {
		return nil
	}
	return d.stale
}

// staleWatch says whether a watch is refused, or which fault holds all that it has. The proxy is locked.
func (d *door) staleWatch(t target) (refused bool, held int) {
	d.begin(t)
	switch {
	case !d.stale.covers(t):
		return false, 0
	case t.says("sendInitialEvents"):
		return true, 0
	case t.query.Get("resourceVersion") == d.stale.version:
		return false, d.stale.struck
	}
	return false, 0
}

func startsStale(f Fault) bool { return f.Action == StaleStart || f.Action == StaleKind }

// covers says whether it is about a resource; nil is about none.
func (s *staleStart) covers(t target) bool {
	return s != nil && t.resource != leases && (s.fault.Action == StaleStart || t.resource == s.fault.Moment.Resource)
}

// list returns the URL of the old state of a request's objects.
func (s *staleStart) list(t target) *url.URL {
	if s == nil {
		return t.url
	}
	query := t.url.Query()
	query.Set("resourceVersion", s.version)
	query.Set("resourceVersionMatch", string(metav1.ResourceVersionMatchExact))
	there := *t.url
	there.RawQuery = query.Encode()
	return &there
}

// strike notes that a list got its response. The proxy is locked.
func (s *staleStart) strike() {
	if s.struck == 0 {
		_, s.struck = s.proxy.take(history.Call{}, func(fault Fault) bool { return fault == s.fault })
	}
}

// healStale lets an instance see the current state. The proxy is locked.
func (d *door) healStale() {
	if d.stale != nil && d.stale.struck > 0 {
		d.proxy.options.Log.Heal(d.stale.struck)
		d.stale = nil
	}
}

// withoutWatchList is the response of an API server that does not support WatchList.
func withoutWatchList() response {
	const parameter = "sendInitialEvents"
	wrong := field.Forbidden(field.NewPath(parameter),
		parameter+" is forbidden for watch unless the WatchList feature gate is enabled")
	kind := schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}
	return statusResponse(apierrors.NewInvalid(kind, "", field.ErrorList{wrong}).Status())
}
