// Command naive counts Jobs by their events, as many would write it first. It is wrong as soon as it misses
// an event.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=list;watch;get;create;update

func main() {
	if err := run(); err != nil {
		slog.Error("The controller can't run", "error", err)
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
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	c := &counter{ctx: ctx, client: client, jobs: map[string]int{}}
	factory := informers.NewSharedInformerFactory(client, 0)
	_, err = factory.Batch().V1().Jobs().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { c.add(object, +1) },
		DeleteFunc: func(object any) { c.add(object, -1) },
	})
	if err != nil {
		return fmt.Errorf("listen to Jobs: %w", err)
	}
	factory.StartWithContext(ctx)
	<-ctx.Done()
	factory.Shutdown()
	return nil
}

// counter knows how many Jobs each namespace has, if it has received every event. Its methods are
// called by the informer's goroutine, one after another.
type counter struct {
	ctx    context.Context
	client kubernetes.Interface
	jobs   map[string]int
}

// add takes note of a Job that has come or gone.
func (c *counter) add(object any, number int) {
	job, ok := object.(*batchv1.Job)
	if !ok {
		return
	}
	c.jobs[job.Namespace] += number
	if err := c.write(job.Namespace); err != nil {
		slog.Error("write the number of Jobs", "namespace", job.Namespace, "error", err)
	}
}

func (c *counter) write(namespace string) error {
	configMaps := c.client.CoreV1().ConfigMaps(namespace)
	data := map[string]string{"jobs": strconv.Itoa(c.jobs[namespace])}
	current, err := configMaps.Get(c.ctx, "job-count", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		fresh := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "job-count"}, Data: data}
		_, err = configMaps.Create(c.ctx, fresh, metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	current.Data = data
	_, err = configMaps.Update(c.ctx, current, metav1.UpdateOptions{})
	return err
}
