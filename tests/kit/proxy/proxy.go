// Package proxy forwards the requests of a controller to the API server. It records the requests and the
// responses, and does to the controller what production does: it loses requests, delays events, or kills
// the controller between two writes. Faults say what it does, and where.
package proxy

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"example.com/controller-course/tests/kit/history"
)

// Options configure a proxy.
type Options struct {
	Server *rest.Config // with the controller's credentials
	Admin  *rest.Config // with the credentials that Conflict writes with

	// Namespace is where the run takes place. Calls and events of objects in it are named and can be struck, and so are
	// lists of all namespaces. Other requests are recorded without a Call.Nth, and other events not at all.
	Namespace string
	Log       *history.Log

	// Whole waits until the observer has seen an object of Namespace with all its fields, and returns it; nil if that can't
	// be. With it, objects of which the controller receives the metadata alone are named like others. It may be nil.
	Whole func(ctx context.Context, resource string, uid types.UID) *unstructured.Unstructured

	// Confined hides other runs from the controller: when it lists or watches all namespaces, it sees Namespace alone.
	// So several runs can share a control plane.
	Confined bool

	// Foreign says whether a namespace belongs to another run. To a confined controller it does not exist. It may be nil.
	Foreign func(namespace string) bool

	// MoreNamespaces are others that a confined controller sees.
	MoreNamespaces []string

	// Prompt delays the response to a write until the controller's own watches have delivered its event, so that
	// the controller finds in its cache what it has written. It does not wait for watches that a fault holds.
	Prompt bool

	// TakenIn returns when a process has handled the events that it has received, as far as it can. Prompt needs it.
	TakenIn func(instance int)

	// Kill ends a process as a crash would and returns when it is gone.
	Kill func(instance int)

	// Native lets responses keep the format that the controller asks for, even protobuf. The proxy then does not
	// read events: none is recorded, and none can be struck.
	Native bool
}

// Proxy is a proxy that runs, until Close.
type Proxy struct {
	options Options
	server  *upstream
	admin   *upstream

	ctx     context.Context // done once the proxy closes
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex
	closed bool
	doors  []*door
	names  *names
	armed  Armed

	streams map[*stream]bool // that are open
	opened  int              // the ID of the last stream
	holds   []*hold
	kept    Kept
	gone    []gone

	inFlight int
	active   time.Time
}

// New returns a proxy without doors.
func New(options Options) (*Proxy, error) {
	server, err := newUpstream(options.Server)
	if err != nil {
		return nil, fmt.Errorf("make a proxy: %w", err)
	}
	admin, err := newUpstream(options.Admin)
	if err != nil {
		return nil, fmt.Errorf("make a proxy: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Proxy{
		options: options, server: server, admin: admin,
		ctx: ctx, cancel: cancel,
		names:   newNames(options.Namespace),
		streams: map[*stream]bool{},
		active:  time.Now(),
	}, nil
}

// Inject adds faults. Each strikes once, those of the next writes as often as they say.
func (p *Proxy) Inject(faults ...Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed.Add(faults...)
}

// Disarm takes back the faults that have not struck yet, and returns them.
func (p *Proxy) Disarm() []Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.armed.TakeBack()
}

// Pending returns the faults that have not struck yet, without those of reads, which a controller may never send.
func (p *Proxy) Pending() []Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.armed.Pending()
}

// Heal ends all active faults: it delivers the events that were held in their order, cuts the watches that must miss a
// deletion, and releases late requests and responses. Faults that have not struck yet stay.
func (p *Proxy) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, hold := range p.holds {
		p.options.Log.Heal(hold.fault)
		if hold.gone > 0 {
			p.miss(hold)
		}
	}
	p.holds = nil
	for stream := range p.streams {
		stream.release()
	}
	for _, door := range p.doors {
		door.healStale()
	}
	p.inFlight += p.kept.Release()
	p.touch()
}

// Answer releases the requests and responses that are late, and nothing else that Heal would.
func (p *Proxy) Answer() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inFlight += p.kept.Release()
	p.touch()
}

// Busy says whether something is under way: a request, other than one that is kept for later, or an
// event that was received and is neither delivered nor held. Last is when something last was. Watches
// do not count, nor does what is not about the run: leases, other namespaces.
func (p *Proxy) Busy() (busy bool, last time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	busy = p.inFlight > 0
	for stream := range p.streams {
		busy = busy || stream.busy()
	}
	return busy, p.active
}

// UpToDate says whether an instance watches something, and every watch of it has delivered the state
// that it began with, unless a fault holds that back. A watch that the proxy has ended is waited for until it is opened again.
func (p *Proxy) UpToDate(instance int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	watches := false
	for stream := range p.streams {
		if stream.door.instance != instance || stream.target.resource == leases {
			continue
		}
		if !stream.upToDate() && !stream.waits() {
			return false
		}
		watches = true
	}
	for _, door := range p.doors {
		if door.instance == instance && len(door.ended) > 0 {
			return false
		}
	}
	return watches
}

// Close ends all connections and returns when nothing of the proxy runs any more.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.closed = true
	doors := slices.Clone(p.doors)
	p.mu.Unlock()

	p.cancel()
	for _, door := range doors {
		_ = door.server.Close() // of a listener that is being closed
	}
	p.server.close()
	p.admin.close()
	p.running.Wait()
	return nil
}

// enter says whether the proxy is still open; then leave has to follow.
func (p *Proxy) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.running.Add(1)
	}
	return !p.closed
}

func (p *Proxy) leave() { p.running.Done() }

// count notes that so many more things are under way, or fewer.
func (p *Proxy) count(more int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inFlight += more
}

// touch notes that something is going on. The proxy is locked.
func (p *Proxy) touch() { p.active = time.Now() }

// take lets the first fault that matches strike. Call is the request that it strikes, if any. The proxy is locked.
func (p *Proxy) take(call history.Call, matches func(Fault) bool) (fault Fault, id int) {
	return p.armed.Strike(p.options.Log, call, matches)
}
