package buckets

import (
	"bufio"
	"net"
	"net/http"
	"sync"

	"example.com/controller-course/tests/kit/history"
)

// connection is one of a controller's, with the one to the server that belongs to it.
type connection struct {
	proxy    *Proxy
	instance int
	client   net.Conn
	server   net.Conn

	toClient sync.Mutex // messages are whole

	// Under the proxy's lock:
	subscriptions map[string]string   // what the client has subscribed to: subject by ID
	streams       map[string]int      // those of them that are for advisories: the stream in the log by ID
	waiting       map[string]*request // by inbox
	deaf          bool                // it loses advisories
}

func newConnection(p *Proxy, instance int, client, server net.Conn) *connection {
	return &connection{
		proxy: p, instance: instance, client: client, server: server,
		subscriptions: map[string]string{}, streams: map[string]int{}, waiting: map[string]*request{},
	}
}

// lock locks the proxy, which it returns to be unlocked.
func (c *connection) lock() *Proxy {
	c.proxy.mu.Lock()
	return c.proxy
}

// cut ends the connection on both sides.
func (c *connection) cut() {
	_ = c.client.Close() // of a connection that is to end
	_ = c.server.Close() // likewise
}

// serve forwards messages until either side ends the connection.
func (c *connection) serve() {
	down := make(chan struct{})
	go func() {
		defer close(down)
		c.forward(c.server, c.down)
	}()
	c.forward(c.client, c.up)
	<-down
	c.end()
}

// forward passes each message from one side on to handle, until that says that the connection has ended.
func (c *connection) forward(from net.Conn, handle func(message) (open bool)) {
	defer c.cut()
	reader := bufio.NewReader(from)
	for {
		m, err := readMessage(reader)
		if err != nil || !handle(m) {
			return
		}
	}
}

// end forgets the requests that wait for a response, which does not come any more, and the watches.
func (c *connection) end() {
	p := c.lock()
	defer p.mu.Unlock()
	for _, q := range c.waiting {
		q.finish()
	}
	c.waiting = map[string]*request{}
	now := p.options.Log.Now()
	p.options.Log.Write(func(run *history.Run) {
		for _, stream := range c.streams {
			run.Streams[stream-1].Ended = now
		}
	})
}

// up handles a message of the client.
func (c *connection) up(m message) (open bool) {
	if subject, inbox := m.published(); subject != "" && inbox != "" {
		if call, bucket, is := c.proxy.callOf(subject); is {
			return c.request(m, call, bucket, inbox)
		}
	}
	c.note(m)
	return c.send(m)
}

// note remembers what the client subscribes to.
func (c *connection) note(m message) {
	p := c.lock()
	defer p.mu.Unlock()
	switch subject, id := m.subscribed(); {
	case id == "":
	case subject == "":
		delete(c.subscriptions, id)
	default:
		c.subscriptions[id] = subject
		if ofAdvisories(subject) {
			c.streams[id] = p.opened(c.instance, subject)
		}
	}
}

// opened records a subscription to advisories. The proxy is locked.
func (p *Proxy) opened(instance int, subject string) (id int) {
	now := p.options.Log.Now()
	p.options.Log.Write(func(run *history.Run) {
		id = len(run.Streams) + 1
		run.Streams = append(run.Streams, history.Stream{
			ID: id, Instance: instance, Resource: Resource, Scope: history.Scope{Fields: subject}, Opened: now, UpToDate: now,
			Code: http.StatusOK, // NATS responds to no subscription that it accepts
		})
	})
	return id
}

// down handles a message of the server.
func (c *connection) down(m message) (open bool) {
	subject, id := m.delivered()
	if subject == "" {
		return c.deliver(m)
	}
	p := c.lock()
	q, stream := c.waiting[subject], c.streams[id]
	delete(c.waiting, subject)
	p.mu.Unlock()
	switch {
	case q != nil:
		return c.respond(q, m)
	case stream > 0:
		return c.advise(stream, m, subject)
	}
	return c.deliver(m)
}

// advise delivers an advisory, unless a fault loses it.
func (c *connection) advise(stream int, m message, subject string) (open bool) {
	p := c.lock()
	moment, bucket, is := p.momentOf(subject)
	if !is {
		p.mu.Unlock()
		return c.deliver(m)
	}
	p.moments[moment]++
	moment.Nth = p.moments[moment]
	fault, struck := p.armed.Strike(p.options.Log, history.Call{}, func(f history.Fault) bool { return f.Moment == moment })
	switch fault.Action {
	case LoseFrom:
		c.deaf = true
		p.lost = append(p.lost, struck)
	case CutAt:
		p.options.Log.Heal(struck)
	}
	deaf := c.deaf || fault.Action == CutAt
	frame := history.Frame{Stream: stream, Moment: moment, Type: moment.Type, Object: history.Name{Name: bucket}, Received: p.options.Log.Now(), Fault: struck}
	if !deaf {
		frame.Delivered = frame.Received
	}
	p.options.Log.Write(func(run *history.Run) { run.Frames = append(run.Frames, frame) })
	p.touch()
	p.mu.Unlock()
	switch {
	case fault.Action == CutAt:
		return false
	case deaf:
		return true
	}
	return c.deliver(m)
}

// send sends a message to the server.
func (c *connection) send(m message) (open bool) {
	_, err := c.server.Write(m.bytes())
	return err == nil
}

// deliver sends a message to the client.
func (c *connection) deliver(m message) (open bool) {
	c.toClient.Lock()
	defer c.toClient.Unlock()
	_, err := c.client.Write(m.bytes())
	return err == nil
}
