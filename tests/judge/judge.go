// Package judge judges a lesson's code by the lesson's checks.
//
// A Bench has the control plane. It admits code, which then is a Candidate, and Judge plays checks with a
// candidate. What a lesson's code is (a program, an API) decides which bench it takes, and nothing else.
package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/controller-course/tests/checks/script"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/picture"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/lesson"
)

// Bench is a control plane on which code is judged, any number of times.
type Bench interface {
	// Admit builds code, so that it can be judged. What is made goes into dir, which nothing else may use. What
	// keeps the code from being judged at all is a finding.
	Admit(ctx context.Context, code Code, dir string) (Candidate, Took, *finding.Finding, error)

	// Close ends the control plane.
	Close() error
}

// Candidate is code that can be judged.
type Candidate interface {
	// Release lets the bench admit what could not be there at the same time. Nothing is judged afterwards.
	Release()

	// play plays a check, and says what it waits for when that takes long.
	play(ctx context.Context, l lesson.Lesson, check lesson.Check, world worlds.World, waiting func(missing string)) (played, error)
	parallel() int // how many checks are played at the same time
}

// played is the result of a check, and what happened meanwhile, if that was seen.
type played struct {
	script.Outcome
	run *history.Run
}

// Took says how long it took to admit code.
type Took struct {
	Building     time.Duration
	ControlPlane time.Duration // until it was up; 0 when it was up already
}

// Open returns a bench for lessons of a kind. Its control plane starts immediately, with its data in dir, and ends
// with ctx at the latest.
func Open(ctx context.Context, kind lesson.Kind, dir string) Bench {
	if kind.IsProgram() {
		return newPrograms(ctx, dir)
	}
	return newAPIs(ctx, dir)
}

// Verdict is the result of a check.
type Verdict struct {
	Check    lesson.Check
	World    worlds.World      // where it was played
	Findings []finding.Finding // none unless the code failed
	// NotJudged is what it would have needed for a verdict, in a sentence; empty when there is one.
	NotJudged string
	Seconds   float64

	// Explains says that it found something wrong with a request that the role does not allow: the request should
	// not be made, so allowing it is no cure.
	Explains bool
	// Broken is what the first finding was about before it became one of the check: an invariant, "panic"; empty for what
	// only the check looks for.
	Broken finding.Check

	worked bool // the controller got to work: its watches were up
}

// blocking is the finding by which no check can say anything; nil if there is none.
func (v Verdict) blocking() *finding.Finding {
	n := slices.IndexFunc(v.Findings, func(f finding.Finding) bool { return f.Check.Blocks() })
	if n < 0 {
		return nil
	}
	return &v.Findings[n]
}

// Passed says whether the code keeps the rule.
func (v Verdict) Passed() bool { return len(v.Findings) == 0 && v.NotJudged == "" }

// Reporting says what happens to verdicts.
type Reporting struct {
	Pictures string        // folder for the pictures of what went wrong; none are drawn where it is empty
	Done     func(Verdict) // receives each verdict, one at a time, as soon as it is there; may be nil

	// Again is the command that judges by a check again, in a world; may be nil.
	Again func(lesson.Check, worlds.World) string
	// Waiting receives what a check waits for when that takes long; may be nil. Several checks call it concurrently.
	Waiting func(check lesson.Check, missing string)

	// World chooses where a check is played; the plain world where it is nil.
	World func(lesson.Check) worlds.World
}

func (t Reporting) world(check lesson.Check) worlds.World {
	if t.World == nil {
		return worlds.Plain
	}
	return t.World(check)
}

// Spread chooses a world for each check of some. The seed decides, and checks in a row meet all of the worlds.
func Spread(checks []lesson.Check, in []worlds.World, seed uint64) func(lesson.Check) worlds.World {
	return func(check lesson.Check) worlds.World {
		n := slices.IndexFunc(checks, func(c lesson.Check) bool { return c.ID == check.ID })
		return worlds.Spread(in, seed, n)
	}
}

// errBlocked ends a judging in which no check can say anything.
var errBlocked = errors.New("nothing can be judged")

// Judge plays checks of a lesson with a candidate. The verdicts come in the order of the checks. If no check can
// say anything, there are none, and the finding says why. The error is the judge's own, or ctx's.
//
// A controller that got to work, and was then refused a request, may be explained by another check. So what blocks
// it counts only if no check does.
func Judge(ctx context.Context, candidate Candidate, l lesson.Lesson, chosen []lesson.Check, reporting Reporting) (
	verdicts []Verdict, blocked *finding.Finding, err error,
) {
	verdicts = make([]Verdict, len(chosen))
	var calling sync.Mutex
	var held []Verdict // that block, unless another one explains them
	done := func(verdict Verdict) {
		if reporting.Done != nil {
			reporting.Done(verdict)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(candidate.parallel())
	for i, check := range chosen {
		group.Go(func() (err error) {
			if verdicts[i], err = judge(ctx, candidate, l, check, reporting); err != nil {
				return fmt.Errorf("check %s: %w", check.ID, err)
			}
			calling.Lock()
			defer calling.Unlock()
			switch found := verdicts[i].blocking(); {
			case blocked != nil:
				return errBlocked
			case found == nil:
				done(verdicts[i])
			case verdicts[i].worked:
				held = append(held, verdicts[i])
			default:
				blocked = found
				return errBlocked
			}
			return nil
		})
	}
	err = group.Wait()
	if blocked != nil {
		return nil, blocked, nil
	}
	if len(held) > 0 && !slices.ContainsFunc(verdicts, func(v Verdict) bool { return v.Explains }) {
		return nil, held[0].blocking(), err
	}
	for _, verdict := range held {
		done(verdict)
	}
	return verdicts, nil, err
}

func judge(ctx context.Context, candidate Candidate, l lesson.Lesson, check lesson.Check, reporting Reporting) (Verdict, error) {
	began := time.Now()
	waiting := func(missing string) {
		if reporting.Waiting != nil {
			reporting.Waiting(check, missing)
		}
	}
	world := reporting.world(check)
	came, err := candidate.play(ctx, l, check, world, waiting)
	if err != nil {
		return Verdict{}, err
	}
	verdict := Verdict{Check: check, World: world, NotJudged: came.NotJudged, Seconds: time.Since(began).Seconds()}
	verdict.worked = came.run != nil && slices.ContainsFunc(came.run.Processes, func(p history.Process) bool { return p.UpToDate > 0 })
	if len(came.Findings) > 0 {
		verdict.Broken = came.Findings[0].Check
	}
	for _, f := range came.Findings {
		verdict.Explains = verdict.Explains || !f.Check.OfProgram() && came.run != nil && citesRefused(*came.run, f)
		verdict.Findings = append(verdict.Findings, reporting.complete(l, check, world, f, came.run))
	}
	if reporting.Pictures == "" || len(verdict.Findings) == 0 || came.run == nil {
		return verdict, nil
	}
	file := filepath.Join(reporting.Pictures, string(check.ID))
	for i := range verdict.Findings {
		f := &verdict.Findings[i]
		f.Picture = file + ".html"
		if f.Log != "" {
			f.Log += "\nAll of it is in " + repo.Short(file+".log") + "."
		}
	}
	return verdict, errors.Join(
		picture.Write(file+".html", *came.run, verdict.Findings, string(check.ID)+" "+check.Title),
		os.WriteFile(file+".log", []byte(finding.Printed(*came.run, came.run.Printed)+"\n"), 0o644))
}

// citesRefused says whether a finding is about a request that the role does not allow. Quotas and policies
// respond with 403 too, with other messages.
func citesRefused(run history.Run, f finding.Finding) bool {
	return slices.ContainsFunc(run.Requests, func(r history.Request) bool {
		_, byRole := finding.RefusedIn(r.Message)
		return r.Code == http.StatusForbidden && byRole && slices.Contains(f.Requests, r.ID)
	})
}

// complete makes what was found a finding of the check: under its title, with all that helps the reader.
func (t Reporting) complete(l lesson.Lesson, check lesson.Check, world worlds.World, f finding.Finding, run *history.Run) finding.Finding {
	if !f.Check.OfProgram() {
		about := check
		if id, is := f.Check.Invariant(); is {
			if about = l.About(id, check); about.ID == check.ID {
				f.Why = "" // the check's own says more about it
			}
		}
		f.Why = cmp.Or(f.Why, about.Why)
		f.Check, f.Title = finding.Check(check.ID), check.Title
		if f.Read == "" {
			f.Read = "#" + about.Section
		}
		f.Read = l.Text() + f.Read
	}
	if f.Check == finding.CheckRBAC && l.Role != "" {
		f.Read = l.Text() + "#" + l.Role
	}
	if t.Again != nil {
		f.Again = t.Again(check, world)
	}
	if !world.IsPlain() {
		f.World = fmt.Sprintf("%s: %s", world.Name, world.Says)
	}
	if f.When == "" && run != nil {
		const lines = 12
		f.When = finding.Excerpt(*run, f.At, lines)
	}
	if run != nil && (!f.Check.OfProgram() || f.Check == finding.CheckFlood) { // the others quote the log themselves
		const lines = 10
		f.Log = finding.Logged(*run, f, lines)
	}
	return f
}
