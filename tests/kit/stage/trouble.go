package stage

import (
	"context"
	"math"
	"net/http"
	"slices"
	"time"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/process"
)

// Trouble says what is wrong with the controller by now, if anything: its process has ended, it floods
// the API server, its watches don't come up, it has broken a rule.
func (s *Stage) Trouble(ctx context.Context) ([]finding.Finding, error) {
	instance, running, killed := s.Current()
	if running == nil {
		return nil, nil
	}
	run := s.Log.Run()
	select {
	case <-running.Ended():
		if !killed {
			s.ended(instance, running.Outcome().How)
			if refused, ok := finding.Refused(run); ok {
				return s.Found(refused), nil
			}
			return s.Found(finding.Ended(running, run.Processes[instance-1].UpToDate > 0)), nil
		}
	default:
	}
	if asked := len(run.Requests) + len(run.Streams); asked > s.mostRequests() { // opening a watch asks something too
		if refused, ok := finding.Refused(run); ok { // the more likely cause
			return s.Found(refused), nil
		}
		return s.Found(finding.Flood(run)), nil
	}
	if run.Processes[instance-1].UpToDate == 0 && !killed {
		if s.Proxy.UpToDate(instance) {
			now := s.Log.Now()
			s.Log.Write(func(run *history.Run) { run.Processes[instance-1].UpToDate = now })
		} else if s.Had(run.Processes[instance-1].Started) > s.toSync(run, instance) {
			return s.Found(unsynced(run, instance, running)), nil
		}
	}
	violations, err := s.violations(ctx, run)
	return Broken(run, violations), err
}

// unsynced is the finding for a process whose watches don't come up. If it asks for other things all the time, that says more.
func unsynced(run history.Run, instance int, running *process.Process) finding.Finding {
	const few = 200 // requests, before the watches are up
	asked := 0
	for _, request := range run.Requests {
		if request.Instance == instance {
			asked++
		}
	}
	if asked > few {
		return finding.Flood(run)
	}
	return finding.NoWatch(run, running)
}

// toSync is how long the watches of an instance may take to be up to date. Where the API server has opened one, and has not
// delivered its initial state yet, it is the API server that takes the time. A client whose lists fail waits longer before each
// attempt.
func (s *Stage) toSync(run history.Run, instance int) time.Duration {
	const busy = 6
	opened := func(stream history.Stream) bool {
		return stream.Instance == instance && stream.Code == http.StatusOK && stream.Ended == 0 && stream.UpToDate == 0
	}
	if slices.ContainsFunc(run.Streams, opened) {
		return busy * s.Patience
	}
	return s.Patience + 2*rereading(run, instance)
}

// much is how long a history may have grown until it is judged though the controller is not quiet.
const much = 50

// violations judges what is new. Something may only seem wrong because one of our watches lags behind the
// other, so violations count only up to the resourceVersion that both have reached.
func (s *Stage) violations(ctx context.Context, run history.Run) ([]invariants.Violation, error) {
	length := len(run.Changes) + len(run.Requests)
	if length == s.checked || length < s.checked+much && !s.IsQuiet(Quiet) {
		return nil, nil
	}
	s.checked = length
	options := invariants.Options{Only: s.Rules}
	seeming, err := s.checker.Check(run, math.MaxUint64, options)
	if len(seeming) == 0 || err != nil {
		return nil, err
	}
	frontier, err := s.Observer.Sync(ctx)
	if err != nil {
		return nil, err
	}
	return s.checker.Check(s.Log.Run(), frontier, options)
}

// Broken are the findings for violations, one for each rule.
func Broken(run history.Run, violations []invariants.Violation) []finding.Finding {
	var findings []finding.Finding
	for _, violation := range violations {
		if slices.ContainsFunc(findings, func(f finding.Finding) bool { return f.Check == finding.Check(violation.Invariant) }) {
			continue
		}
		findings = append(findings, finding.Finding{
			Check: finding.Check(violation.Invariant), Title: violation.Rule, What: violation.What, Why: violation.Why,
			When: finding.Explain(run, violation.Requests, violation.Changes),
			At:   violation.At, Requests: violation.Requests, Changes: violation.Changes,
		})
	}
	return findings
}

// mostRequests is how many requests the run may have by now, watches included.
func (s *Stage) mostRequests() int {
	if !s.Timed {
		return most
	}
	return min(most+moreTimed*int(s.Log.Now().Seconds()), mostTimed)
}
