package buckets

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/proxy"
)

// Options configure a proxy.
type Options struct {
	Server string // its address
	Log    *history.Log

	// Logical returns what a bucket represents; nil if its name says that.
	Logical func(bucket string) history.Logical

	// Kill ends a process as a crash would and returns when it is gone.
	Kill func(instance int)
}

// Proxy forwards the messages of a controller to a NATS server, until Close. It records the requests about buckets, and the
// advisories about them. Everything else passes.
type Proxy struct {
	options Options

	ctx     context.Context // done once the proxy closes
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu          sync.Mutex
	closed      bool
	listener    net.Listener // nil before the first door
	instance    int          // to which new connections belong
	connections []*connection
	dead        map[int]bool // instances that are about to be killed: nothing of them gets through any more
	calls       map[history.Call]int
	moments     map[history.Moment]int
	armed       proxy.Armed
	kept        proxy.Kept
	lost        []int // faults that lose advisories

	inFlight int
	active   time.Time
}

// New returns a proxy without a door.
func New(options Options) *Proxy {
	ctx, cancel := context.WithCancel(context.Background())
	return &Proxy{
		options: options, ctx: ctx, cancel: cancel,
		dead: map[int]bool{}, calls: map[history.Call]int{}, moments: map[history.Moment]int{},
		active: time.Now(),
	}
}

// Door returns the URL for an instance of the controller, from 1. It is the same for all, because controllers pass it on to
// others. From now on, a new connection belongs to this instance.
func (p *Proxy) Door(instance int) (url string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return "", fmt.Errorf("open a door for instance %d: the proxy is closed", instance)
	}
	p.instance = instance
	if p.listener == nil {
		if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return "", fmt.Errorf("open a door for instance %d: %w", instance, err)
		}
		p.running.Go(p.accept)
	}
	return "nats://" + p.listener.Addr().String(), nil
}

// accept serves clients. As long as the server is down, it closes their connections.
func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return // until Close
		}
		server, err := (&net.Dialer{}).DialContext(p.ctx, "tcp", p.options.Server)
		if err != nil {
			_ = client.Close() // which tells the client
			continue
		}
		p.mu.Lock()
		c := newConnection(p, p.instance, client, server)
		if p.closed || p.dead[c.instance] {
			p.mu.Unlock()
			c.cut()
			continue
		}
		p.connections = append(p.connections, c)
		p.running.Go(c.serve)
		p.mu.Unlock()
	}
}

// Inject adds faults. Each strikes once.
func (p *Proxy) Inject(faults ...history.Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed.Add(faults...)
}

// Disarm takes back the faults that have not struck yet, and returns them.
func (p *Proxy) Disarm() []history.Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.armed.TakeBack()
}

// Pending returns the faults that have not struck yet.
func (p *Proxy) Pending() []history.Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.armed.Pending()
}

// Heal ends all active faults: it releases late requests and responses, and loses no more advisories.
func (p *Proxy) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inFlight += p.kept.Release()
	for _, id := range p.lost {
		p.options.Log.Heal(id)
	}
	for _, c := range p.connections {
		c.deaf = false
	}
	p.lost = nil
	p.touch()
}

// Busy says whether a request is under way, other than one that is kept for later or was lost. Last is when something last was.
func (p *Proxy) Busy() (busy bool, last time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.inFlight > 0, p.active
}

// Close ends all connections and returns when nothing of the proxy runs any more.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	listener, connections := p.listener, slices.Clone(p.connections)
	p.mu.Unlock()
	p.cancel()
	if listener != nil {
		_ = listener.Close() // nobody needs it any more
	}
	for _, c := range connections {
		c.cut()
	}
	p.running.Wait()
}

// keep makes something wait for Heal. The proxy is locked.
func (p *Proxy) keep() (released chan struct{}) {
	p.inFlight-- // until Heal
	return p.kept.Keep()
}

// touch notes that something is going on. The proxy is locked.
func (p *Proxy) touch() { p.active = time.Now() }

// kill returns when the process is gone, or the proxy closes.
func (p *Proxy) kill(instance int) { proxy.AwaitEnd(p.ctx, func() { p.options.Kill(instance) }) }
