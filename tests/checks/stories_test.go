package checks_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"example.com/controller-course/tests/kit/finding"
)

var _ = It("The controller that lesson 1's text begins with fails as the text says", func(ctx SpecContext) {
	l := lessonOf(1)
	candidate := admit(ctx, "tests/mutants/lessons/01/naive", l.Kind)
	defer candidate.Release()
	came := verdicts(ctx, candidate, l, "1.6")
	Expect(came[0].Findings).NotTo(BeEmpty())
	Expect(came[0].Findings[0].What).To(ContainSubstring(`after all were deleted while your controller was not running`))
}, aLot)

var _ = It("The checks say nothing of a CRD that the API server refuses", func(ctx SpecContext) {
	_, blocked := tryToAdmit(ctx, "tests/checks/crds/testdata/refused", lessonOf(2).Kind)
	Expect(blocked).NotTo(BeNil())
	Expect(blocked.Check).To(Equal(finding.CheckCRD))
	Expect(blocked.What).To(And(
		ContainSubstring("testdata/refused"),
		ContainSubstring("\n  spec.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget"),
	))
}, aLot)
