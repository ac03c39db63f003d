// Package observer watches what becomes of the objects of one namespace, on connections of its own to
// the API server, and writes it into the history of a run. What it has not seen for certain it does
// not vouch for: a gap in its own watches fails the run.
package observer

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
)

// Options tell what to observe.
type Options struct {
	Config    *rest.Config // of a user who may read everything, not through the proxy
	Namespace string
	Kinds     []kinds.Kind // kinds.Default where it is nil
	Log       *history.Log // gets the changes; the controller's requests in it are read by Sync
}

// Observer is an active observation.
type Observer struct {
	namespace string
	log       *history.Log
	kinds     []*observed
	cancel    context.CancelFunc
	ended     sync.WaitGroup

	mu      sync.Mutex
	changed chan struct{} // closed at the next change
	err     error
}

// Start starts an observation. When it returns, the log has the objects that exist already,
// and nothing that happens from then on is missed. It ends with Stop, or with ctx.
func Start(ctx context.Context, options Options) (*Observer, error) {
	config := rest.CopyConfig(options.Config)
	config.Timeout = 0 // it would end the watches
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("observe the namespace %s: %w", options.Namespace, err)
	}
	versions, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("observe the namespace %s: %w", options.Namespace, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	o := &Observer{namespace: options.Namespace, log: options.Log, cancel: cancel, changed: make(chan struct{})}
	if options.Kinds == nil {
		options.Kinds = kinds.Default
	}
	for _, kind := range options.Kinds {
		k := &observed{
			resource: kind.Resource,
			client:   client.Resource(kind.GroupVersionResource).Namespace(options.Namespace),
			versions: versions.Resource(kind.GroupVersionResource).Namespace(options.Namespace),
		}
		o.kinds = append(o.kinds, k)
		if err := o.open(ctx, k); err != nil {
			o.Stop()
			return nil, fmt.Errorf("observe %s in the namespace %s: %w", k.resource, options.Namespace, err)
		}
	}
	return o, nil
}

// Stop ends the observation and returns when nothing is written any more.
func (o *Observer) Stop() {
	o.cancel()
	o.ended.Wait()
}

// Err says that the observer may have missed something, so that the run can't be judged; nil as long as it has not.
func (o *Observer) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// Changed returns a channel that is closed when an object changes, or the observation fails. To miss
// nothing, ask for it before looking at the objects.
func (o *Observer) Changed() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.changed
}

// signal wakes those who wait for a change. The caller holds o.mu.
func (o *Observer) signal() {
	close(o.changed)
	o.changed = make(chan struct{})
}
