package proxy

import (
	"math"
	"net/http"
	"slices"
	"time"
)

const (
	// shownWithin is how long the answer to a write waits at most for the watches to tell of it: a watch
	// with a selector may never do so.
	shownWithin = 2 * time.Second

	// takenIn is how long a client that is not kept from running needs at most from the event to its cache.
	takenIn = 20 * time.Millisecond
)

// deleted is the version up to which a watch has told of an object that it has told is deleted.
const deleted uint64 = math.MaxUint64

// showFirst keeps the answer to a write back until the watches of its process have told of it.
func (q *request) showFirst(a answer) {
	ours := q.door.proxy.takes(q.target.namespace) && q.target.resource != events && q.target.resource != leases
	if a.code >= http.StatusMultipleChoices || !ours || q.uid == "" {
		return
	}
	for deadline := time.Now().Add(shownWithin); !q.isShown() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(takenIn)
	q.door.proxy.options.TakenIn(q.door.instance)
}

// isShown says whether all watches have told of what a write has made of its object. Those that are
// held back on purpose are not waited for.
func (q *request) isShown() bool {
	p := q.door.lock()
	defer p.mu.Unlock()
	for s := range p.streams {
		ours := s.door == q.door && s.target.resource == q.target.resource && s.upToDate()
		if ours && !s.isHeld() && s.told[q.uid] < q.version {
			return false
		}
	}
	return true
}

// isHeld says whether events of the stream are kept back. The proxy is locked.
func (s *stream) isHeld() bool {
	return s.stale > 0 || slices.ContainsFunc(s.door.proxy.holds, s.isAbout)
}

// tell notes up to which version the client has been told of an object. The proxy is locked.
func (s *stream) tell(f *frame) {
	if f.uid != "" {
		s.told[f.uid] = max(s.told[f.uid], f.version)
	}
}
