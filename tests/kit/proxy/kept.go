package proxy

import "context"

// Kept holds the requests that wait to be committed, or for their response. It has no lock of its own: the caller serializes its use.
type Kept struct{ waiting []chan struct{} }

// Keep makes one more wait: see AwaitRelease.
func (k *Kept) Keep() (released chan struct{}) {
	released = make(chan struct{})
	k.waiting = append(k.waiting, released)
	return released
}

// Release lets all of them continue, and returns how many there are.
func (k *Kept) Release() int {
	released := k.waiting
	k.waiting = nil
	for _, one := range released {
		close(one)
	}
	return len(released)
}

// AwaitRelease waits until a channel is closed, such as that of a request that is kept, and says whether that came before the proxy
// closed, which ends ctx.
func AwaitRelease(ctx context.Context, released <-chan struct{}) bool {
	select {
	case <-released:
		return true
	case <-ctx.Done():
		return false
	}
}

// AwaitEnd kills a process, and returns when it is gone, or the proxy closes, which ends ctx.
func AwaitEnd(ctx context.Context, kill func()) {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		kill()
	}()
	AwaitRelease(ctx, gone)
}
