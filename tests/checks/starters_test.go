package checks_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"example.com/controller-course/tests/checks"
)

var update = flag.Bool("update", false, "write down what the checks say of the starters, instead of comparing")

var _ = DescribeTable("A starter fails each check of its lesson for the reason that is written down, and passes the earlier ones:",
	func(ctx SpecContext, number int) {
		lesson, err := checks.Of(number)
		Expect(err).NotTo(HaveOccurred())
		source := filepath.Join("lessons", lesson.Slug)
		var verdicts []checks.Verdict
		if number == 2 {
			verdicts, err = checks.JudgeAPI(ctx, lesson, lesson.Checks, checks.APIOptions{
				Source: filepath.Join(root, source), Dir: GinkgoT().TempDir(),
			})
			Expect(err).NotTo(HaveOccurred())
		} else {
			controller := admit(ctx, source)
			verdicts = judge(ctx, controller, number)
			for earlier := first; earlier < number; earlier++ {
				for _, verdict := range judge(ctx, controller, earlier) {
					Expect(verdict.Findings).To(BeEmpty(), "check %s", verdict.Check.ID)
				}
			}
		}
		var said strings.Builder
		for _, verdict := range verdicts {
			Expect(verdict.Findings).NotTo(BeEmpty(), "the starter passes check %s", verdict.Check.ID)
			fmt.Fprintf(&said, "%s\n%s\n\n", verdict.Findings[0].Check, masked(verdict.Findings[0].What))
		}
		file := filepath.Join("testdata", "starters", lesson.Slug+".txt")
		if *update {
			Expect(os.WriteFile(file, []byte(said.String()), 0o644)).To(Succeed())
		}
		want, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		Expect(said.String()).To(Equal(string(want)), "go test ./tests/checks -update writes %s", file)
	},
	Entry("lesson 1", SpecTimeout(aLot), 1),
	Entry("lesson 2", SpecTimeout(aLot), 2),
	Entry("lesson 3", SpecTimeout(aLot), 3),
	Entry("lesson 4", SpecTimeout(aLot), 4),
	Entry("lesson 5", SpecTimeout(aLot), 5),
)

// What differs from run to run.
var (
	generated = regexp.MustCompile(`(fetch|build|ship)-[a-z0-9]{5}\b`)
	uid       = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)
	times     = regexp.MustCompile(`\d+(\.\d+)? s\b|\d{4}-\d\d-\d\dT[\d:]+Z`)
	numbers   = regexp.MustCompile(`resourceVersion \d+|\brun-\d+`)
)

func masked(text string) string {
	text = generated.ReplaceAllString(text, "$1-xxxxx")
	text = uid.ReplaceAllString(text, "<uid>")
	text = times.ReplaceAllString(text, "<time>")
	return numbers.ReplaceAllString(text, "<number>")
}
