package e2e_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

var _ = Describe("A run of the finished operator", func() {
	BeforeEach(setTheScene, NodeTimeout(time.Minute))

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
