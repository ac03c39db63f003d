package judge

import (
	"context"
	"sync"
	"time"
)

// plane is a control plane that starts in the background.
type plane[T interface {
	Done() <-chan struct{}
	Stop() error
}] struct {
	start func(context.Context) (T, error)

	mu      sync.Mutex
	started chan struct{} // closed once the rest is there; nil before the first start
	up      T
	err     error
	took    time.Duration // until it was up, unless that was reported
}

// ensure starts the control plane, unless it is up or about to be.
func (p *plane[T]) ensure(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started != nil && !p.hasEnded() {
		return
	}
	began, started := time.Now(), make(chan struct{})
	p.started = started
	go func() {
		defer close(started)
		p.up, p.err = p.start(ctx)
		p.took = time.Since(began)
	}()
}

// hasEnded says that it was up, or could not start, and is not up any more.
func (p *plane[T]) hasEnded() bool {
	select {
	case <-p.started:
		return p.err != nil || isClosed(p.up.Done())
	default:
		return false
	}
}

func isClosed(channel <-chan struct{}) bool {
	select {
	case <-channel:
		return true
	default:
		return false
	}
}

// wait returns the control plane once it is up, and how long that took if it did not say so before.
func (p *plane[T]) wait() (up T, took time.Duration, err error) {
	p.mu.Lock()
	started := p.started
	p.mu.Unlock()
	<-started
	p.mu.Lock()
	defer p.mu.Unlock()
	took, p.took = p.took, 0
	return p.up, took, p.err
}

// stop ends the control plane. One that could not start has ended by itself.
func (p *plane[T]) stop() error {
	up, _, err := p.wait()
	if err != nil {
		return nil
	}
	return up.Stop()
}
