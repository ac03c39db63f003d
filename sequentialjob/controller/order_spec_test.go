package controller_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

var _ = Describe("A run", func() {
	It("runs its steps one after another, each under its own name", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test", "deploy"})

		for i, step := range []string{"build", "test", "deploy"} {
			job := w.job(step)
			Expect(metav1.IsControlledBy(job, w.get())).To(BeTrue())
			Expect(job.Labels).To(HaveKeyWithValue(v1alpha1.LabelSequentialJob, "web"))
			Expect(job.Labels).To(HaveKeyWithValue(v1alpha1.LabelStep, step))
			Expect(w.jobs()).To(HaveLen(i + 1))
			Expect(stepOf(w.get(), step).JobUID).To(Equal(job.UID))
			Expect(w.get().Status.CurrentStep).To(Equal(step))
			w.complete(step)
		}

		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
		object := w.get()
		Expect(states(object)).To(HaveEach(v1alpha1.StepSucceeded))
		Expect(object.Status.Progress).To(Equal("3/3"))
		Expect(object.Status.CurrentStep).To(BeEmpty())
		Expect(object.Status.CompletionTime).NotTo(BeNil())
	})

	It("has all its conditions from the first status on, each for the generation it speaks of", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build"})
		w.job("build")
		object := w.get()
		for _, conditionType := range []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionSuspended, v1alpha1.ConditionSucceeded} {
			condition := meta.FindStatusCondition(object.Status.Conditions, conditionType)
			Expect(condition).NotTo(BeNil(), conditionType)
			Expect(condition.ObservedGeneration).To(Equal(object.Generation))
		}
		Expect(meta.IsStatusConditionPresentAndEqual(object.Status.Conditions, v1alpha1.ConditionSucceeded, metav1.ConditionUnknown)).To(BeTrue())
	})

	It("does not advance while a Job has only announced its success", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test"})
		job := w.job("build")
		job.Status.StartTime = new(metav1.Now())
		job.Status.Active = 1
		job.Status.Conditions = append(job.Status.Conditions, announcedSuccess())
		Expect(admin.Status().Update(ctx, job)).To(Succeed())

		w.atRest()
		Expect(w.jobs()).To(ConsistOf("web-build"))
		Expect(stepOf(w.get(), "build").State).To(Equal(v1alpha1.StepRunning))
	})

	It("takes three creates and at most two status writes a step plus two, and nothing else", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test", "deploy"})
		for _, step := range []string{"build", "test", "deploy"} {
			w.complete(step)
		}
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)

		counts := map[string]int{}
		for _, request := range operator.requests.about(w.namespace) {
			counts[request]++
		}
		Expect(counts).To(HaveLen(2), "%v", counts)
		Expect(counts).To(HaveKeyWithValue("create jobs", 3))
		Expect(counts["patch sequentialjobs/status"]).To(BeNumerically("<=", 8))
		Expect(operator.requests.refused(w.namespace)).To(BeEmpty())
	})

	It("starts at spec.startAt and skips what lies before", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test", "deploy"}, func(object *v1alpha1.SequentialJob) {
			object.Spec.StartAt = new("deploy")
		})
		w.complete("deploy")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
		Expect(states(w.get())).To(Equal([]v1alpha1.StepState{v1alpha1.StepSkipped, v1alpha1.StepSkipped, v1alpha1.StepSucceeded}))
		Expect(w.jobs()).To(ConsistOf("web-deploy"))
	})

	It("leaves an object alone that another controller is to manage", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build"}, func(object *v1alpha1.SequentialJob) {
			object.Spec.ManagedBy = new("example.com/other")
		})
		w.atRest()
		Expect(w.get().Status).To(Equal(v1alpha1.SequentialJobStatus{}))
		Expect(w.jobs()).To(BeEmpty())
	})

	It("runs an object that names this controller", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build"}, func(object *v1alpha1.SequentialJob) {
			object.Spec.ManagedBy = new(v1alpha1.ControllerName)
		})
		w.complete("build")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
	})

	It("creates nothing more once the object is being deleted", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create([]string{"build", "test"}, func(object *v1alpha1.SequentialJob) {
			object.Finalizers = []string{"example.com/another-owners"}
		})
		w.job("build")
		Expect(admin.Delete(ctx, object)).To(Succeed())
		w.complete("build")
		w.atRest()
		Expect(w.jobs()).To(ConsistOf("web-build"))

		object = w.get()
		object.Finalizers = nil
		Expect(admin.Update(ctx, object)).To(Succeed())
	})
})
