package alternates_test

import (
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// scenarios are short runs, each to a state that lasts.
var scenarios = []struct {
	name string
	play func(*world)
}{
	{"three steps", func(w *world) {
		w.create(func(*v1alpha1.SequentialJobSpec) {})
		w.complete("fetch", "build", "ship")
		w.awaitEnd()
	}},
	{"a step fails", func(w *world) {
		w.create(func(*v1alpha1.SequentialJobSpec) {})
		w.complete("fetch")
		w.fail("build")
		w.awaitEnd()
	}},
	{"a step fails and the run goes on", func(w *world) {
		w.create(func(spec *v1alpha1.SequentialJobSpec) { spec.Steps[1].OnFailure = v1alpha1.FailurePolicyContinue })
		w.complete("fetch")
		w.fail("build")
		w.complete("ship")
		w.awaitEnd()
	}},
	{"suspended in a step", func(w *world) {
		w.create(func(*v1alpha1.SequentialJobSpec) {})
		w.complete("fetch")
		w.started("build")
		w.change(func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = new(true) })
		w.await(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended)
	}},
	{"suspended in a step and resumed", func(w *world) {
		w.create(func(*v1alpha1.SequentialJobSpec) {})
		w.complete("fetch")
		w.started("build")
		w.change(func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = new(true) })
		w.await(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended)
		w.change(func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = new(false) })
		w.complete("build", "ship")
		w.awaitEnd()
	}},
	{"suspended from the start", func(w *world) {
		w.create(func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = new(true) })
		w.await(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended)
	}},
	{"suspended from the start and resumed", func(w *world) {
		w.create(func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = new(true) })
		w.await(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended)
		w.change(func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = new(false) })
		w.complete("fetch", "build", "ship")
		w.awaitEnd()
	}},
	{"deadline", func(w *world) {
		w.create(func(*v1alpha1.SequentialJobSpec) {})
		w.complete("fetch")
		w.started("build")
		w.change(func(spec *v1alpha1.SequentialJobSpec) { spec.ActiveDeadlineSeconds = new(int64(1)) })
		w.awaitEnd()
	}},
	{"time to live", func(w *world) {
		w.create(func(spec *v1alpha1.SequentialJobSpec) { spec.TTLSecondsAfterFinished = new(int32(0)) })
		w.complete("fetch", "build", "ship")
		w.awaitNothing()
	}},
	{"start at a later step", func(w *world) {
		w.create(func(spec *v1alpha1.SequentialJobSpec) { spec.StartAt = new("ship") })
		w.complete("ship")
		w.awaitEnd()
	}},
	{"managed by another controller", func(w *world) {
		w.createNamed("theirs", func(spec *v1alpha1.SequentialJobSpec) { spec.ManagedBy = new("example.com/another") })
		w.create(func(spec *v1alpha1.SequentialJobSpec) { spec.ManagedBy = new(v1alpha1.ControllerName) })
		w.complete("fetch", "build", "ship")
		w.awaitEnd()
	}},
	{"a running Job is deleted", func(w *world) {
		w.create(func(*v1alpha1.SequentialJobSpec) {})
		w.complete("fetch")
		w.do(w.driver.Vanish(w.ctx, w.started("build")))
		w.awaitEnd()
	}},
	{"a running Job is deleted and the run goes on", func(w *world) {
		w.create(func(spec *v1alpha1.SequentialJobSpec) { spec.Steps[0].OnFailure = v1alpha1.FailurePolicyContinue })
		w.do(w.driver.Vanish(w.ctx, w.started("fetch")))
		w.complete("build", "ship")
		w.awaitEnd()
	}},
	{"an invalid template", func(w *world) {
		w.create(func(spec *v1alpha1.SequentialJobSpec) { spec.Steps[1].JobTemplate.Spec.Parallelism = new(int32(-1)) })
		w.complete("fetch")
		w.awaitEnd()
	}},
	{"an invalid template and the run goes on", func(w *world) {
		w.create(func(spec *v1alpha1.SequentialJobSpec) {
			spec.Steps[0].JobTemplate.Spec.Parallelism = new(int32(-1))
			spec.Steps[0].OnFailure = v1alpha1.FailurePolicyContinue
		})
		w.complete("build", "ship")
		w.awaitEnd()
	}},
	{"the name is taken", func(w *world) {
		w.do(w.client.Create(w.ctx, &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: v1alpha1.JobName(object, "build")},
			Spec:       newStep("foreign").JobTemplate.Spec,
		}))
		w.create(func(*v1alpha1.SequentialJobSpec) {})
		w.complete("fetch")
		w.await(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonJobConflict)
	}},
	{"deleted", func(w *world) {
		w.create(func(*v1alpha1.SequentialJobSpec) {})
		w.started("fetch")
		w.do(w.client.Delete(w.ctx, w.get(), client.PropagationPolicy(metav1.DeletePropagationForeground)))
		w.awaitNothing()
	}},
}
