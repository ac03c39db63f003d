package proxy

import (
	"fmt"
	"net/http"

	"example.com/controller-course/tests/kit/history"
)

// ConflictAnnotation is what Conflict sets on an object. The object gets a new resourceVersion by it,
// and its generation stays.
const ConflictAnnotation = "proxy.controller-course.example.com/conflict"

// writeFirst changes the object that a write is about. An object that is not there can't be changed.
func (p *Proxy) writeFirst(t target, fault int) {
	if t.name == "" || !history.IsWrite(t.verb) {
		return
	}
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"%d"}}}`, ConflictAnnotation, fault)
	header := http.Header{"Content-Type": {"application/merge-patch+json"}, "Accept": {"application/json"}}
	// An error other than that shows in the code of the controller's request: there is no conflict.
	_, _ = p.admin.ask(p.ctx, http.MethodPatch, t.object(), header, patch)
}
