package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/kit/history"
)

// stream is a watch. One goroutine reads its events as they arrive, another delivers them when they
// may be delivered, so that a client that is slow, or that has to wait, delays no other client.
type stream struct {
	door   *door
	target target
	id     int // in the log

	refused bool   // the response is that of an API server without WatchList
	expired uint64 // the response is 410: there is nothing older than this version; 0 for others
	stale   int    // the ID of the fault that holds all that it has; 0 for none
	marked  bool   // a bookmark marks the end of its initial state
	initial bool   // what it receives is part of that state, as far as the proxy can know
	up      bool   // the client has that state

	shown map[string]uint64 // the newest version of each object that the client has received, by UID

	queue   []*frame
	missing uint64        // the version of a deletion in the queue that is the client must never see; 0 for none
	over    bool          // the API server has ended it
	cut     bool          // the proxy ends it
	wake    chan struct{} // has something when there may be something to do
}

// frame is an event that has been received.
type frame struct {
	line    []byte
	place   int  // in the log, from 1; 0 when it is not there
	about   bool // it is about the run: the controller waits for it
	initEnd bool // the watch's initial state ends here
	held    bool // until Heal
	fault   Fault
	struck  int // the ID of the fault that struck it; 0 for none

	uid     string // of its object; empty for bookmarks and errors
	version uint64
}

// event is what a frame says.
type event struct {
	Type   string         `json:"type"`
	Object map[string]any `json:"object"`
}

// object is what the event is about. A table that is watched has one row in each event.
func (e event) object() *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: e.Object}
	if rows := objectsIn(object); object.GetKind() == "Table" && len(rows) == 1 {
		return rows[0]
	}
	return object
}

// read receives events until there are no more.
func (s *stream) read(ctx context.Context, body io.Reader) {
	defer s.end()
	lines := json.NewDecoder(body)
	for {
		var line json.RawMessage
		if lines.Decode(&line) != nil {
			return
		}
		s.receive(ctx, line)
	}
}

// receive names and records an event, has a fault strike it, and puts it in the queue.
func (s *stream) receive(ctx context.Context, line []byte) {
	var said event
	if json.Unmarshal(line, &said) != nil {
		return // not an event
	}
	object := said.object()
	whole := s.whole(ctx, object)
	p := s.door.lock()
	defer p.mu.Unlock()
	if !p.shows(s.target, object) {
		return
	}
	f := &frame{line: append(bytes.TrimSpace(line), '\n')}
	record := history.Frame{
		Stream: s.id, Type: said.Type, Object: nameOf(object), UID: string(object.GetUID()),
		Received: p.options.Log.Now(),
	}
	record.ResourceVersion, _ = strconv.ParseUint(object.GetResourceVersion(), 10, 64)

	s.initial = s.initial && (s.marked || said.Type == "ADDED")
	record.Initial = s.initial
	switch said.Type {
	case "BOOKMARK":
		f.initEnd = object.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"
		f.about = f.initEnd
		s.initial = s.initial && !f.initEnd
	case "ERROR":
		f.about = true
	default:
		if f.uid, f.version = record.UID, record.ResourceVersion; said.Type == "DELETED" {
			f.version = deleted
		}
		f.about = object.GetNamespace() == p.options.Namespace && s.target.resource != leases
		if f.about {
			p.names.remember(s.target, whole)
			record.Moment = p.names.moment(said.Type, s.target.resource, object, s.door.instance)
			s.strike(f, record.Moment, record.ResourceVersion)
		}
	}
	s.hold(f, record.Initial)
	if f.about {
		s.touch()
	}
	if f.about || said.Type == "BOOKMARK" {
		record.Fault = f.struck
		p.options.Log.Write(func(run *history.Run) {
			run.Frames = append(run.Frames, record)
			f.place = len(run.Frames)
		})
	}
	s.queue = append(s.queue, f)
	s.rouse()
}

// whole is Proxy.whole for the object of an event, which is under way meanwhile.
func (s *stream) whole(ctx context.Context, object *unstructured.Unstructured) *unstructured.Unstructured {
	p := s.door.proxy
	p.count(1)
	defer p.count(-1)
	return p.whole(ctx, s.target, object)
}

// end notes that the API server has ended the watch.
func (s *stream) end() {
	p := s.door.lock()
	defer p.mu.Unlock()
	s.over = true
	s.rouse()
}

// release releases the events that were held, and holds back no more. The proxy is locked.
func (s *stream) release() {
	s.stale = 0
	for _, f := range s.queue {
		f.held = false
	}
	s.rouse()
}

// rouse makes deliver check the queue again.
func (s *stream) rouse() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// upToDate says whether the client has the watch's initial state, and the watch continues. The proxy is locked.
func (s *stream) upToDate() bool { return s.up && !s.cut && s.expired == 0 }

// waits says whether the client can't get any further before Heal. The proxy is locked.
func (s *stream) waits() bool { return !s.cut && len(s.queue) > 0 && s.queue[0].held }

// busy says whether there is an event for which the controller need not wait. The proxy is locked.
func (s *stream) busy() bool {
	return !s.door.dead && slices.ContainsFunc(s.queue, func(f *frame) bool { return f.about && !f.held })
}

// pass copies what it does not read.
func (s *stream) pass(w http.ResponseWriter, body io.Reader) {
	mark := []byte(metav1.InitialEventsAnnotationKey)
	var tail []byte // of what was read before, in which the mark may begin
	buffer := make([]byte, 32<<10)
	for {
		n, err := body.Read(buffer)
		if _, gone := w.Write(buffer[:n]); gone != nil || http.NewResponseController(w).Flush() != nil {
			return
		}
		tail = append(tail, buffer[:n]...)
		s.passed(bytes.Contains(tail, mark))
		tail = bytes.Clone(tail[max(0, len(tail)-len(mark)+1):])
		if err != nil {
			return
		}
	}
}

func (s *stream) passed(marked bool) {
	p := s.door.lock()
	defer p.mu.Unlock()
	s.touch()
	if marked && !s.up {
		s.setUp()
	}
}
