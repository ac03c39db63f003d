// Package scene plays checks with a controller. It is the vocabulary of those checks: what users do, what the Job
// controller does, which faults strike, and which state the controller has to reach.
package scene

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/controller-course/tests/checks/script"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/stage"
	"example.com/controller-course/tests/lesson"
)

// Situations are a check that is played with a program. Each has a stage and a process of its own, so they can be played at the same time.
type Situations []func(*Scene)

// Play returns what is played with a program: one situation, or several that have nothing to do with each other.
func Play(situations ...func(*Scene)) Situations { return situations }

// Judges says that they can be played with any program.
func (s Situations) Judges(kind lesson.Kind) bool { return kind.IsProgram() && len(s) > 0 }

// Scene is where a check is played. Its methods act for others in the cluster, and wait for what the controller has
// to do. They end the check when something is wrong: then they don't return.
type Scene struct {
	*stage.Stage
	script.Script
	Beside  []string // the check's other namespaces
	check   lesson.ID
	around  surroundings
	reports bool // the status says how a run ended
	rests   []invariants.Interval
	armed   []armed // the check's faults, whether they have struck or not

	// own says whether the check is about a broken invariant, and may rewrite the finding; nil for never.
	own func(*finding.Finding) bool
	// program says what a program has to cope with, if the check is about whether it starts and keeps running then; else empty.
	program string
	// ownerless says that the Job that is waited for may be there, but no SequentialJob controls it.
	ownerless bool
	// told is added to each finding of the check; may be empty.
	told string
	// lost says why controllers stop retrying the request that is waited for; empty where none is.
	lost string
}

// New returns a scene on a stage, for a check, in a world. The last namespaces beside the run's own are the world's. Reports
// says that the controller's status must say how a run ended.
func New(ctx context.Context, on *stage.Stage, check lesson.ID, world worlds.World, reports bool) *Scene {
	own := len(on.Beside) - len(world.Namespaces)
	around := surroundings{world: world, namespaces: on.Beside[own:]}
	return &Scene{Stage: on, Script: script.New(ctx), Beside: on.Beside[:own], around: around, check: check, reports: reports}
}

// Run plays a situation of a check. The error is the judge's own.
func (s *Scene) Run(situation func(*Scene)) (script.Outcome, error) {
	outcome, err := script.Play(func() {
		situation(s)
		s.concludeWorld()
		s.conclude()
	})
	if outcome.NotJudged != "" || err != nil {
		until, broken := script.Play(s.conclude)
		if err = errors.Join(err, broken); len(until.Findings) > 0 {
			outcome, err = until, nil // what was wrong until then counts, and may be why the check can't go on
		}
	}
	if why := surprise(err); why != "" {
		outcome, err = script.Outcome{NotJudged: why}, nil
	}
	outcome.Findings = s.claim(outcome.Findings)
	if s.told != "" {
		for i := range outcome.Findings {
			outcome.Findings[i].What += "\n" + s.told
		}
	}
	return outcome, err
}

// Tell adds a text to whatever is found from now on.
func (s *Scene) Tell(text string) { s.told = text }

// In is the world in which the check is played.
func (s *Scene) In() worlds.World { return s.around.world }

// Reports says whether the status of a SequentialJob must say how its run ended.
func (s *Scene) Reports() bool { return s.reports }

// conclude checks the whole run against the check's rules once more. A check of which a fault has not struck has not
// tested what it should.
func (s *Scene) conclude() {
	s.WatchOver()
	frontier, err := s.Observer.Sync(s.Context())
	s.Must(err)
	violations, err := invariants.Check(s.Log.Run(), frontier, invariants.Options{Only: s.Rules, AtRest: len(s.rests) > 0, Rest: s.rests})
	s.Must(err)
	if findings := stage.Broken(s.Log.Run(), violations); len(findings) > 0 {
		s.End(findings...)
	}
	if fault, is := s.unmet(); is {
		s.NotJudged("%s", didNotStrike(fault))
	}
}

// Find ends the check with what is wrong.
func (s *Scene) Find(format string, args ...any) {
	s.FindAt(finding.Finding{What: fmt.Sprintf(format, args...)})
}

// FindAt ends the check with a finding.
func (s *Scene) FindAt(f finding.Finding) {
	if f.At == 0 {
		f.At = s.Log.Now()
	}
	s.End(f)
}

// FindRequests ends the check with what is wrong about some requests, at the moment when the first of them came.
func (s *Scene) FindRequests(requests []history.Request, format string, args ...any) {
	s.FindRequestsAt(requests[0].Received, requests, format, args...)
}

// FindRequestsAt is FindRequests with another moment, at which it shows that something is wrong.
func (s *Scene) FindRequestsAt(moment time.Duration, requests []history.Request, format string, args ...any) {
	f := finding.Finding{What: fmt.Sprintf(format, args...), At: moment}
	for _, request := range requests {
		f.Requests = append(f.Requests, request.ID)
	}
	s.FindAt(f)
}

// FindChange ends the check with what is wrong about an object after a change.
func (s *Scene) FindChange(change history.Change, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if repeated := finding.Repeated(s.Log.Run(), change); repeated != "" {
		what += "\n" + repeated
	}
	s.FindAt(finding.Finding{What: what, At: change.Seen, Changes: []uint64{change.ResourceVersion}})
}

// WatchOver ends the check if the controller has done something wrong.
func (s *Scene) WatchOver() {
	trouble, err := s.Trouble(s.Context())
	s.Must(err)
	if len(trouble) > 0 {
		s.End(trouble...)
	}
}
