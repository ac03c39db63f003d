package history

import (
	"strings"
	"time"
)

// Authors knows which requests made the changes of a run.
type Authors struct {
	writes   map[uint64][]*Request    // that have succeeded, by the resourceVersion in the response
	received map[uint64]time.Duration // when the proxy first had an event with that resourceVersion
}

// AuthorsOf reads who made the changes of a run.
func AuthorsOf(run Run) Authors {
	a := Authors{writes: map[uint64][]*Request{}, received: map[uint64]time.Duration{}}
	for i := range run.Requests {
		if request := &run.Requests[i]; request.Write() && request.Succeeded() && request.ResourceVersion != 0 {
			a.writes[request.ResourceVersion] = append(a.writes[request.ResourceVersion], request)
		}
	}
	for _, frame := range run.Frames {
		if first, known := a.received[frame.ResourceVersion]; !known || frame.Received < first {
			a.received[frame.ResourceVersion] = frame.Received
		}
	}
	return a
}

// Of returns the request of the controller that made a change; nil if another client made it.
// The response to a write that changes nothing bears the resourceVersion of the change before,
// whatever client made that. So a change that was there before the request came is not the request's.
func (a Authors) Of(change Change) *Request {
	for _, request := range a.writes[change.ResourceVersion] {
		resource, _, _ := strings.Cut(request.Call.Resource, "/") // without "/status"
		if resource != change.Resource || change.Seen < request.Received {
			continue
		}
		if at, known := a.received[change.ResourceVersion]; !known || at >= request.Received {
			return request
		}
	}
	return nil
}
