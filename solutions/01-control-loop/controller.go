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

// controller drives the actual state towards the desired one: a ConfigMap with the correct number.
type controller struct {
	client    kubernetes.Interface // for writes
	informers informers.SharedInformerFactory

	// jobs and configMaps read from the caches that the informers keep in memory.
	jobs       batchlisters.JobLister
	configMaps corelisters.ConfigMapLister

	// queue has the names of the namespaces that need a reconcile.
	queue workqueue.TypedRateLimitingInterface[string]
}

// newController returns a controller that is not running yet.
func newController(client kubernetes.Interface) (*controller, error) {
	factory := informers.NewSharedInformerFactory(client, 0) // 0: no resync, see "Start-up, relist, resync"
	jobs, configMaps := factory.Batch().V1().Jobs(), factory.Core().V1().ConfigMaps()
	c := &controller{
		client: client, informers: factory, jobs: jobs.Lister(), configMaps: configMaps.Lister(),
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
	}
	if _, err := jobs.Informer().AddEventHandler(onEvery(c.jobChanged)); err != nil {
		return nil, fmt.Errorf("watch Jobs: %w", err)
	}
	if _, err := configMaps.Informer().AddEventHandler(onEvery(c.configMapChanged)); err != nil {
		return nil, fmt.Errorf("watch ConfigMaps: %w", err)
	}
	return c, nil
}

// run runs the controller until ctx ends, and returns once everything that it started has stopped.
func (c *controller) run(ctx context.Context) {
	c.informers.StartWithContext(ctx)
	defer c.informers.Shutdown()

	//exercise:begin caches Start the workers only once the caches hold the complete state of the cluster.
	//exercise:task Until then a lister returns some of the objects, and nothing tells you so. If ctx ends while you wait, return.
	if c.informers.WaitForCacheSyncWithContext(ctx).Err != nil {
		return // ctx ended before the caches were complete
	}
	//exercise:end

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

// next waits for a namespace that needs a reconcile, and reconciles it. It returns false once the queue
// has shut down.
func (c *controller) next(ctx context.Context) bool {
	namespace, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	//exercise:begin worker Reconcile the namespace, and report the result to the queue.
	//exercise:task The queue hands this key to no worker until it knows that the work on it has ended.
	//exercise:task A reconcile that failed is retried, after a delay that grows with each failure. A success resets the delay.
	defer c.queue.Done(namespace)
	if err := c.reconcile(ctx, namespace); err != nil {
		slog.Error("Reconcile failed, retrying later", "namespace", namespace, "failures", c.queue.NumRequeues(namespace)+1, "error", err)
		c.queue.AddRateLimited(namespace)
		return true
	}
	c.queue.Forget(namespace)
	//exercise:starter if err := c.reconcile(ctx, namespace); err != nil {
	//exercise:starter 	slog.Error("Reconcile failed", "namespace", namespace, "error", err)
	//exercise:starter }
	//exercise:end
	return true
}
