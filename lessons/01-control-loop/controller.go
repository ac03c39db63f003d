package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	batchlisters "k8s.io/client-go/listers/batch/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/util/workqueue"
)

// controller drives what is there to what is wanted: a ConfigMap with the right number.
type controller struct {
	client    kubernetes.Interface // for writes
	informers informers.SharedInformerFactory

	// jobs and configMaps read what the informers hold in memory.
	jobs       batchlisters.JobLister
	configMaps corelisters.ConfigMapLister

	// queue holds the names of the namespaces that somebody has to look at.
	queue workqueue.TypedRateLimitingInterface[string]
}

// newController returns a controller that does not run yet.
func newController(client kubernetes.Interface) (*controller, error) {
	factory := informers.NewSharedInformerFactory(client, 0) // 0: no resync, see "Poll the world"
	jobs, configMaps := factory.Batch().V1().Jobs(), factory.Core().V1().ConfigMaps()
	c := &controller{
		client: client, informers: factory, jobs: jobs.Lister(), configMaps: configMaps.Lister(),
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
	}
	if _, err := jobs.Informer().AddEventHandler(onEvery(c.jobChanged)); err != nil {
		return nil, fmt.Errorf("listen to Jobs: %w", err)
	}
	if _, err := configMaps.Informer().AddEventHandler(onEvery(c.configMapChanged)); err != nil {
		return nil, fmt.Errorf("listen to ConfigMaps: %w", err)
	}
	return c, nil
}

// run works until ctx ends, and returns when all that it has begun has come to its end.
func (c *controller) run(ctx context.Context) {
	c.informers.StartWithContext(ctx)
	defer c.informers.Shutdown()

	// TODO(caches): Begin to work only when the informers hold the whole state of the cluster.
	// What the listers return before that is a part of the truth. ctx may end while you wait.

	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for c.next(ctx) {
			}
		})
	}
	<-ctx.Done()
	c.queue.ShutDown()
	running.Wait()
}

// next waits for a namespace that has to be looked at, and looks at it. It returns false when there is
// nothing left to do, for ever.
func (c *controller) next(ctx context.Context) bool {
	namespace, over := c.queue.Get()
	if over {
		return false
	}
	// TODO(worker): Work on the namespace, and tell the queue what came of it.
	// The queue gives this key to nobody else, and not again, until it is told that the work on it is done.
	// What failed is to be tried again, after a pause that grows each time. What succeeded begins anew with
	// short pauses when it fails the next time.
	if err := c.sync(ctx, namespace); err != nil {
		slog.Error("That went wrong", "namespace", namespace, "error", err)
	}
	return true
}
