package checks_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/kit/stage"
	"example.com/controller-course/tests/subject"
)

func TestChecks(t *testing.T) {
	log.SetLogger(GinkgoLogr)
	RegisterFailHandler(Fail)
	RunSpecs(t, "Checks")
}

var (
	root   string
	ground *stage.Ground
)

var _ = BeforeSuite(func() {
	var err error
	root, err = repo.Root()
	Expect(err).NotTo(HaveOccurred())
	finished, err := subject.Finished(GinkgoT().TempDir())
	Expect(err).NotTo(HaveOccurred())
	ground, err = stage.StartGround(context.Background(), finished.CRDs, GinkgoT().TempDir())
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(ground.Stop()).To(Succeed()) })
})

const (
	first = 3 // lesson in which a SequentialJob is run
	last  = 5

	aLot = 5 * time.Minute
)

var _ = DescribeTable("The checks let pass what is right, however it is built:",
	func(ctx SpecContext, source string, until int) {
		controller := admit(ctx, source)
		for n := first; n <= until; n++ {
			for _, verdict := range judge(ctx, controller, n) {
				Expect(verdict.Findings).To(BeEmpty(), "check %s", verdict.Check.ID)
			}
		}
	},
	Entry("the solution of lesson 3", SpecTimeout(aLot), "solutions/03-reconcile", 3),
	Entry("the solution of lesson 4", SpecTimeout(aLot), "solutions/04-conditions", 4),
	Entry("the solution of lesson 5", SpecTimeout(aLot), "solutions/05-observed-generation", 5),
	Entry("all in one place, fixed names, an index by owner", SpecTimeout(aLot), "tests/alternates/lesson03", 3),
	Entry("updates of the whole status, done over on a conflict", SpecTimeout(aLot), "tests/alternates/lesson04", 4),
	Entry("the finished operator", SpecTimeout(aLot), "sequentialjob", last),
	Entry("live reads only", SpecTimeout(aLot), "tests/alternates/recompute", last),
	Entry("controller-runtime's own read-your-writes, and server-side apply", SpecTimeout(aLot), "tests/alternates/read-your-writes", last),
)

// admit builds the controller in a folder and lets it act on the ground.
func admit(ctx SpecContext, source string) stage.Controller {
	GinkgoHelper()
	other, err := subject.Other(filepath.Join(root, source), GinkgoT().TempDir())
	Expect(err).NotTo(HaveOccurred())
	Expect(other.Build(ctx)).To(Succeed())
	controller, err := ground.Admit(ctx, other.Binary, other.Roles)
	Expect(err).NotTo(HaveOccurred())
	return controller
}

func judge(ctx SpecContext, controller stage.Controller, number int, ids ...string) []checks.Verdict {
	GinkgoHelper()
	lesson, err := checks.Of(number)
	Expect(err).NotTo(HaveOccurred())
	chosen, err := lesson.Choose(ids...)
	Expect(err).NotTo(HaveOccurred())
	verdicts, err := checks.Judge(ctx, lesson, chosen, checks.Options{Ground: ground, Controller: controller})
	Expect(err).NotTo(HaveOccurred())
	return verdicts
}
