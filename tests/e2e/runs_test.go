package e2e_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/kinds"
)

var _ = Describe("A run of the finished operator", func() {
	BeforeEach(setTheScene, NodeTimeout(time.Minute))

	It("goes on after a failing step that it may go on after", func(ctx SpecContext) {
		run := aSequence("run", "--exit-code=1", "")
		run.Spec.Steps[0].OnFailure = v1alpha1.FailurePolicyContinue
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitStanding(ctx, run, "one=Failed two=Succeeded Succeeded=True", v1alpha1.ReasonStepsFailed)
		on.eachOnce(ctx, "one", "two")
	}, SpecTimeout(2*time.Minute))

	It("goes with its Jobs and pods when its time to live is over", func(ctx SpecContext) {
		run := aSequence("run", "")
		run.Spec.TTLSecondsAfterFinished = ptr.To[int32](2)
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitNothing(ctx)
		on.eachOnce(ctx, "one")
	}, SpecTimeout(3*time.Minute))

	It("is stopped at its deadline", func(ctx SpecContext) {
		run := aSequence("run", "--sleep=10m", "")
		run.Spec.ActiveDeadlineSeconds = ptr.To[int64](5)
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitStanding(ctx, run, "one=Failed two=Skipped Succeeded=False", v1alpha1.ReasonDeadlineExceeded)
		Expect(kinds.Names(ctx, server, on.namespace, kinds.SequentialJob, kinds.Job, kinds.Pod)).To(ConsistOf("SequentialJob run"))
	}, SpecTimeout(2*time.Minute))

	It("gets no further than its namespace's Pod Security lets it", func(ctx SpecContext) {
		run := aSequence("run", "")
		run.Spec.Steps[0].JobTemplate.Spec.Template.Spec.Containers[0].SecurityContext = nil
		run.Spec.ActiveDeadlineSeconds = ptr.To[int64](4)
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitStanding(ctx, run, "one=Failed Succeeded=False", v1alpha1.ReasonDeadlineExceeded)
		on.jobsWere(ctx, "one")
		on.podsWere(ctx)
	}, SpecTimeout(2*time.Minute))
})
