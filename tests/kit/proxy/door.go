package proxy

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"

	"k8s.io/client-go/rest"
)

// door is the listener for one instance of the controller.
type door struct {
	proxy    *Proxy
	instance int
	server   *http.Server

	dead   bool           // its process is about to be killed: no request of it gets through any more
	writes int            // up to now
	begun  bool           // it has listed or watched something
	stale  *staleStart    // the old state that it starts with; nil for the current one
	ended  map[string]int // watches that the proxy has ended and that were not opened again, by resource
}

// Door opens a listener for an instance of the controller, from 1, and returns the configuration of
// a client that goes through it.
func (p *Proxy) Door(instance int) (*rest.Config, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a door for instance %d: %w", instance, err)
	}
	d := &door{proxy: p, instance: instance, ended: map[string]int{}}
	d.server = &http.Server{Handler: d, BaseContext: func(net.Listener) context.Context { return p.ctx }}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = listener.Close() // no client knows it
		return nil, fmt.Errorf("open a door for instance %d: the proxy is closed", instance)
	}
	p.doors = append(p.doors, d)
	p.running.Go(func() { _ = d.server.Serve(listener) }) // until Close
	return &rest.Config{Host: "http://" + listener.Addr().String()}, nil
}

// lock locks the proxy, which it returns to be unlocked.
func (d *door) lock() *Proxy {
	d.proxy.mu.Lock()
	return d.proxy
}

// ServeHTTP forwards the requests of an instance. A handler that panics with http.ErrAbortHandler cuts the
// connection, even in the middle of a response.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := d.proxy
	if !p.enter() {
		panic(http.ErrAbortHandler)
	}
	defer p.leave()
	if !p.options.Native {
		acceptJSON(r.Header)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the client has gone
	}
	t, ok := targetOf(r)
	if p.options.Confined {
		t, body = p.confine(t, body)
	}
	switch {
	case !ok:
		d.pass(w, r, body)
	case t.verb == "watch":
		d.watch(w, r, t)
	default:
		d.request(w, r, t, body)
	}
}

// pass forwards a request that is not recorded.
func (d *door) pass(w http.ResponseWriter, r *http.Request, body []byte) {
	response, err := d.proxy.server.ask(d.proxy.ctx, r.Method, r.URL, r.Header, body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	_ = response.write(w) // a client that has gone does not need it
}

// crash kills the door's process and cuts the connection. The process has been marked dead before.
func (d *door) crash() {
	d.kill()
	panic(http.ErrAbortHandler)
}

// kill returns when the process is gone, or the proxy closes.
func (d *door) kill() { AwaitEnd(d.proxy.ctx, func() { d.proxy.options.Kill(d.instance) }) }

// park holds the last requests of a dead process until it is gone, and then cuts the connection.
func park(r *http.Request) {
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}
