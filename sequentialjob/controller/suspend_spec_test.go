package controller_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func suspend(yes bool) func(*v1alpha1.SequentialJob) {
	return func(object *v1alpha1.SequentialJob) { object.Spec.Suspend = new(yes) }
}

var _ = Describe("Suspending", func() {
	It("before the start keeps the run from starting, and its clock too", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build"}, suspend(true))
		w.condition(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended)
		w.condition(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonSuspended)
		Expect(w.get().Status.StartTime).To(BeNil())
		Expect(w.jobs()).To(BeEmpty())

		w.edit(suspend(false))
		w.complete("build")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
		Expect(w.get().Status.StartTime).NotTo(BeNil())
	})

	It("in mid-run suspends the running Job, is reported once that has stopped, and resuming resumes it", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test"})
		job := w.job("build")
		job.Status.Active = 1
		job.Status.StartTime = new(metav1.Now())
		Expect(admin.Status().Update(ctx, job)).To(Succeed())

		w.edit(suspend(true))
		w.condition(v1alpha1.ConditionSuspended, metav1.ConditionFalse, v1alpha1.ReasonSuspending)
		Eventually(func() *bool { return w.readJob("build").Spec.Suspend }).Should(HaveValue(BeTrue()))
		w.settleSuspension("build")
		suspended := w.condition(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended)
		Expect(suspended.ObservedGeneration).To(Equal(w.get().Generation))
		Eventually(w.events).Should(ContainElement("Normal Suspended"))

		w.edit(suspend(false))
		w.condition(v1alpha1.ConditionSuspended, metav1.ConditionFalse, v1alpha1.ReasonNotSuspended)
		Expect(w.readJob("build").Spec.Suspend).To(HaveValue(BeFalse()))
		Eventually(w.events).Should(ContainElement("Normal Resumed"))
		w.settleSuspension("build")
		w.complete("build")
		w.complete("test")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
	})

	It("lets a Job that completes all the same count, and starts nothing after it", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test"})
		job := w.job("build")
		operator.whileDown(func() {
			w.edit(suspend(true))
			w.finishJob(job, "SuccessCriteriaMet", "Complete", "", "")
		})
		w.eventually("build", v1alpha1.StepSucceeded)
		w.condition(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended)
		w.atRest()
		Expect(w.jobs()).To(ConsistOf("web-build"))

		w.edit(suspend(false))
		w.complete("test")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
	})

	It("a finished run changes nothing but what the status speaks of", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build"})
		w.complete("build")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
		ended := w.get().Status

		generation := w.edit(suspend(true)).Generation
		Eventually(func() int64 { return w.get().Status.ObservedGeneration }).Should(Equal(generation))
		now := w.get().Status
		w.condition(v1alpha1.ConditionSuspended, metav1.ConditionFalse, v1alpha1.ReasonFinished)
		Expect(now.Steps).To(Equal(ended.Steps))
		Expect(now.CompletionTime).To(Equal(ended.CompletionTime))
	})
})

var _ = Describe("activeDeadlineSeconds", func() {
	limit := func(seconds int64) func(*v1alpha1.SequentialJob) {
		return func(object *v1alpha1.SequentialJob) { object.Spec.ActiveDeadlineSeconds = new(seconds) }
	}

	It("stops the running Job, and the run has failed once that is gone", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test"}, continueAfter("build"))
		w.job("build")
		w.edit(limit(1)) // not before the Job is there, which may take longer than that
		w.condition(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonDeadlineExceeded)
		w.collect("build")
		w.failed(v1alpha1.ReasonDeadlineExceeded)
		object := w.get()
		Expect(states(object)).To(Equal([]v1alpha1.StepState{v1alpha1.StepFailed, v1alpha1.StepSkipped}))
		Expect(stepOf(object, "build").Reason).To(Equal(v1alpha1.ReasonDeadlineExceeded))
		Expect(w.jobs()).To(BeEmpty())
		Expect(object.Status.CompletionTime.Sub(object.Status.StartTime.Time).Seconds()).To(BeNumerically(">=", 1))
	})

	It("does not count the time for which the run was suspended", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build"}, limit(1000), suspend(false))
		w.suspendDuring("build")

		// The run started two hours ago, and has been suspended for all but ten seconds of them.
		operator.whileDown(func() { w.backdate(7200, 7190) })
		w.atRest()
		w.edit(suspend(false))
		w.condition(v1alpha1.ConditionSuspended, metav1.ConditionFalse, v1alpha1.ReasonNotSuspended)
		Expect(w.get().Status.SuspendedSeconds).To(BeNumerically(">=", 7190))
		w.settleSuspension("build")
		w.complete("build")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
	})

	It("does count what lies before and after a suspension", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build"}, limit(1000))
		w.suspendDuring("build")

		operator.whileDown(func() { w.backdate(7200, 6000) })
		w.atRest()
		w.condition(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended)
		w.edit(suspend(false))
		w.condition(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonDeadlineExceeded)
		w.collect("build")
		w.failed(v1alpha1.ReasonDeadlineExceeded)
	})

	It("may be raised while the run lasts", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build"}, limit(3600))
		w.job("build")
		operator.whileDown(func() {
			w.backdate(7200, 0)
			w.edit(limit(10_000))
		})
		w.complete("build")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
	})

	It("passing while the operator is down is noticed at the start", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build"}, limit(3600))
		w.job("build")
		operator.whileDown(func() { w.backdate(7200, 0) })
		w.collect("build")
		w.failed(v1alpha1.ReasonDeadlineExceeded)
	})

	It("does not undo a success that came in time to be seen", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build"}, limit(3600))
		job := w.job("build")
		operator.whileDown(func() {
			w.backdate(7200, 0)
			w.finishJob(job, "SuccessCriteriaMet", "Complete", "", "")
		})
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
	})
})

// suspendDuring suspends "web" while the step runs, and waits until it is.
func (w *world) suspendDuring(step string) {
	GinkgoHelper()
	w.job(step)
	w.edit(suspend(true))
	Eventually(func() *bool { return w.readJob(step).Spec.Suspend }).Should(HaveValue(BeTrue()))
	w.settleSuspension(step)
	w.condition(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended)
}

// backdate lets the run have started that many seconds ago, and the suspension that lasts, if one
// does, that many.
func (w *world) backdate(startSeconds, suspensionSeconds int) {
	GinkgoHelper()
	object := w.get()
	ago := func(seconds int) metav1.Time { return metav1.NewTime(metav1.Now().Add(-secondsOf(seconds))) }
	object.Status.StartTime = new(ago(startSeconds))
	for i := range object.Status.Conditions {
		if condition := &object.Status.Conditions[i]; condition.Type == v1alpha1.ConditionSuspended && condition.Status == metav1.ConditionTrue {
			condition.LastTransitionTime = ago(suspensionSeconds)
		}
	}
	Expect(admin.Status().Update(w.ctx, object)).To(Succeed())
}
