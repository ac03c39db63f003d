package controller_test

import (
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func announcedSuccess() batchv1.JobCondition {
	return batchv1.JobCondition{Type: batchv1.JobSuccessCriteriaMet, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}
}

func continueAfter(step string) func(*v1alpha1.SequentialJob) {
	return func(object *v1alpha1.SequentialJob) {
		for i := range object.Spec.Steps {
			if object.Spec.Steps[i].Name == step {
				object.Spec.Steps[i].OnFailure = v1alpha1.FailurePolicyContinue
			}
		}
	}
}

var _ = Describe("A step that fails", func() {
	It("ends the run, with the Job's own reason, and later steps never run", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test", "deploy"})
		w.complete("build")
		w.fail("test")

		condition := w.failed(v1alpha1.ReasonStepFailed)
		Expect(condition.Message).To(And(ContainSubstring(`"test"`), ContainSubstring("BackoffLimitExceeded")))
		object := w.get()
		Expect(states(object)).To(Equal([]v1alpha1.StepState{v1alpha1.StepSucceeded, v1alpha1.StepFailed, v1alpha1.StepSkipped}))
		Expect(stepOf(object, "test").Reason).To(Equal("BackoffLimitExceeded"))
		Expect(object.Status.Progress).To(Equal("2/3"))
		Expect(w.jobs()).To(ConsistOf("web-build", "web-test"))
	})

	It("has a template that the API server accepts and Go can't decode: only that run fails, and says why", func(ctx SpecContext) {
		w := newWorld(ctx)
		object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(w.sequentialJob("web", []string{"build", "test"}))
		Expect(err).NotTo(HaveOccurred())
		web := &unstructured.Unstructured{Object: object}
		web.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))
		steps, _, err := unstructured.NestedSlice(object, "spec", "steps")
		Expect(err).NotTo(HaveOccurred())
		containers := []any{map[string]any{"name": "main", "image": "test", "startupProbe": map[string]any{"httpGet": map[string]any{"port": int64(8080808080)}}}}
		Expect(unstructured.SetNestedField(steps[1].(map[string]any), containers, "jobTemplate", "spec", "template", "spec", "containers")).To(Succeed())
		Expect(unstructured.SetNestedSlice(object, steps, "spec", "steps")).To(Succeed())
		Expect(admin.Create(ctx, web)).To(Succeed())

		w.complete("build")
		condition := w.failed(v1alpha1.ReasonInvalidJobTemplate)
		Expect(condition.Message).To(And(ContainSubstring(`"test"`), ContainSubstring("can't be decoded"), ContainSubstring("8080808080")))
		Expect(w.jobs()).To(ConsistOf("web-build"))
		operator.whileDown(func() {}) // a cache that can't list the kind would keep it from starting
	})

	It("does not end the run when it has onFailure: Continue", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"lint", "build"}, continueAfter("lint"))
		w.fail("lint")
		w.complete("build")
		w.succeeded(v1alpha1.ReasonStepsFailed)
		Expect(states(w.get())).To(Equal([]v1alpha1.StepState{v1alpha1.StepFailed, v1alpha1.StepSucceeded}))
	})

	It("is not called failed while its Job has only announced that", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test"}, continueAfter("build"))
		job := w.job("build")
		job.Status.StartTime = new(metav1.Now())
		job.Status.Active = 1
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
			Type: batchv1.JobFailureTarget, Status: corev1.ConditionTrue, Reason: "PodFailurePolicy", LastTransitionTime: metav1.Now(),
		})
		Expect(admin.Status().Update(ctx, job)).To(Succeed())
		w.atRest()
		Expect(w.jobs()).To(ConsistOf("web-build"))
		Expect(stepOf(w.get(), "build").State).To(Equal(v1alpha1.StepRunning))
	})
})

var _ = Describe("A step's Job that is gone", func() {
	It("does not run again when the step had finished", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test"})
		w.complete("build")
		w.job("test")
		w.remove("build")
		w.atRest()
		Expect(w.jobs()).To(ConsistOf("web-test"))

		operator.whileDown(func() {})
		w.atRest()
		Expect(w.jobs()).To(ConsistOf("web-test"))
		w.complete("test")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
	})

	It("fails the step when it was still running", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test"})
		w.job("build")
		w.remove("build")
		condition := w.failed(v1alpha1.ReasonJobDeleted)
		Expect(condition.Message).To(ContainSubstring("not run again"))
		Expect(states(w.get())).To(Equal([]v1alpha1.StepState{v1alpha1.StepFailed, v1alpha1.StepSkipped}))
		Expect(w.jobs()).To(BeEmpty())
	})

	It("fails the step when it went while the operator was down", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test"}, continueAfter("build"))
		w.job("build")
		operator.whileDown(func() { w.remove("build") })
		Expect(w.eventually("build", v1alpha1.StepFailed).Reason).To(Equal(v1alpha1.ReasonJobDeleted))
		w.complete("test")
		w.succeeded(v1alpha1.ReasonStepsFailed)
	})

	It("is waited for while it is being deleted, and fails the step once it is gone", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test"}, continueAfter("build"))
		job := w.job("build")
		job.Finalizers = append(job.Finalizers, "example.com/keep")
		Expect(admin.Update(ctx, job)).To(Succeed())
		w.remove("build")
		w.atRest()
		Expect(w.jobs()).To(ConsistOf("web-build"))
		Expect(stepOf(w.get(), "build").State).To(Equal(v1alpha1.StepRunning))

		w.collect("build")
		Expect(w.eventually("build", v1alpha1.StepFailed).Reason).To(Equal(v1alpha1.ReasonJobDeleted))
		w.job("test")
	})

	It("fails the step and stops the Job in its place, when a user has replaced the Job", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test"}, continueAfter("build"))
		original := w.job("build")
		operator.whileDown(func() {
			w.remove("build")
			copied := original.DeepCopy()
			copied.ResourceVersion, copied.UID = "", ""
			copied.Spec.Selector, copied.Spec.Template.Labels = nil, nil
			copied.Status = batchv1.JobStatus{}
			Expect(admin.Create(ctx, copied)).To(Succeed())
		})
		w.condition(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonJobDeleted)
		w.collect("build")
		Expect(w.eventually("build", v1alpha1.StepFailed).Reason).To(Equal(v1alpha1.ReasonJobDeleted))
		w.complete("test")
		w.succeeded(v1alpha1.ReasonStepsFailed)
	})

	It("fails the step when it went before the status recorded it, and is not created again", func(ctx SpecContext) {
		w := newWorld(ctx)
		patches := 0
		for range 2 { // the claim of the step, and the record of its Job
			operator.requests.inject(&fault{verb: "patch", resource: "sequentialjobs/status", namespace: w.namespace,
				strike: func(send func() (*http.Response, error)) (*http.Response, error) {
					if patches++; patches == 1 {
						return send()
					}
					w.remove("build")
					return loseRequest(send)
				}})
		}
		w.create([]string{"build", "test"})
		w.failed(v1alpha1.ReasonJobDeleted)
		Expect(w.jobs()).To(BeEmpty())
		creates := 0
		for _, request := range operator.requests.about(w.namespace) {
			if request == "create jobs" {
				creates++
			}
		}
		Expect(creates).To(Equal(1))
	})

	It("is looked for in the API server when only its label is gone", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test"})
		job := w.job("build")
		delete(job.Labels, v1alpha1.LabelSequentialJob)
		Expect(admin.Update(ctx, job)).To(Succeed())
		w.atRest()
		Expect(stepOf(w.get(), "build").State).To(Equal(v1alpha1.StepRunning))
		w.complete("build")
		w.job("test")
	})
})
