package proxy

import (
	"math"
	"net/http"
	"slices"
	"time"
)

const (
	// shownWithin is how long the response to a write waits at most until the watches have delivered its event: a watch
	// with a selector may never deliver it.
	shownWithin = 2 * time.Second

	// takenIn is how long a client that runs unhindered needs at most to update its cache with an event.
	takenIn = 20 * time.Millisecond
)

// deleted is the version that a watch has shown of an object when it has delivered its deletion.
const deleted uint64 = math.MaxUint64

// showFirst delays the response to a write until the watches of its process have delivered its event.
func (q *request) showFirst(r response) {
	ours := q.door.proxy.takes(q.target.namespace) && q.target.resource != events && q.target.resource != leases
	if r.code >= http.StatusMultipleChoices || !ours || q.uid == "" {
		return
	}
	for deadline := time.Now().Add(shownWithin); !q.isShown() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(takenIn)
	q.door.proxy.options.TakenIn(q.door.instance)
}

// isShown says whether all watches have delivered the version of the object that a write has made. It does not wait
// for watches that a fault holds.
func (q *request) isShown() bool {
	p := q.door.lock()
	defer p.mu.Unlock()
	for s := range p.streams {
		elsewhere := s.target.namespace != "" && s.target.namespace != q.target.namespace
		ours := s.door == q.door && s.target.resource == q.target.resource && !elsewhere && s.upToDate()
		if ours && !s.isHeld() && s.shown[q.uid] < q.version {
			return false
		}
	}
	return true
}

// isHeld says whether events of the stream are held back. The proxy is locked.
func (s *stream) isHeld() bool {
	return s.stale > 0 || slices.ContainsFunc(s.door.proxy.holds, s.isAbout)
}

// markShown notes the version of the object that the client has received. The proxy is locked.
func (s *stream) markShown(f *frame) {
	if f.uid != "" {
		s.shown[f.uid] = max(s.shown[f.uid], f.version)
	}
}
