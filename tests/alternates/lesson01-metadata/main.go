// Command lesson01-metadata is lesson 1's controller with caches of metadata alone. To count Jobs it needs no more.
// The metadata of a ConfigMap says that it has changed, but not how, so the ConfigMap is read from the API server.
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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

const (
	name    = "job-count"
	key     = "jobs"
	workers = 3
)

var (
	jobs       = schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}
	configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
)

// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;update

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
	c := &controller{queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())}
	if c.client, err = kubernetes.NewForConfig(config); err != nil {
		return fmt.Errorf("create a client: %w", err)
	}
	partial, err := metadata.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("create a client for metadata: %w", err)
	}
	factory := metadatainformer.NewSharedInformerFactory(partial, 0)
	c.jobs = factory.ForResource(jobs).Lister()
	for _, resource := range []schema.GroupVersionResource{jobs, configMaps} {
		events := cache.ResourceEventHandlerFuncs{
			AddFunc: c.changed, UpdateFunc: func(_, object any) { c.changed(object) }, DeleteFunc: c.changed,
		}
		if _, err := factory.ForResource(resource).Informer().AddEventHandler(events); err != nil {
			return fmt.Errorf("watch %s: %w", resource.Resource, err)
		}
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	factory.WaitForCacheSync(ctx.Done())

	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for ctx.Err() == nil && c.next(ctx) {
			}
		})
	}
	<-ctx.Done()
	c.queue.ShutDown()
	running.Wait()
	return nil
}

type controller struct {
	client kubernetes.Interface
	jobs   cache.GenericLister // of metadata
	queue  workqueue.TypedRateLimitingInterface[string]
}

// changed queues the namespace of an object that has changed.
func (c *controller) changed(object any) {
	name, err := cache.DeletionHandlingObjectToName(object)
	if err != nil {
		slog.Error("Ignoring an event about an object without a name", "error", err)
		return
	}
	c.queue.Add(name.Namespace)
}

func (c *controller) next(ctx context.Context) bool {
	namespace, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(namespace)
	if err := c.sync(ctx, namespace); err != nil {
		slog.Error("Sync failed, retrying later", "namespace", namespace, "error", err)
		c.queue.AddRateLimited(namespace)
		return true
	}
	c.queue.Forget(namespace)
	return true
}

func (c *controller) sync(ctx context.Context, namespace string) error {
	jobs, err := c.jobs.ByNamespace(namespace).List(labels.Everything())
	if err != nil {
		return err
	}
	client, number := c.client.CoreV1().ConfigMaps(namespace), strconv.Itoa(len(jobs))
	current, err := client.Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err) && len(jobs) == 0:
		return nil
	case apierrors.IsNotFound(err):
		_, err = client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{key: number}}, metav1.CreateOptions{})
		return err
	case err != nil || current.Data[key] == number:
		return err
	}
	if current.Data == nil {
		current.Data = map[string]string{}
	}
	current.Data[key] = number
	_, err = client.Update(ctx, current, metav1.UpdateOptions{})
	return err
}
