package alternates_test

import (
	"context"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/canonical"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/kinds"
)

// patience bounds a wait that usually takes a fraction of it.
const patience = 3 * time.Minute

// object is the name of a scenario's SequentialJob.
const object = "web"

// world is a namespace, in which the tests play the Job controller.
type world struct {
	*testing.T
	ctx       context.Context
	client    client.Client
	namespace string
	driver    *jobdriver.Driver
}

func newWorld(t *testing.T, config *rest.Config) *world {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	w := &world{T: t, ctx: ctx}
	var err error
	w.client, err = kinds.NewClient(config)
	w.do(err)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "alternates-"}}
	w.do(w.client.Create(ctx, namespace))
	w.namespace = namespace.Name
	w.driver = jobdriver.New(w.client, w.namespace, history.NewLog())
	return w
}

func (w *world) do(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) create(edit func(*v1alpha1.SequentialJobSpec)) {
	w.Helper()
	w.createNamed(object, edit)
}

func (w *world) createNamed(name string, edit func(*v1alpha1.SequentialJobSpec)) {
	w.Helper()
	created := &v1alpha1.SequentialJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name},
		Spec:       v1alpha1.SequentialJobSpec{Steps: []v1alpha1.Step{newStep("fetch"), newStep("build"), newStep("ship")}},
	}
	edit(&created.Spec)
	w.do(w.client.Create(w.ctx, created))
}

func newStep(name string) v1alpha1.Step {
	return v1alpha1.Step{Name: name, JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: name, Image: "step"}},
		}},
	}}}
}

func (w *world) change(edit func(*v1alpha1.SequentialJobSpec)) {
	w.Helper()
	before := w.get()
	after := before.DeepCopy()
	edit(&after.Spec)
	w.do(w.client.Patch(w.ctx, after, client.MergeFrom(before)))
}

func (w *world) complete(steps ...string) {
	w.Helper()
	for _, step := range steps {
		w.do(w.driver.Complete(w.ctx, w.started(step)))
	}
}

func (w *world) fail(step string) {
	w.Helper()
	w.do(w.driver.Fail(w.ctx, w.started(step), batchv1.JobReasonBackoffLimitExceeded, "Job has reached the specified backoff limit"))
}

// started waits until a step's Job runs and the status says so.
func (w *world) started(step string) *batchv1.Job {
	w.Helper()
	var started *batchv1.Job
	w.until(func() bool {
		now := w.get()
		for _, entry := range now.Status.Steps {
			if entry.Name == step && entry.State == v1alpha1.StepRunning {
				started = w.jobOf(now, step)
			}
		}
		return started != nil && started.Status.Active == 1
	})
	return started
}

func (w *world) jobOf(owner *v1alpha1.SequentialJob, step string) *batchv1.Job {
	w.Helper()
	list := &batchv1.JobList{}
	w.do(w.client.List(w.ctx, list, client.InNamespace(w.namespace)))
	for i := range list.Items {
		job := &list.Items[i]
		if metav1.IsControlledBy(job, owner) && job.Spec.Template.Spec.Containers[0].Name == step {
			return job
		}
	}
	return nil
}

// await waits until the status says something about the spec as it is now.
func (w *world) await(conditionType string, status metav1.ConditionStatus, reason string) {
	w.Helper()
	w.until(func() bool {
		now := w.get()
		condition := meta.FindStatusCondition(now.Status.Conditions, conditionType)
		return condition != nil && condition.Status == status && condition.Reason == reason && now.Status.ObservedGeneration == now.Generation
	})
}

func (w *world) awaitEnd() {
	w.Helper()
	w.until(func() bool {
		conditions := w.get().Status.Conditions
		return meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionSucceeded) || meta.IsStatusConditionFalse(conditions, v1alpha1.ConditionSucceeded)
	})
}

// awaitNothing waits until the SequentialJob and its Jobs are gone.
func (w *world) awaitNothing() {
	w.Helper()
	w.until(func() bool {
		objects, jobs := &v1alpha1.SequentialJobList{}, &batchv1.JobList{}
		w.do(w.client.List(w.ctx, objects, client.InNamespace(w.namespace)))
		w.do(w.client.List(w.ctx, jobs, client.InNamespace(w.namespace)))
		return len(objects.Items) == 0 && len(jobs.Items) == 0
	})
}

// until waits for something, while the Job controller and the garbage collector do their work.
func (w *world) until(done func() bool) {
	w.Helper()
	for !done() {
		reacted, err := w.driver.React(w.ctx)
		w.do(err)
		if reacted {
			continue
		}
		select {
		case <-w.ctx.Done():
			w.Fatalf("this does not come; there is:\n%s", w.end())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (w *world) get() *v1alpha1.SequentialJob {
	w.Helper()
	now := &v1alpha1.SequentialJob{}
	w.do(w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: object}, now))
	return now
}

// end is what the SequentialJobs are like now. It also works after the context has ended.
func (w *world) end() canonical.State {
	w.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.Kind + "List"))
	if err := w.client.List(context.WithoutCancel(w.ctx), list, client.InNamespace(w.namespace)); err != nil {
		w.Fatal(err)
	}
	var objects []*unstructured.Unstructured
	for i := range list.Items {
		objects = append(objects, &list.Items[i])
	}
	return canonical.Of(objects)
}
