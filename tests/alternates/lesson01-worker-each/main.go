// Command lesson01-worker-each is lesson 1's controller without a workqueue and without listers: each
// namespace has its own worker, which events wake up, and which reads the state from the API server.
// All events that arrive while a worker is busy wake it up once, so a burst of events costs one sync.
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
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	name = "job-count"
	key  = "jobs"

	shortest, longest = 10 * time.Millisecond, time.Minute // pauses after a failure
)

// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch

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
	w := &workers{ctx: ctx, client: client, wake: map[string]chan struct{}{}}
	factory := informers.NewSharedInformerFactory(client, 0)
	for _, informer := range []cache.SharedIndexInformer{
		factory.Batch().V1().Jobs().Informer(), factory.Core().V1().ConfigMaps().Informer(),
	} {
		events := cache.ResourceEventHandlerFuncs{
			AddFunc: w.changed, UpdateFunc: func(_, object any) { w.changed(object) }, DeleteFunc: w.changed,
		}
		if _, err := informer.AddEventHandler(events); err != nil {
			return fmt.Errorf("watch: %w", err)
		}
	}
	factory.StartWithContext(ctx)
	<-ctx.Done()
	factory.Shutdown()
	w.running.Wait()
	return nil
}

// workers has a worker for each namespace that an event was about.
type workers struct {
	ctx     context.Context
	client  kubernetes.Interface
	running sync.WaitGroup

	mu   sync.Mutex
	wake map[string]chan struct{} // by namespace
}

// changed wakes up the worker of the namespace of an object that has changed.
func (w *workers) changed(object any) {
	name, err := cache.DeletionHandlingObjectToName(object)
	if err != nil {
		slog.Error("Ignoring an event about an object without a name", "error", err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	wake, running := w.wake[name.Namespace]
	if !running {
		wake = make(chan struct{}, 1)
		w.wake[name.Namespace] = wake
		w.running.Go(func() { w.work(name.Namespace, wake) })
	}
	select {
	case wake <- struct{}{}:
	default: // it is going to sync again anyway
	}
}

func (w *workers) work(namespace string, wake chan struct{}) {
	pause := shortest
	for {
		select {
		case <-wake:
		case <-w.ctx.Done():
			return
		}
		for {
			err := w.sync(namespace)
			if err == nil {
				pause = shortest
				break
			}
			slog.Error("Sync failed, retrying later", "namespace", namespace, "pause", pause, "error", err)
			select {
			case <-time.After(pause):
			case <-w.ctx.Done():
				return
			}
			pause = min(2*pause, longest)
		}
	}
}

// sync reads both sides of the comparison from the API server.
func (w *workers) sync(namespace string) error {
	jobs, err := w.client.BatchV1().Jobs(namespace).List(w.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	configMaps := w.client.CoreV1().ConfigMaps(namespace)
	number := strconv.Itoa(len(jobs.Items))
	current, err := configMaps.Get(w.ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err) && number == "0":
		return nil
	case apierrors.IsNotFound(err):
		_, err = configMaps.Create(w.ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{key: number}}, metav1.CreateOptions{})
		return err
	case err != nil || current.Data[key] == number:
		return err
	}
	patch := fmt.Appendf(nil, `{"data":{%q:%q}}`, key, number)
	_, err = configMaps.Patch(w.ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}
