package jobdriver_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/sample"
)

// patience bounds what usually takes a fraction of it.
const patience = 3 * time.Minute

const crds = "../../../sequentialjob/config/crd"

var admin client.WithWatch // of an API server without a Job controller

func TestMain(m *testing.M) {
	c, err := cluster.Start(context.Background(), cluster.Options{CRDs: []string{crds}})
	if err == nil {
		admin, err = kinds.NewClient(c.Config())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	c.Stop()
	os.Exit(code)
}

// world is a namespace of its own with a driver.
type world struct {
	*testing.T
	*jobdriver.Driver
	client    client.Client
	ctx       context.Context
	namespace string
	log       *history.Log
}

func newWorld(t *testing.T) *world { return newWorldOn(t, admin) }

func newWorldOn(t *testing.T, on client.Client) *world {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	w := &world{T: t, client: on, ctx: ctx, log: history.NewLog()}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "jobdriver-"}}
	w.do(on.Create(ctx, namespace))
	w.namespace = namespace.Name
	w.Driver = jobdriver.New(on, w.namespace, w.log)
	return w
}

func (w *world) do(err error) {
	w.Helper()
	must.Succeed(w.T, err)
}

// yes fails the test unless a function that returns whether it did anything returns true.
func (w *world) yes(did bool, err error) {
	w.Helper()
	w.do(err)
	if !did {
		w.Fatal("nothing was done")
	}
}

func (w *world) no(did bool, err error) {
	w.Helper()
	w.do(err)
	if did {
		w.Fatal("something was done")
	}
}

func (w *world) createOwner(name string) *v1alpha1.SequentialJob {
	w.Helper()
	object := sample.SequentialJob(name, sample.Step("build"))
	object.Namespace = w.namespace
	w.do(w.client.Create(w.ctx, object))
	return object
}

func newJob(name string) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1alpha1.LabelSequentialJob: "web"}},
		Spec:       sample.Step("build").JobTemplate.Spec,
	}
}

func (w *world) createJob(name string, owner *v1alpha1.SequentialJob) *batchv1.Job {
	w.Helper()
	return w.createJobOf(newJob(name), owner)
}

func (w *world) createJobOf(job *batchv1.Job, owner *v1alpha1.SequentialJob) *batchv1.Job {
	w.Helper()
	job.Namespace = w.namespace
	if owner != nil {
		job.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))}
	}
	w.do(w.client.Create(w.ctx, job))
	return job
}

func (w *world) setSuspend(job *batchv1.Job, suspend bool) {
	w.Helper()
	before := w.get(job)
	after := before.DeepCopy()
	after.Spec.Suspend = new(suspend)
	w.do(w.client.Patch(w.ctx, after, client.MergeFrom(before)))
}

// get reads the Job again; nil when it is gone.
func (w *world) get(job *batchv1.Job) *batchv1.Job {
	w.Helper()
	now := &batchv1.Job{}
	err := w.client.Get(w.ctx, client.ObjectKeyFromObject(job), now)
	if apierrors.IsNotFound(err) {
		return nil
	}
	w.do(err)
	return now
}

// there and gone hold objects to be there, and to be gone.
func (w *world) there(objects ...client.Object) {
	w.Helper()
	for _, object := range objects {
		assert.Equal(w.T, object.GetName()+" is gone", w.isGone(object), false)
	}
}

func (w *world) gone(objects ...client.Object) {
	w.Helper()
	for _, object := range objects {
		assert.Equal(w.T, object.GetName()+" is gone", w.isGone(object), true)
	}
}

func (w *world) isGone(object client.Object) bool {
	w.Helper()
	err := w.client.Get(w.ctx, client.ObjectKeyFromObject(object), object.DeepCopyObject().(client.Object))
	w.do(client.IgnoreNotFound(err))
	return err != nil
}
