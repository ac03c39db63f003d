package checks_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = DescribeTable("The checks of lesson 1 let pass what is right, however it is built:",
	func(ctx SpecContext, source string) {
		for _, verdict := range judge(ctx, admit(ctx, source), 1) {
			Expect(verdict.Findings).To(BeEmpty(), "check %s", verdict.Check.ID)
		}
	},
	Entry("the solution", SpecTimeout(aLot), "solutions/01-control-loop"),
	Entry("controller-runtime and server-side apply", SpecTimeout(aLot), "tests/alternates/lesson01-runtime"),
	Entry("no workqueue, no listers, a worker for each namespace", SpecTimeout(aLot), "tests/alternates/lesson01-worker-each"),
)

var _ = It("The controller that lesson 1's text begins with fails as the text says", SpecTimeout(aLot), func(ctx SpecContext) {
	verdicts := judge(ctx, admit(ctx, "tests/mutants/lessons/01/naive"), 1, "1.6")
	Expect(verdicts[0].Findings).NotTo(BeEmpty())
	Expect(verdicts[0].Findings[0].What).To(ContainSubstring(`after all were deleted while your controller was not running`))
})
