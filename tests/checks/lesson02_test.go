package checks_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"example.com/controller-course/scripts/lessons"
	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/kit/cluster"
)

var _ = Describe("The checks of an API", Ordered, func() {
	var served *cluster.Cluster

	BeforeAll(func() {
		var err error
		served, err = cluster.Start(context.Background(), cluster.Options{Dir: GinkgoT().TempDir()})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { Expect(served.Stop()).To(Succeed()) })
	})

	judgeAPI := func(ctx SpecContext, source string) ([]checks.Verdict, error) {
		lesson, err := checks.Of(2)
		Expect(err).NotTo(HaveOccurred())
		return checks.JudgeAPI(ctx, lesson, lesson.Checks, checks.APIOptions{
			Source: filepath.Join(root, source), Dir: GinkgoT().TempDir(), Cluster: served,
		})
	}

	DescribeTable("let pass what is right, however it is written:",
		func(ctx SpecContext, source string) {
			verdicts, err := judgeAPI(ctx, source)
			Expect(err).NotTo(HaveOccurred())
			for _, verdict := range verdicts {
				Expect(verdict.Findings).To(BeEmpty(), "check %s", verdict.Check.ID)
			}
		},
		Entry("the solution", SpecTimeout(aLot), "solutions/02-api"),
		Entry("the reference, which does not say how its CRD is made", SpecTimeout(aLot), "sequentialjob/api/v1alpha1"),
		Entry("other types, patterns, and rules in other places", SpecTimeout(aLot), "tests/alternates/lesson02-other"),
	)

	It("say nothing of a CRD that the API server refuses", func(ctx SpecContext) {
		_, err := judgeAPI(ctx, "tests/checks/internal/crds/testdata/refused")
		var unjudgeable *checks.UnjudgeableError
		Expect(errors.As(err, &unjudgeable)).To(BeTrue(), "%v", err)
		Expect(unjudgeable.Finding.Check).To(Equal("crd"))
		Expect(unjudgeable.Finding.What).To(And(
			ContainSubstring("testdata/refused"),
			ContainSubstring("\n  spec.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget"),
		))
	}, SpecTimeout(aLot))
})

var _ = Describe("The solution of lesson 2", func() {
	It("is the API that the other lessons use", func() {
		solution, err := lessons.Stripped(filepath.Join(root, "solutions", "02-api"))
		Expect(err).NotTo(HaveOccurred())
		for _, file := range []string{"doc.go", "sequentialjob_types.go"} {
			reference, err := os.ReadFile(filepath.Join(root, "sequentialjob", "api", "v1alpha1", file))
			Expect(err).NotTo(HaveOccurred())
			Expect(string(solution[file])).To(Equal(string(reference)), file)
		}
	})

	It("has its CRD made as that of the other lessons is made", func() {
		script, err := os.ReadFile(filepath.Join(root, "scripts", "generate.sh"))
		Expect(err).NotTo(HaveOccurred())
		line, err := os.ReadFile(filepath.Join(root, "solutions", "02-api", "generate.go"))
		Expect(err).NotTo(HaveOccurred())
		option := wordThatBegins(string(script), "crd:")
		Expect(option).NotTo(BeEmpty())
		Expect(wordThatBegins(string(line), "crd:")).To(Equal(option))
	})
})

func wordThatBegins(text, prefix string) string {
	for word := range strings.FieldsSeq(text) {
		if strings.HasPrefix(word, prefix) {
			return word
		}
	}
	return ""
}
