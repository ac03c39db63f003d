package checks_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/lesson"
)

// played is a command of a lesson's text that judges another program by one check.
var played = regexp.MustCompile(`(?m)^make lesson-(\d+) test IMPL=(\S+) CHECK=(\S+)$`)

var _ = Describe("A program that a text plays fails the check that the text names:", func() {
	for _, l := range checks.Lessons() {
		text := must(os.ReadFile(filepath.Join(must(repo.Root()), l.Text())))
		for _, command := range played.FindAllStringSubmatch(string(text), -1) {
			It(command[0], func(ctx SpecContext) {
				by := lessonOf(must(strconv.Atoi(command[1])))
				candidate := admit(ctx, command[2], by.Kind)
				defer candidate.Release()
				came := verdicts(ctx, candidate, by, lesson.ID(command[3]))
				Expect(came[0].Findings).NotTo(BeEmpty())
			}, aLot)
		}
	}
})

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

var _ = It("The checks say nothing of a CRD that the API server refuses", func(ctx SpecContext) {
	_, blocked := tryToAdmit(ctx, "tests/checks/crds/testdata/refused", lessonOf(2).Kind)
	Expect(blocked).NotTo(BeNil())
	Expect(blocked.Check).To(Equal(finding.CheckCRD))
	Expect(blocked.What).To(And(
		ContainSubstring("testdata/refused"),
		ContainSubstring("\n  spec.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget"),
	))
}, aLot)
