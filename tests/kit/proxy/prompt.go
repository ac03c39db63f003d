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

	// reopenedWithin is how long it waits at most for a watch that the proxy has interrupted. client-go opens a watch again after
	// 0.8 to 1.6 s if nothing came through it, and after longer if that happens again.
	reopenedWithin = 10 * time.Second

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
	q.awaitShown()
	time.Sleep(takenIn)
	q.door.proxy.options.TakenIn(q.door.instance)
}

// awaitShown waits until all watches have delivered the version of the object that a write has made. It does not wait for watches
// that a fault holds.
func (q *request) awaitShown() {
	most := time.Now().Add(reopenedWithin)
	for deadline := time.Now().Add(shownWithin); ; time.Sleep(time.Millisecond) {
		shown, interrupted := q.isShown()
		now := time.Now()
		if interrupted && now.Before(most) {
			deadline = now.Add(shownWithin) // from when they are open again
		}
		if shown || now.After(deadline) || q.door.proxy.ctx.Err() != nil {
			return
		}
	}
}

// isShown says whether all watches have delivered the version of the object that a write has made, and if not, whether the proxy has
// interrupted one of them, and the client has not opened it again.
func (q *request) isShown() (shown, interrupted bool) {
	p := q.door.lock()
	defer p.mu.Unlock()
	if q.door.dead {
		return true, false
	}
	held := slices.ContainsFunc(p.holds, func(h *hold) bool { return h.covers(q.target.resource) })
	if q.door.ended[q.target.resource] > 0 && !held {
		return false, true
	}
	shown = true
	for s := range p.streams {
		elsewhere := s.target.namespace != "" && s.target.namespace != q.target.namespace
		ours := s.door == q.door && s.target.resource == q.target.resource && !elsewhere && !s.refused && s.expired == 0
		if ours && !s.isHeld() {
			interrupted = interrupted || s.cut
			shown = shown && !s.cut && s.up && s.shown[q.uid] >= q.version
		}
	}
	return shown, interrupted
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
