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
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/observer"
	"example.com/controller-course/tests/kit/sample"
)

// patience bounds what usually takes a fraction of it.
const patience = 3 * time.Minute

var (
	config *rest.Config
	admin  client.WithWatch
)

func TestMain(m *testing.M) {
	c, err := cluster.Start(context.Background(), cluster.Options{CRDs: []string{"../../../sequentialjob/config/crd", "testdata"}})
	if err == nil {
		config = c.Config()
		admin, err = kinds.NewClient(config)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	c.Stop()
	os.Exit(code)
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
	must.Succeed(w, err)
}

func (w *world) sync(o *observer.Observer) uint64 {
	w.Helper()
	frontier, err := o.Sync(w.ctx)
	w.do(err)
	return frontier
}

func (w *world) sequence(name string) *v1alpha1.SequentialJob {
	w.Helper()
	object := sample.SequentialJob(name, sample.Step("build"))
	object.Namespace = w.namespace
	w.do(admin.Create(w.ctx, object))
	return object
}

func (w *world) job(name string, finalizers ...string) *batchv1.Job {
	w.Helper()
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name, Finalizers: finalizers},
		Spec:       sample.Step("build").JobTemplate.Spec,
	}
	w.do(admin.Create(w.ctx, job))
	return job
}

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
