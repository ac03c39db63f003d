package checks

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/picture"
	"example.com/controller-course/tests/kit/stage"
)

// Verdict is what came of a check.
type Verdict struct {
	Check    Check
	Findings []finding.Finding // none when the controller passed
	Skipped  string            // why it could not be judged; empty when it was
	Seconds  float64

	run history.Run
}

// Passed says whether the controller keeps the rule.
func (v Verdict) Passed() bool { return len(v.Findings) == 0 && v.Skipped == "" }

// Options tell how to judge.
type Options struct {
	Ground     *stage.Ground
	Controller stage.Controller
	Pictures   string             // folder for the pictures of what went wrong; none are drawn where it is empty
	Again      func(Check) string // the command that plays a check again; may be nil
	Done       func(Verdict)      // is told of each verdict, one at a time, as soon as it is there; may be nil
}

// patience is how long a controller may need for what it has to do, after the last thing that happened to
// it: more than its longest wait before a retry.
const patience = 10 * time.Second

// Judge plays checks of a lesson with a controller. The verdicts come in the order of the checks. The error
// is the judge's own, or ctx's.
func Judge(ctx context.Context, lesson Lesson, chosen []Check, options Options) ([]Verdict, error) {
	verdicts := make([]Verdict, len(chosen))
	var telling sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce())
	for i, check := range chosen {
		group.Go(func() (err error) {
			if verdicts[i], err = options.play(ctx, lesson, check); err != nil {
				return fmt.Errorf("check %s: %w", check.ID, err)
			}
			if options.Done != nil {
				telling.Lock()
				defer telling.Unlock()
				options.Done(verdicts[i])
			}
			return nil
		})
	}
	return verdicts, group.Wait()
}

// atOnce is how many checks are played at the same time. They wait most of the time.
func atOnce() int { return 6 * runtime.NumCPU() }

// play plays one check.
func (o Options) play(ctx context.Context, lesson Lesson, check Check) (verdict Verdict, err error) {
	began := time.Now()
	opened, err := o.Ground.Open(ctx, stage.Options{
		Controller: o.Controller, Patience: patience, Rules: rulesOf(check), Confined: true, Others: check.Others,
		Prompt: lesson.Number < staleReads,
	})
	if err != nil {
		return Verdict{}, err
	}
	defer func() {
		if closeErr := opened.Close(context.WithoutCancel(ctx)); err == nil {
			err = closeErr
		}
	}()
	scene := &Scene{Stage: opened, ctx: ctx}
	verdict = Verdict{Check: check}
	verdict.Findings, verdict.Skipped, err = scene.play(check)
	if err != nil {
		return Verdict{}, err
	}
	verdict.run = opened.Log.Run()
	verdict.Findings = scene.claim(verdict.Findings)
	verdict.Seconds = time.Since(began).Seconds()
	return verdict, o.finish(lesson, &verdict)
}

// staleReads is the lesson from which on controllers have to cope with a cache that does not show their
// own writes yet.
const staleReads = 8

// rulesOf are the invariants of a check, which may be none; nil would stand for all.
func rulesOf(check Check) []invariants.ID {
	rules := []invariants.ID{}
	for _, id := range check.Rules {
		rules = append(rules, invariants.ID(id))
	}
	return rules
}

// finish makes of what was found the check's findings: under its title, with all that helps to go on.
func (o Options) finish(lesson Lesson, verdict *Verdict) error {
	check := verdict.Check
	for i := range verdict.Findings {
		f := &verdict.Findings[i]
		if !f.Check.OfProgram() {
			about := aboutOf(f.Check, check, lesson)
			if about.ID == check.ID {
				f.Why = check.Why
			} else if f.Why == "" {
				f.Why = about.Why
			}
			f.Check, f.Title = finding.Check(check.ID), check.Title
			f.Read = lesson.Text() + "#" + about.Section
		}
		if o.Again != nil {
			f.Again = o.Again(check)
		}
		if f.When == "" {
			f.When = finding.Excerpt(verdict.run, f.At, excerpt)
		}
	}
	if o.Pictures == "" || len(verdict.Findings) == 0 {
		return nil
	}
	file := filepath.Join(o.Pictures, check.ID+".html")
	for i := range verdict.Findings {
		verdict.Findings[i].Picture = file
	}
	return picture.Write(file, verdict.run, verdict.Findings, check.ID+" "+check.Title)
}

// claim makes the check's own what it is about of the invariants that were broken. Then its own reason and
// its own section are told, and not those of the check that the invariant is at home in. One thing may break
// several invariants; it is told once.
func (s *Scene) claim(findings []finding.Finding) []finding.Finding {
	var all []finding.Finding
	for _, f := range findings {
		if s.own != nil && f.Check != "" && !f.Check.OfProgram() && s.own(&f) {
			f.Check = ""
			if slices.ContainsFunc(all, func(other finding.Finding) bool { return other.What == f.What }) {
				continue
			}
		}
		all = append(all, f)
	}
	return all
}

// fromHere says that what is broken from now on is what the check is about, until untilHere is called.
func (s *Scene) fromHere() (untilHere func()) {
	before, from, to := s.own, s.Log.Now(), time.Duration(math.MaxInt64)
	s.own = func(f *finding.Finding) bool {
		return f.At >= from && f.At <= to || before != nil && before(f)
	}
	return func() { to = s.Log.Now() }
}

// homes are the checks of lesson 3 that are about an invariant. Others hold controllers to it too.
var homes = map[finding.Check]string{"I1": "3.2", "I2": "3.2", "I3": "3.5", "I4": "3.3", "I8": "3.4", "I9": "3.9"}

// aboutOf is the check of the lesson that is about what was found: the one that was played unless an
// invariant was broken that another one is about.
func aboutOf(rule finding.Check, played Check, lesson Lesson) Check {
	if about, err := lesson.Choose(homes[rule]); err == nil {
		return about[0]
	}
	return played
}

// excerpt is how many lines of what happened a finding shows.
const excerpt = 12
