package controller_test

import (
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func secondsOf(seconds int) time.Duration { return time.Duration(seconds) * time.Second }

func keepFor(seconds int32) func(*v1alpha1.SequentialJob) {
	return func(object *v1alpha1.SequentialJob) { object.Spec.TTLSecondsAfterFinished = new(seconds) }
}

var _ = Describe("ttlSecondsAfterFinished", func() {
	It("deletes a finished object", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build"}, keepFor(1))
		w.complete("build")
		w.gone()
	})

	It("deletes a failed object too, and immediately when it is 0", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build"}, keepFor(0))
		w.fail("build")
		w.gone()
	})

	It("may be set and raised afterwards", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build"}, keepFor(3600))
		w.complete("build")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
		w.atRest()
		w.edit(keepFor(0))
		w.gone()
	})

	It("deletes only the object that was seen, in the state that was seen", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create([]string{"build"}, keepFor(3600))
		w.complete("build")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
		w.atRest()

		// Between the operator's read and its delete, a user decides to keep the object.
		operator.requests.inject(&fault{verb: "delete", resource: "sequentialjobs", namespace: w.namespace, strike: func(send func() (*http.Response, error)) (*http.Response, error) {
			w.edit(keepFor(3600))
			return send()
		}})
		w.edit(keepFor(0))
		Eventually(operator.requests.pendingFaults).Should(BeZero())
		w.atRest()
		Expect(w.get().UID).To(Equal(object.UID))
		Expect(operator.requests.refused(w.namespace)).To(BeEmpty(), "the refused request went by the fault")
	})

	It("leaves a running object alone", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build"}, keepFor(0))
		w.job("build")
		w.atRest()
		w.complete("build")
		w.gone()
	})
})

var _ = Describe("An object that comes back under its old name", func() {
	It("is a new one, with a run of its own", func(ctx SpecContext) {
		w := newWorld(ctx)
		first := w.create([]string{"build"})
		w.complete("build")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
		Expect(admin.Delete(ctx, first)).To(Succeed())
		w.remove("build") // there is no garbage collector here
		w.create([]string{"build"})
		w.complete("build")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
	})

	It("also when the operator was down in between", func(ctx SpecContext) {
		w := newWorld(ctx)
		first := w.create([]string{"build", "test"})
		w.job("build")
		operator.whileDown(func() {
			Expect(admin.Delete(ctx, first, client.GracePeriodSeconds(0))).To(Succeed())
			w.remove("build")
			w.create([]string{"build"})
		})
		w.complete("build")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
	})
})
