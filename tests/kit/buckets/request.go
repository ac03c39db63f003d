package buckets

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"time"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/proxy"
)

// request is one about buckets. Its fields are used under the proxy's lock, or by one goroutine.
type request struct {
	proxy  *Proxy
	id     int // in the log
	fault  history.Fault
	struck int           // the fault's ID; 0 for none
	kept   chan struct{} // closed when a request that is committed or answered late may continue; nil for others
}

// request records a request, and sends it to the server, unless a fault prevents that.
func (c *connection) request(m message, call history.Call, bucket, inbox string) (open bool) {
	q := c.receive(call, bucket, inbox)
	if q == nil {
		return true // of a process that is being killed
	}
	p := c.proxy
	switch q.fault.Action {
	case proxy.LoseRequest:
		c.drop(q, inbox)
		return true
	case Unavailable, NoResponders, proxy.Answer500:
		c.drop(q, inbox)
		return c.refuse(q, inbox)
	case CutBefore:
		return false
	case proxy.CrashBefore:
		p.kill(c.instance)
		return false
	case proxy.CommitLate:
		p.running.Go(func() { p.commitLate(q, m) })
		p.kill(c.instance)
		return false
	}
	return c.send(m)
}

// receive names and records a request, and lets a fault strike it. It returns nil for a request of a process that is being
// killed. A process that is about to be killed counts as dead from now on, so that nothing that it does in its last moments makes
// a difference.
func (c *connection) receive(call history.Call, bucket, inbox string) *request {
	p := c.lock()
	defer p.mu.Unlock()
	if p.dead[c.instance] {
		return nil
	}
	p.calls[call]++
	call.Nth = p.calls[call]
	now, q := p.options.Log.Now(), &request{proxy: p}
	q.fault, q.struck = p.armed.Strike(p.options.Log, call, func(f history.Fault) bool { return f.Call == call || f.Next.Covers(call) })
	p.options.Log.Write(func(run *history.Run) {
		q.id = len(run.Requests) + 1
		run.Requests = append(run.Requests, history.Request{
			ID: q.id, Instance: c.instance, Call: call, Group: "jetstream", Object: history.Name{Name: bucket},
			Received: now, Fault: q.struck,
		})
	})
	p.inFlight++
	p.touch()
	switch q.fault.Action {
	case proxy.CrashBefore, proxy.CrashAfterCommit, proxy.CrashAfterReply:
		p.dead[c.instance] = true
	case proxy.CommitLate:
		p.dead[c.instance] = true
		q.kept = p.keep()
		return q
	case proxy.AnswerLate:
		q.kept = p.keep()
	}
	c.waiting[inbox] = q
	return q
}

// drop gives up a request that never gets a response of the server.
func (c *connection) drop(q *request, inbox string) {
	p := c.lock()
	defer p.mu.Unlock()
	delete(c.waiting, inbox)
	q.finish()
}

// finish notes that a request is over. The proxy is locked.
func (q *request) finish() {
	if q.struck > 0 {
		q.proxy.options.Log.Heal(q.struck)
	}
	if q.kept == nil || closed(q.kept) {
		q.proxy.inFlight--
	}
	q.proxy.touch()
}

func closed(kept chan struct{}) bool {
	select {
	case <-kept:
		return true
	default:
		return false
	}
}

// refuse responds as a server without a leader does, or without JetStream, or whose peers have the bucket and are down.
func (c *connection) refuse(q *request, inbox string) (open bool) {
	const (
		unavailable = `{"error":{"code":503,"err_code":10008,"description":"JetStream system temporarily unavailable"}}`
		offline     = `{"error":{"code":500,"err_code":10118,"description":"stream is offline"}}`
	)
	code, body := http.StatusServiceUnavailable, unavailable
	if q.fault.Action == proxy.Answer500 {
		code, body = http.StatusInternalServerError, offline
	}
	p := c.lock()
	id := ""
	for subscription, subject := range c.subscriptions {
		if matches(subject, inbox) {
			id = subscription
		}
	}
	q.answered(p.options.Log.Now(), code)
	p.mu.Unlock()
	if q.fault.Action == NoResponders {
		return c.deliver(noResponders(inbox, id))
	}
	return c.deliver(response(inbox, id, []byte(body)))
}

// respond passes the server's response on to the client, unless a fault prevents that.
func (c *connection) respond(q *request, m message) (open bool) {
	p := c.proxy
	code := q.committed(m.body())
	switch q.fault.Action {
	case proxy.LoseReply:
		c.finish(q)
		return true
	case CutAfter:
		c.finish(q)
		return false
	case proxy.CrashAfterCommit:
		c.finish(q)
		p.kill(c.instance)
		return false
	case proxy.AnswerLate:
		p.running.Go(func() {
			if proxy.AwaitRelease(p.ctx, q.kept) {
				c.answer(q, m, code)
			}
		})
		return true
	case proxy.CrashAfterReply:
		c.answer(q, m, code)
		p.kill(c.instance)
		return false
	case CutAfterReply:
		_ = c.server.Close() // first, so that nothing that the client sends gets through any more
		c.answer(q, m, code)
		return false
	}
	return c.answer(q, m, code)
}

func (c *connection) finish(q *request) {
	p := c.lock()
	defer p.mu.Unlock()
	q.finish()
}

// answer delivers the response. The time is taken first, so that what the controller does next comes later in the history too.
func (c *connection) answer(q *request, m message, code int) (open bool) {
	q.answered(c.proxy.options.Log.Now(), code)
	open = c.deliver(m)
	c.finish(q)
	return open
}

// committed records the server's response, and returns its code.
func (q *request) committed(body []byte) (code int) {
	now, response := q.proxy.options.Log.Now(), outcomeOf(body)
	code = 200
	q.proxy.options.Log.Write(func(run *history.Run) {
		record := &run.Requests[q.id-1]
		if response.Error != nil {
			code = response.Error.Code
			record.Message = response.Error.Description
		}
		record.Committed, record.Code, record.UID, record.Metadata = now, code, response.Created, response.Config.Metadata
		if record.Call.Verb == "list" {
			record.Listed = response.list()
		}
	})
	return code
}

func (q *request) answered(at time.Duration, code int) {
	q.proxy.options.Log.Write(func(run *history.Run) { run.Requests[q.id-1].Answered, run.Requests[q.id-1].Returned = at, code })
}

// commitLate sends the request of a dead process to the server after Heal, from a connection of its own.
func (p *Proxy) commitLate(q *request, m message) {
	if !proxy.AwaitRelease(p.ctx, q.kept) {
		return
	}
	body, err := p.ask(m)
	if err == nil {
		q.committed(body)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	q.finish()
}

// ask sends a request to the server, and returns the body of the response.
func (p *Proxy) ask(m message) (body []byte, err error) {
	server, err := (&net.Dialer{}).DialContext(p.ctx, "tcp", p.options.Server)
	if err != nil {
		return nil, err
	}
	defer server.Close()
	release := context.AfterFunc(p.ctx, func() { _ = server.Close() }) // which ends the wait for the response
	defer release()
	_, inbox := m.published()
	greeting := "CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true}\r\nSUB " + inbox + " 1\r\n"
	if _, err := server.Write(append([]byte(greeting), m.bytes()...)); err != nil {
		return nil, err
	}
	reader := bufio.NewReader(server)
	for {
		received, err := readMessage(reader)
		if err != nil {
			return nil, err
		}
		if subject, _ := received.delivered(); subject == inbox {
			return received.body(), nil
		}
	}
}
