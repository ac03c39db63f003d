// Package hunt tries wrong controllers: each has to be caught by the check, or by the plan of the campaign, that is
// named for it.
package hunt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/share"
	"example.com/controller-course/tests/lesson"
	"example.com/controller-course/tests/mutants"
)

// Catch is the result of trying a wrong version of a lesson's solution.
type Catch struct {
	Trial
	Verdicts []judge.Verdict // of the trial's checks and, if it is whole, of some of those that the lesson is held to
}

// Outcomes say of each check that was played whether the mutant has failed it. One that could not judge the mutant has found nothing wrong.
func (c Catch) Outcomes() map[string]bool {
	outcomes := map[string]bool{}
	for _, verdict := range c.Verdicts {
		outcomes[string(verdict.Check.ID)] = len(verdict.Findings) > 0
	}
	return outcomes
}

// Failed are the checks that the mutant failed; also the one that must catch it and did so before, where it was not played again.
func (c Catch) Failed() []string {
	var failed []string
	if by := c.Mutant.CaughtBy.Check; !slices.Contains(c.Checks, lesson.ID(by)) {
		failed = append(failed, by)
	}
	for _, verdict := range c.Verdicts {
		if len(verdict.Findings) > 0 {
			failed = append(failed, string(verdict.Check.ID))
		}
	}
	return failed
}

// Wrong says what is not as the mutant says; it is empty when the check that is named has caught it, and no other one that isn't named.
func (c Catch) Wrong() string {
	for _, verdict := range c.Verdicts {
		if string(verdict.Check.ID) == c.Mutant.CaughtBy.Check && verdict.NotJudged != "" {
			return fmt.Sprintf("check %s could not judge it: %s", verdict.Check.ID, verdict.NotJudged)
		}
	}
	return unlike(c.Mutant, c.Failed())
}

// Unnamed is what checks have found that the mutant does not name. They may be wrong about it.
func (c Catch) Unnamed() (findings []finding.Finding) {
	unnamed := unnamedOf(c.Mutant, c.Failed())
	for _, verdict := range c.Verdicts {
		if slices.Contains(unnamed, string(verdict.Check.ID)) {
			findings = append(findings, verdict.Findings...)
		}
	}
	return findings
}

// unlike says in what a mutant that fails some checks is not as its file says; empty if it is.
func unlike(mutant mutants.Mutant, failed []string) string {
	if !slices.Contains(failed, mutant.CaughtBy.Check) {
		return fmt.Sprintf("check %s did not catch it", mutant.CaughtBy.Check)
	}
	if others := unnamedOf(mutant, failed); len(others) > 0 {
		return "it failed also " + strings.Join(others, ", ")
	}
	return ""
}

// unnamedOf are the checks that a mutant's file does not name, of some that it failed.
func unnamedOf(mutant mutants.Mutant, failed []string) []string {
	named := slices.Concat([]string{mutant.CaughtBy.Check}, mutant.AlsoBy, mutant.Earlier)
	return slices.DeleteFunc(slices.Clone(failed), func(id string) bool { return slices.Contains(named, id) })
}

// Parallel is how many wrong versions of a solution are judged at the same time. Most of the time they wait for
// what a wrong version does not do, so six keep two processors busy. But the programs of lesson 1 leave no time to wait.
func Parallel(kind lesson.Kind) int {
	if kind == lesson.Controller {
		return 6
	}
	return 1
}

// Lessons judges wrong versions of solutions. What is made goes into dir. Done receives each, one at a time.
func Lessons(ctx context.Context, dir string, trials []Trial, done func(Catch)) error {
	var printing sync.Mutex
	for _, kind := range []lesson.Kind{lesson.Controller, lesson.ClientProgram, lesson.API} {
		var ofKind []Trial
		for _, trial := range trials {
			of, err := checks.Of(trial.Mutant.Lesson)
			if err != nil {
				return fmt.Errorf("%s: %w", trial.Mutant, err)
			}
			if of.Kind == kind {
				ofKind = append(ofKind, trial)
			}
		}
		if len(ofKind) == 0 {
			continue
		}
		err := huntKind(ctx, kind, filepath.Join(dir, strings.ReplaceAll(string(kind), " ", "-")), ofKind, func(catch Catch) {
			printing.Lock()
			defer printing.Unlock()
			done(catch)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// huntKind tries mutants of one kind, on one control plane.
func huntKind(ctx context.Context, kind lesson.Kind, dir string, trials []Trial, done func(Catch)) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	bench := judge.Open(ctx, kind, dir)
	defer func() {
		if err != nil {
			cancel() // the control plane may still be starting
		}
		err = errors.Join(err, bench.Close())
	}()
	group, trying := errgroup.WithContext(ctx)
	group.SetLimit(Parallel(kind))
	for _, trial := range trials {
		group.Go(func() error {
			verdicts, err := try(trying, bench, trial, filepath.Join(dir, trial.Mutant.ID))
			if err != nil {
				return fmt.Errorf("%s: %w", trial.Mutant, err)
			}
			done(Catch{trial, verdicts})
			return nil
		})
	}
	return group.Wait()
}

// try judges one mutant.
func try(ctx context.Context, bench judge.Bench, trial Trial, dir string) (verdicts []judge.Verdict, err error) {
	defer os.RemoveAll(dir) // each program is some 40 MB
	source := filepath.Join(dir, "source")
	if err := trial.Mutant.Copy(source); err != nil {
		return nil, err
	}
	candidate, _, blocked, err := bench.Admit(ctx, judge.Code{Folder: source}, filepath.Join(dir, "work"))
	if err != nil {
		return nil, err
	}
	if blocked != nil {
		return nil, fmt.Errorf("it can't be judged: %s", blocked.What)
	}
	defer candidate.Release()
	own, err := checks.Of(trial.Mutant.Lesson)
	if err != nil {
		return nil, err
	}
	chosen, err := own.Choose(trial.Checks...)
	if err != nil {
		return nil, err
	}
	if trial.Mutant.World != "" {
		return tryIn(ctx, candidate, own, chosen, trial.Mutant.World)
	}
	if trial.Whole {
		for _, l := range own.Earlier() {
			came, err := judged(ctx, candidate, l, ofEarlier(trial.Mutant, l, 2*len(own.Earlier())))
			if err != nil {
				return nil, err
			}
			verdicts = append(verdicts, came...)
		}
	}
	came, err := judged(ctx, candidate, own, chosen)
	return append(verdicts, came...), err
}

// judged judges a mutant by checks of a lesson.
func judged(ctx context.Context, candidate judge.Candidate, l lesson.Lesson, chosen []lesson.Check) ([]judge.Verdict, error) {
	verdicts, blocked, err := judge.Judge(ctx, candidate, l, chosen, judge.Reporting{})
	if err == nil && blocked != nil {
		err = fmt.Errorf("it can't be judged by lesson %d: %s", l.Number, blocked.What)
	}
	return verdicts, err
}

// ofEarlier are the checks of an earlier lesson by which a mutant is judged: those that it names, and one in so many of the others,
// not the same ones for each mutant. All earlier lessons together have half as many as one of them, so a mutant's proof does not take
// longer with each lesson. Generated runs don't count unless they are named; see Failed.
func ofEarlier(mutant mutants.Mutant, l lesson.Lesson, of int) []lesson.Check {
	var named, others []lesson.Check
	for _, check := range l.Checks {
		switch {
		case slices.Contains(mutant.Earlier, string(check.ID)):
			named = append(named, check)
		case !checks.IsGenerated(check.ID):
			others = append(others, check)
		}
	}
	return append(named, share.By([]byte(mutant.ID), others, of)...)
}

// tryIn judges a mutant in its world, by the check that must catch it there.
func tryIn(ctx context.Context, candidate judge.Candidate, l lesson.Lesson, chosen []lesson.Check, name string) ([]judge.Verdict, error) {
	world, err := worlds.Find(l.Kind, name)
	if err != nil {
		return nil, err
	}
	verdicts, blocked, err := judge.Judge(ctx, candidate, l, chosen, judge.Reporting{World: func(lesson.Check) worlds.World { return world }})
	if blocked != nil { // a panic, for instance
		verdicts = []judge.Verdict{{Check: chosen[0], Findings: []finding.Finding{*blocked}}}
	}
	return verdicts, err
}
