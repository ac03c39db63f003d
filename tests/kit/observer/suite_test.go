package observer_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/observer"
)

// patience bounds what usually takes a fraction of it.
const patience = 3 * time.Minute

var (
	config *rest.Config
	admin  client.Client
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	c, err := cluster.Start(context.Background(), cluster.Options{CRDs: []string{"../../../sequentialjob/config/crd", "testdata"}})
	if err != nil {
		return 1, err
	}
	defer c.Stop()
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return 1, err
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return 1, err
	}
	config = c.Config()
	if admin, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// world is a namespace of its own.
type world struct {
	*testing.T
	ctx       context.Context
	namespace string
	log       *history.Log
}

func newWorld(t *testing.T) *world {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "observer-"}}
	w := &world{T: t, ctx: ctx, log: history.NewLog()}
	w.do(admin.Create(ctx, namespace))
	w.namespace = namespace.Name
	return w
}

func (w *world) observe(of ...kinds.Kind) *observer.Observer {
	return w.observeAs(config, of...)
}

func (w *world) observeAs(config *rest.Config, of ...kinds.Kind) *observer.Observer {
	w.Helper()
	o, err := observer.Start(w.ctx, observer.Options{Config: config, Namespace: w.namespace, Kinds: of, Log: w.log})
	w.do(err)
	w.Cleanup(o.Stop)
	return o
}

func (w *world) do(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) sync(o *observer.Observer) uint64 {
	w.Helper()
	frontier, err := o.Sync(w.ctx)
	w.do(err)
	return frontier
}

func (w *world) sequence(name string, finalizers ...string) *v1alpha1.SequentialJob {
	w.Helper()
	object := &v1alpha1.SequentialJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name, Finalizers: finalizers},
		Spec:       v1alpha1.SequentialJobSpec{Steps: []v1alpha1.Step{{Name: "build", JobTemplate: batchv1.JobTemplateSpec{Spec: jobSpec("build")}}}},
	}
	w.do(admin.Create(w.ctx, object))
	return object
}

func (w *world) job(name string, finalizers ...string) *batchv1.Job {
	w.Helper()
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name, Finalizers: finalizers},
		Spec:       jobSpec("build"),
	}
	w.do(admin.Create(w.ctx, job))
	return job
}

func jobSpec(step string) batchv1.JobSpec {
	return batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever,
		Containers:    []corev1.Container{{Name: step, Image: "none"}},
	}}}
}

func clientKey(object client.Object) client.ObjectKey { return client.ObjectKeyFromObject(object) }

func (w *world) delete(object client.Object) {
	w.Helper()
	w.do(admin.Delete(w.ctx, object, client.PropagationPolicy(metav1.DeletePropagationBackground)))
}

// lines are the changes up to the frontier in short: "ADDED jobs web".
func (w *world) lines(frontier uint64) []string {
	var lines []string
	for _, change := range w.log.Run().Changes {
		if change.ResourceVersion > frontier {
			continue
		}
		line := change.Type + " " + change.Resource + " " + change.Object.GetName()
		if change.Initial {
			line += " (initial)"
		}
		lines = append(lines, line)
	}
	return lines
}

func names(objects map[string]*unstructured.Unstructured) []string {
	var names []string
	for name := range objects {
		names = append(names, name)
	}
	return names
}
