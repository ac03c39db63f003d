package proxy

import (
	"slices"

	"example.com/controller-course/tests/kit/history"
)

// hold holds back events until Heal.
type hold struct {
	fault    int    // its ID
	resource string // of the watches that it is about; empty for all
	streams  int    // the ID of the last one when it started
	gone     uint64 // the version of a deletion that the watches must miss; 0 for none
}

// strike finds the fault of an event. The proxy is locked.
func (s *stream) strike(f *frame, moment history.Moment, version uint64) {
	p := s.door.proxy
	f.fault, f.struck = p.take(history.Call{}, func(fault Fault) bool { return fault.Moment == moment && !startsStale(fault) })
	h := &hold{fault: f.struck, resource: s.target.resource, streams: p.opened}
	switch f.fault.Action {
	case Hold:
	case HoldAll:
		h.resource = ""
	case MissedDelete:
		h.gone = version
	default:
		return
	}
	p.holds = append(p.holds, h)
}

// hold holds back an event if a fault requires it: the fault is about all watches of the resource, including those
// that are opened while it lasts. But a client that starts a new watch then gets the current state, as from an
// API server that has it: only later events are held back. The proxy is locked.
func (s *stream) hold(f *frame, initial bool) {
	for _, h := range s.door.proxy.holds {
		if !s.isAbout(h) || initial && s.id > h.streams {
			continue
		}
		f.hold(h.fault)
		s.missing = max(s.missing, h.gone)
	}
	if s.stale > 0 {
		f.hold(s.stale)
	}
}

// covers says whether watches of a resource are held.
func (h *hold) covers(resource string) bool { return h.resource == "" || h.resource == resource }

// isAbout says whether the stream is one of those that are held.
func (s *stream) isAbout(h *hold) bool { return h.covers(s.target.resource) }

func (f *frame) hold(fault int) {
	f.held = true
	if f.struck == 0 {
		f.struck = fault
	}
}

// watchKey distinguishes the watches of an instance.
type watchKey struct {
	instance             int
	path, labels, fields string
}

func keyOf(d *door, t target) watchKey {
	return watchKey{d.instance, t.url.Path, t.query.Get("labelSelector"), t.query.Get("fieldSelector")}
}

// gone says that a watch can't continue from before that version.
type gone struct {
	watch   watchKey
	version uint64
}

// miss cuts the watches that have not seen a deletion, and lets none of them continue from where it was.
// The proxy is locked.
func (p *Proxy) miss(h *hold) {
	for s := range p.streams {
		if s.missing != h.gone || s.cut {
			continue
		}
		s.cut = true
		s.queue = nil
		p.gone = append(p.gone, gone{keyOf(s.door, s.target), h.gone})
		s.rouse()
	}
}

// takeGone returns the oldest version from which a watch can continue if it can't continue from its own; 0 if it can.
// It is called once after each cut: a client that starts a new watch misses the same. The proxy is locked.
func (p *Proxy) takeGone(d *door, t target) uint64 {
	i := slices.IndexFunc(p.gone, func(g gone) bool { return g.watch == keyOf(d, t) })
	if i < 0 {
		return 0
	}
	version := p.gone[i].version
	p.gone = slices.Delete(p.gone, i, i+1)
	if t.fromAnywhere() || t.says("sendInitialEvents") || !t.isBefore(version) {
		return 0
	}
	return version
}
