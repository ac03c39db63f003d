package proxy

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/kit/history"
)

// watch serves a watch until the API server or the client ends it, or a fault does.
func (d *door) watch(w http.ResponseWriter, r *http.Request, t target) {
	s := d.open(t, scopeOf(r))
	if s == nil {
		park(r)
	}
	defer s.close()
	switch {
	case s.refused:
		s.refuse(w, withoutWatchList())
		return
	case s.expired > 0:
		s.begin(w, http.Header{"Content-Type": {"application/json"}})
		s.receive(r.Context(), expired(t, s.expired))
		s.end()
		s.deliver(w, r.Context().Done())
		return
	}

	ctx, cancel := context.WithCancel(r.Context())
	var reader sync.WaitGroup
	defer reader.Wait()
	defer cancel()
	response, err := d.proxy.server.open(ctx, r.Method, t.url, r.Header, nil)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		r, err := readResponse(response)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		s.refuse(w, d.proxy.confined(t, r))
		return
	}
	s.begin(w, response.Header)
	if d.proxy.options.Native {
		s.pass(w, response.Body)
		return
	}
	reader.Go(func() { s.read(ctx, response.Body) })
	s.deliver(w, ctx.Done())
}

// open records a watch and decides on the response. It returns nil for a watch of a process that is being killed.
func (d *door) open(t target, scope history.Scope) *stream {
	p := d.lock()
	defer p.mu.Unlock()
	if d.dead {
		return nil
	}
	s := &stream{
		door: d, target: t,
		marked: t.says("sendInitialEvents"), initial: t.fromAnywhere() || t.says("sendInitialEvents"),
		wake: make(chan struct{}, 1), shown: map[string]uint64{},
	}
	d.reopened(t.resource)
	s.expired = p.takeGone(d, t)
	s.refused, s.stale = d.staleWatch(t)
	if s.refused || s.expired > 0 {
		d.ended[t.resource]++ // now: the client may open it again before close
	}
	p.streams[s] = true
	s.touch()
	record := history.Stream{Instance: d.instance, Resource: t.resource, Scope: scope, Opened: p.options.Log.Now()}
	p.options.Log.Write(func(run *history.Run) {
		s.id = len(run.Streams) + 1 // others record theirs too
		record.ID = s.id
		run.Streams = append(run.Streams, record)
	})
	p.opened = s.id
	return s
}

// scopeOf reads what a watch asks for, before it is confined. A client that prefers metadata says so first.
func scopeOf(r *http.Request) history.Scope {
	asked, _ := targetOf(r)
	preferred, _, _ := strings.Cut(r.Header.Get("Accept"), ",")
	return history.Scope{
		Namespace: asked.namespace, Labels: asked.query.Get("labelSelector"), Fields: asked.query.Get("fieldSelector"),
		Metadata: strings.Contains(preferred, "as=PartialObjectMetadata"),
	}
}

// reopened notes that a watch was opened, maybe in place of one that the proxy has ended. The proxy is locked.
func (d *door) reopened(resource string) {
	d.ended[resource]--
	if d.ended[resource] <= 0 {
		delete(d.ended, resource)
	}
}

// begin responds to the client that its watch is established.
func (s *stream) begin(w http.ResponseWriter, header http.Header) {
	copyHeader(w.Header(), header)
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush() // a client that has gone is noticed later
	p := s.door.lock()
	defer p.mu.Unlock()
	s.record(func(record *history.Stream) { record.Code = http.StatusOK })
	if !s.marked {
		s.setUp()
	}
}

// refuse sends the response to a watch that is not established.
func (s *stream) refuse(w http.ResponseWriter, r response) {
	s.record(func(record *history.Stream) { record.Code = r.code })
	if r.write(w) != nil {
		panic(http.ErrAbortHandler)
	}
}

func (s *stream) close() {
	p := s.door.lock()
	defer p.mu.Unlock()
	delete(p.streams, s)
	if s.cut {
		s.door.ended[s.target.resource]++
	}
	s.touch()
	now := p.options.Log.Now()
	s.record(func(record *history.Stream) { record.Ended = now })
}

// setUp notes that the client has its watch's initial state. The proxy is locked.
func (s *stream) setUp() {
	s.up = true
	now := s.door.proxy.options.Log.Now()
	s.record(func(record *history.Stream) { record.UpToDate = now })
}

func (s *stream) record(change func(*history.Stream)) {
	s.door.proxy.options.Log.Write(func(run *history.Run) { change(&run.Streams[s.id-1]) })
}

// touch notes that the stream is alive. The proxy is locked.
func (s *stream) touch() {
	if s.target.resource != leases {
		s.door.proxy.touch()
	}
}

// expired is the only event of a watch from a version that is too old for the API server's cache. The response
// itself has the code 200.
func expired(t target, oldest uint64) []byte {
	return fmt.Appendf(nil, `{"type":"ERROR","object":%s}`, failure(metav1.Status{
		Code: http.StatusGone, Reason: metav1.StatusReasonExpired,
		Message: fmt.Sprintf("too old resource version: %s (%d)", t.query.Get("resourceVersion"), oldest),
	}))
}
