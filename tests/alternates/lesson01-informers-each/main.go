// Command lesson01-informers-each is lesson 1's controller with informers for each namespace. It watches the
// namespaces. Each namespace has its own informers, queue and worker, which end when it is deleted. It patches first, and creates what
// is not there.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	batchlisters "k8s.io/client-go/listers/batch/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

const (
	name = "job-count"
	key  = "jobs"
)

// +kubebuilder:rbac:groups="",resources=namespaces,verbs=list;watch
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=list;watch;create;patch

func main() {
	if err := run(); err != nil {
		slog.Error("The controller failed", "error", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return fmt.Errorf("read KUBECONFIG: %w", err)
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("create a client: %w", err)
	}
	a := &all{ctx: ctx, client: client, stops: map[string]context.CancelFunc{}}
	factory := informers.NewSharedInformerFactory(client, 0)
	_, err = factory.Core().V1().Namespaces().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: a.added, DeleteFunc: a.deleted,
	})
	if err != nil {
		return fmt.Errorf("watch namespaces: %w", err)
	}
	factory.StartWithContext(ctx)
	<-ctx.Done()
	factory.Shutdown()
	a.running.Wait()
	return nil
}

// all has a controller for each namespace. Its handlers are called one at a time.
type all struct {
	ctx     context.Context
	client  kubernetes.Interface
	stops   map[string]context.CancelFunc
	running sync.WaitGroup
}

func (a *all) added(object any) {
	namespace := object.(*corev1.Namespace).Name
	ctx, stop := context.WithCancel(a.ctx)
	a.stops[namespace] = stop
	a.running.Go(func() {
		if err := keep(ctx, a.client, namespace); err != nil {
			slog.Error("Giving up on a namespace", "namespace", namespace, "error", err)
		}
	})
}

func (a *all) deleted(object any) {
	of, err := cache.DeletionHandlingObjectToName(object)
	if err != nil {
		slog.Error("Ignoring an event about an object without a name", "error", err)
		return
	}
	if stop := a.stops[of.Name]; stop != nil {
		stop()
		delete(a.stops, of.Name)
	}
}

// keep maintains the ConfigMap of a namespace until ctx ends.
func keep(ctx context.Context, client kubernetes.Interface, namespace string) error {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	k := &keeper{
		client: client, namespace: namespace,
		jobs: factory.Batch().V1().Jobs().Lister(), configMaps: factory.Core().V1().ConfigMaps().Lister(),
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
	}
	for _, informer := range []cache.SharedIndexInformer{
		factory.Batch().V1().Jobs().Informer(), factory.Core().V1().ConfigMaps().Informer(),
	} {
		changed := func() { k.queue.Add(namespace) }
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { changed() }, UpdateFunc: func(any, any) { changed() }, DeleteFunc: func(any) { changed() },
		}); err != nil {
			return err
		}
	}
	factory.StartWithContext(ctx)
	defer factory.Shutdown()
	if err := factory.WaitForCacheSyncWithContext(ctx).Err; err != nil {
		return nil // ctx has ended
	}
	context.AfterFunc(ctx, k.queue.ShutDown)
	for k.next(ctx) {
	}
	return nil
}

// keeper maintains the ConfigMap of a namespace. Its queue has one key, the namespace.
type keeper struct {
	client     kubernetes.Interface
	namespace  string
	jobs       batchlisters.JobLister
	configMaps corelisters.ConfigMapLister
	queue      workqueue.TypedRateLimitingInterface[string]
}

func (k *keeper) next(ctx context.Context) bool {
	item, shutdown := k.queue.Get()
	if shutdown || ctx.Err() != nil {
		return false
	}
	defer k.queue.Done(item)
	if err := k.sync(ctx); err != nil {
		slog.Error("Sync failed, retrying later", "namespace", k.namespace, "error", err)
		k.queue.AddRateLimited(item)
		return true
	}
	k.queue.Forget(item)
	return true
}

func (k *keeper) sync(ctx context.Context) error {
	jobs, err := k.jobs.Jobs(k.namespace).List(labels.Everything())
	if err != nil {
		return err
	}
	configMaps, number := k.client.CoreV1().ConfigMaps(k.namespace), strconv.Itoa(len(jobs))
	current, err := k.configMaps.ConfigMaps(k.namespace).Get(name)
	switch {
	case err == nil && current.Data[key] == number, apierrors.IsNotFound(err) && len(jobs) == 0:
		return nil
	case err != nil && !apierrors.IsNotFound(err):
		return err
	}
	patch := fmt.Appendf(nil, `{"data":{%q:%q}}`, key, number)
	if _, err = configMaps.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); apierrors.IsNotFound(err) {
		_, err = configMaps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{key: number}}, metav1.CreateOptions{})
	}
	return err
}
