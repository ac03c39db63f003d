package checks_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/kit/share"
	"example.com/controller-course/tests/lesson"
)

func TestChecks(t *testing.T) {
	log.SetLogger(GinkgoLogr)
	RegisterFailHandler(Fail)
	RunSpecs(t, "Checks")
}

var (
	root    string
	dir     string // for what the benches make
	benches = map[lesson.Kind]judge.Bench{}
)

var _ = BeforeSuite(func() {
	var err error
	root, err = repo.Root()
	Expect(err).NotTo(HaveOccurred())
	dir = GinkgoT().TempDir()
	Expect(lesson.Verify(checks.Lessons(), root)).To(BeEmpty())
})

var _ = AfterSuite(func() {
	for _, bench := range benches {
		Expect(bench.Close()).To(Succeed())
	}
})

// What failed is said again at the end, in a line each: the reports are far above.
var _ = ReportAfterSuite("What failed", func(report Report) {
	for _, spec := range report.SpecReports {
		if message, _, _ := strings.Cut(spec.FailureMessage(), "\n"); spec.Failed() { // skipped specs have messages too
			fmt.Printf("%s: %s\n", spec.FullText(), message)
		}
	}
})

// bench is where code of a kind is judged. It stays open for the specs to come.
func bench(kind lesson.Kind) judge.Bench {
	if kind.IsProgram() {
		kind = lesson.Controller // one control plane serves both kinds of programs
	}
	if benches[kind] == nil {
		benches[kind] = judge.Open(context.Background(), kind, filepath.Join(dir, strings.ReplaceAll(string(kind), " ", "-")))
	}
	return benches[kind]
}

// aLot ends what hangs. It decides nothing else.
const aLot = NodeTimeout(20 * time.Minute)

// complete are controllers of several designs that do all that any lesson asks for, except these.
var complete = map[string][]int{
	"sequentialjob":                     nil,
	"tests/alternates/read-your-writes": {9, 10}, // it knows no Workspaces
	"tests/alternates/recompute":        {7},     // it trusts no cache, so each of its reconciles costs requests
}

var _ = Describe("The checks let pass what is right, however it is built:", func() {
	var controllers []int
	for _, l := range checks.Lessons() {
		if l.Kind == lesson.Controller {
			controllers = append(controllers, l.Number)
		}
		alternates, err := filepath.Glob(fmt.Sprintf("../alternates/lesson%02d*", l.Number)) // "lesson03-fixed-names"
		if err != nil {
			panic(err)
		}
		for _, source := range append([]string{filepath.Join("../..", l.Solution())}, alternates...) {
			source = filepath.Join("tests/checks", source) // from the repository's root
			It(fmt.Sprintf("lesson %d, %s", l.Number, source), func(ctx SpecContext) {
				passes(ctx, source, l)
			}, aLot)
		}
	}
	for _, source := range slices.Sorted(maps.Keys(complete)) {
		It(source, func(ctx SpecContext) {
			candidate := admit(ctx, source, lesson.Controller)
			defer candidate.Release()
			for _, number := range controllers {
				if slices.Contains(complete[source], number) {
					continue
				}
				var chosen []lesson.ID // all, where none is named
				if number != last().Number {
					chosen = ofEarlier(ctx, lessonOf(number))
				}
				passesIn(ctx, worlds.Plain, candidate, lessonOf(number), chosen...)
			}
		}, aLot)
	}
	for _, l := range checks.Lessons() {
		if !l.Kind.IsProgram() {
			continue
		}
		It(fmt.Sprintf("lesson %d, a client that lists before it watches", l.Number), func(ctx SpecContext) {
			inTurn(ctx, l)
			GinkgoT().Setenv("KUBE_FEATURE_WatchListClient", "false") // as client-go did before, and other clients do
			candidate := admit(ctx, l.Solution(), l.Kind)
			defer candidate.Release()
			passesIn(ctx, must(worlds.Find(l.Kind, "hard")), candidate, l) // where reads fail
		}, aLot)
	}
	for _, seed := range []int{2, 3, 4} {
		It(fmt.Sprintf("lesson 2, the reference, to which the manifests of the seed %d are no news", seed), func(ctx SpecContext) {
			candidate := admit(ctx, "sequentialjob/api/v1alpha1", lesson.API)
			defer candidate.Release()
			for _, verdict := range verdictsIn(ctx, must(worlds.Find(lesson.API, fmt.Sprint("generated-", seed))), candidate, lessonOf(2)) {
				Expect(verdict.Findings).To(BeEmpty(), "check %s", verdict.Check.ID)
			}
		}, aLot)
	}
	It("lesson 2, the reference, which does not say how its CRD is made", func(ctx SpecContext) {
		passes(ctx, "sequentialjob/api/v1alpha1", lessonOf(2))
	}, aLot)
})

func lessonOf(number int) lesson.Lesson {
	GinkgoHelper()
	l, err := checks.Of(number)
	Expect(err).NotTo(HaveOccurred())
	return l
}

// last is the last lesson of the course.
func last() lesson.Lesson {
	all := checks.Lessons()
	return all[len(all)-1]
}

// passes judges the code in a folder by the checks of its lesson, which it has to pass: a solution in one more world than the plain one, if it is
// its turn. It plays a share of the checks of earlier lessons.
func passes(ctx SpecContext, source string, l lesson.Lesson) {
	GinkgoHelper()
	candidate := admit(ctx, source, l.Kind)
	defer candidate.Release()
	for _, number := range l.HeldTo {
		passesIn(ctx, worlds.Plain, candidate, lessonOf(number), ofEarlier(ctx, lessonOf(number))...)
	}
	in := []worlds.World{worlds.Plain}
	if filepath.Clean(source) == l.Solution() && isTurn(ctx, l) {
		others := worlds.Of(l.Kind)[1:]
		in = append(in, shareOf(ctx, others, len(others))...)
	}
	for _, world := range in {
		passesIn(ctx, world, candidate, l)
	}
}

// ofEarlier are the checks of an earlier lesson by which the code of a later one is judged: one in three. Otherwise each lesson would
// make these specs longer by as many lessons as it has before it.
func ofEarlier(ctx context.Context, l lesson.Lesson) (ids []lesson.ID) {
	GinkgoHelper()
	const of = 3
	for _, check := range shareOf(ctx, l.Checks, of) {
		ids = append(ids, check.ID)
	}
	return ids
}

// isTurn says whether it is a lesson's turn: one in three has it, others with each commit.
func isTurn(ctx context.Context, l lesson.Lesson) bool {
	GinkgoHelper()
	return slices.ContainsFunc(shareOf(ctx, checks.Lessons(), 3), func(one lesson.Lesson) bool { return one.Number == l.Number })
}

// inTurn skips a spec about a lesson unless it is the lesson's turn.
func inTurn(ctx context.Context, l lesson.Lesson) {
	GinkgoHelper()
	if !isTurn(ctx, l) {
		Skip("it is the turn of other lessons with this commit; SHARES=all runs all of them")
	}
}

// shareOf is one in so many, others with each commit; with the environment variable SHARES=all it is all of them.
func shareOf[T any](ctx context.Context, all []T, of int) []T {
	GinkgoHelper()
	if os.Getenv("SHARES") == "all" {
		return all
	}
	return must(share.Of(ctx, all, of))
}

// passesIn judges a candidate by the checks of a lesson in a world, all of them where none is named. It has to pass them.
func passesIn(ctx SpecContext, world worlds.World, candidate judge.Candidate, l lesson.Lesson, ids ...lesson.ID) {
	GinkgoHelper()
	for _, verdict := range verdictsIn(ctx, world, candidate, l, ids...) {
		Expect(verdict.Findings).To(BeEmpty(), "check %s in the world %s: %s", verdict.Check.ID, world.Name, brief(verdict.Findings))
		Expect(verdict.NotJudged).To(BeEmpty(), "check %s in the world %s: %s", verdict.Check.ID, world.Name, verdict.NotJudged)
	}
}

// brief is what has been found, on a line.
func brief(findings []finding.Finding) string {
	var all []string
	for _, f := range findings {
		all = append(all, strings.Join(strings.Fields(f.What), " "))
	}
	return strings.Join(all, "; ")
}

// admit builds the code in a folder.
func admit(ctx SpecContext, source string, kind lesson.Kind) judge.Candidate {
	GinkgoHelper()
	candidate, blocked := tryToAdmit(ctx, source, kind)
	Expect(blocked).To(BeNil())
	return candidate
}

func tryToAdmit(ctx SpecContext, source string, kind lesson.Kind) (judge.Candidate, *finding.Finding) {
	GinkgoHelper()
	candidate, _, blocked, err := bench(kind).Admit(ctx, judge.Code{Folder: filepath.Join(root, source)}, GinkgoT().TempDir())
	noError(err)
	return candidate, blocked
}

// verdicts judges by checks of a lesson in the plain world; by all of them where none is named.
func verdicts(ctx SpecContext, candidate judge.Candidate, l lesson.Lesson, ids ...lesson.ID) []judge.Verdict {
	GinkgoHelper()
	return verdictsIn(ctx, worlds.Plain, candidate, l, ids...)
}

func verdictsIn(ctx SpecContext, world worlds.World, candidate judge.Candidate, l lesson.Lesson, ids ...lesson.ID) []judge.Verdict {
	GinkgoHelper()
	chosen, err := l.Choose(ids...)
	Expect(err).NotTo(HaveOccurred())
	verdicts, blocked, err := judge.Judge(ctx, candidate, l, worlds.Concerned(chosen, []worlds.World{world}), judge.Reporting{
		World: func(lesson.Check) worlds.World { return world },
	})
	noError(err)
	Expect(blocked).To(BeNil())
	return verdicts
}

// noError fails with an error of the judge's own, on the line that a summary shows.
func noError(err error) {
	GinkgoHelper()
	if err != nil {
		Fail("the judge could not go on: " + strings.Join(strings.Fields(err.Error()), " "))
	}
}
