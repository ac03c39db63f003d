package campaign

import (
	"slices"
	"strings"

	"example.com/controller-course/tests/kit/canonical"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
)

// Baseline is what a scenario's runs without faults have in common.
type Baseline struct {
	Scenario string
	Calm     bool             // to be run without faults only
	Few      bool             // to be run without the faults that are like others
	Narrow   bool             // to be run with faults of Workspaces, Secrets and the store only
	Late     bool             // to be run with creations of buckets that are done late
	Calls    []history.Call   // of the first instance, in their order
	Moments  []history.Moment // that its watches showed it, in their order
	End      canonical.State
	Counts   canonical.Counts

	flips flips
}

// newBaseline keeps what all runs have, and for each condition the longest way that it went in one of them. When the controller
// failed in one run, or did not end alike in all, there is nothing to compare with; the run that shows it is returned.
func newBaseline(scenario scenario, results []Result) (Baseline, *Result) {
	first := results[0]
	baseline := Baseline{
		Scenario: scenario.name, Calm: scenario.calm, Few: scenario.few, Narrow: scenario.narrow, Late: scenario.late,
		Calls: callsOf(first.Run), Moments: momentsOf(first.Run), End: first.End, Counts: first.Counts, flips: flips{},
	}
	for _, one := range results {
		if len(one.Findings) > 0 {
			return Baseline{}, &one
		}
		differences := slices.Concat(canonical.Diff(first.End, one.End), canonical.DiffCounts(first.Counts, one.Counts))
		if len(differences) > 0 {
			one.Findings = []finding.Finding{unsteady(differences)}
			return Baseline{}, &one
		}
		baseline.Calls = common(baseline.Calls, callsOf(one.Run))
		baseline.Moments = common(baseline.Moments, momentsOf(one.Run))
		baseline.flips.add(flipsOf(one.Run)) // which of them is the slowest is chance
	}
	return baseline, nil
}

func unsteady(differences []string) finding.Finding {
	return finding.Finding{
		Check: finding.CheckSteadiness, Title: "Two runs without faults end alike",
		What: "The same scenario, twice without faults, ended differently:\n" + strings.Join(differences, "\n"),
		Why:  "What differs from run to run depends on who is faster, and in production that changes with the load.",
	}
}

func callsOf(run history.Run) []history.Call {
	var calls []history.Call
	for _, request := range run.Requests {
		if request.Instance == 1 && request.Call.Nth > 0 {
			calls = append(calls, request.Call)
		}
	}
	return calls
}

func momentsOf(run history.Run) []history.Moment {
	var moments []history.Moment
	for _, frame := range run.Frames {
		first := run.Streams[frame.Stream-1].Instance == 1
		if first && frame.Moment != (history.Moment{}) && !slices.Contains(moments, frame.Moment) {
			moments = append(moments, frame.Moment)
		}
	}
	return moments
}

// common are the elements of a that b has too.
func common[T comparable](a, b []T) []T {
	return slices.DeleteFunc(slices.Clone(a), func(one T) bool { return !slices.Contains(b, one) })
}
