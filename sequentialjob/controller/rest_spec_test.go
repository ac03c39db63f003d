package controller_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

var _ = Describe("At rest", func() {
	It("the operator writes nothing, nor when it starts again", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build"})
		w.complete("build")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
		other := newWorld(ctx)
		other.create([]string{"build"}) // stays running
		other.job("build")

		before := [2]*v1alpha1.SequentialJob{w.get(), other.get()}
		operator.whileDown(func() {})
		w.atRest()
		other.atRest()
		Expect(w.get().ResourceVersion).To(Equal(before[0].ResourceVersion))
		Expect(other.get().ResourceVersion).To(Equal(before[1].ResourceVersion))
	})
})

var _ = Describe("A restart", func() {
	It("between a claim and the Job's creation: the Job is created", func(ctx SpecContext) {
		w := newWorld(ctx)
		operator.whileDown(func() { w.claimed("build") })
		w.complete("build")
		w.complete("test")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
	})

	It("between the Job's creation and its record: the Job is adopted", func(ctx SpecContext) {
		w := newWorld(ctx)
		operator.whileDown(func() {
			object := w.claimed("build")
			w.foreignJob("web-build", metav1.NewControllerRef(object, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind)))
		})
		w.complete("build")
		w.complete("test")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
		Expect(w.jobs()).To(HaveLen(2))
	})

	It("while a Job finishes: its outcome is found", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test"})
		job := w.job("build")
		operator.whileDown(func() { w.finishJob(job, "SuccessCriteriaMet", "Complete", "", "") })
		w.complete("test")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
	})
})

var _ = Describe("A status field that another client wrote", func() {
	It("stays", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test"})
		w.job("build")
		object := w.get()
		object.Status.Conditions = append(object.Status.Conditions, metav1.Condition{
			Type: "example.com/Audited", Status: metav1.ConditionTrue, Reason: "Checked", LastTransitionTime: metav1.Now(),
		})
		Expect(admin.Status().Update(ctx, object)).To(Succeed())
		w.complete("build")
		w.complete("test")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
		w.condition("example.com/Audited", metav1.ConditionTrue, "Checked")
	})
})

// claimed creates "web" with steps build and test in the state after a crash right after the claim
// of a step.
func (w *world) claimed(step string) *v1alpha1.SequentialJob {
	GinkgoHelper()
	object := w.create([]string{"build", "test"})
	object.Status = v1alpha1.SequentialJobStatus{
		ObservedGeneration: object.Generation, StartTime: new(metav1.Now()), CurrentStep: step, Progress: "0/2",
		Steps: []v1alpha1.StepStatus{
			{Name: "build", State: v1alpha1.StepPending, JobName: "web-build"},
			{Name: "test", State: v1alpha1.StepPending},
		},
		Conditions: []metav1.Condition{
			{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAccepted, LastTransitionTime: metav1.Now()},
			{Type: v1alpha1.ConditionSuspended, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonNotSuspended, LastTransitionTime: metav1.Now()},
			{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonRunning, LastTransitionTime: metav1.Now()},
		},
	}
	Expect(admin.Status().Update(w.ctx, object)).To(Succeed())
	Expect(admin.Get(w.ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
	return object
}
