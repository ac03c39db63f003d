package campaign

import (
	"fmt"
	"io"
	"slices"
	"time"

	"example.com/controller-course/tests/kit/canonical"
	"example.com/controller-course/tests/kit/kinds"
)

// WriteScoreboard writes what a campaign on the finished operator showed, as docs/reliability.md.
func WriteScoreboard(out io.Writer, report Report, took time.Duration, workers int) {
	fmt.Fprintf(out, "# Reliability\n\n")
	fmt.Fprintf(out, "`make campaign` writes this page. Each plan is one run of the finished operator, as a process against a real API server. "+
		"A proxy between the two injects a fault at one named request or event. Afterwards the operator is restarted.\n\n"+
		"The operator survives a plan if\n\n"+
		"- no [invariant](design.md#7-invariants) is broken at any resourceVersion;\n"+
		"- the final state is the same as without faults;\n"+
		"- the operator created and removed as many objects as without faults;\n"+
		"- the operator writes nothing at rest.\n\n")
	fmt.Fprintf(out, "%d plans took %s with %d control planes at the same time.\n\n", len(report.Results), took.Round(time.Second), workers)

	fmt.Fprintf(out, "## By kind of fault\n\n| kind | plans | survived | struck nothing | seconds a plan, median | 95th percentile |\n|---|---|---|---|---|---|\n")
	writeRows(out, report.Results, func(result Result) string { return result.Plan.Kind })
	fmt.Fprintf(out, "\n## By scenario\n\n| scenario | plans | survived | struck nothing | seconds a plan, median | 95th percentile |\n|---|---|---|---|---|---|\n")
	writeRows(out, report.Results, func(result Result) string { return result.Plan.Scenario })

	fmt.Fprintf(out, "\nThe scenarios:\n\n")
	for _, one := range scenarios() {
		fmt.Fprintf(out, "- **%s**: %s.\n", one.name, one.title)
	}
	fmt.Fprintf(out, "\n## What is not compared\n\nThe comparison of two final states leaves out these fields, and all UIDs in the other fields:\n\n| of | field | why |\n|---|---|---|\n")
	for _, of := range append([]kinds.Kind{{Kind: "all", Masks: canonical.Common}}, withWorkspaces...) {
		for _, mask := range of.Masks {
			fmt.Fprintf(out, "| %s | `%s`%s | %s |\n", of.Kind, mask.Path, onlyValue(mask), mask.Why)
		}
	}
	fmt.Fprint(out, notCovered)
}

// Explored is the section of the scoreboard that make explore writes.
const Explored = "explored"

const notCovered = `
## What is not covered

- Each plan has a single fault, except for the second crashes. Pairs of other faults are not enumerated.
- A fault hits a request or an event. It never falls between two instructions of the controller.
- The campaign runs without leader election, because a standby takes up to 15 s to take over a lost lease. A handover is played as a late request of the dead predecessor. ` + "`tests/operator`" + ` tests leader election itself.
- The judge ends Jobs: it writes what the Job controller writes. Real Jobs run in ` + "`tests/operator`" + ` and in ` + "`make demo`" + `.
- The request or event of a plan did not always occur in its run. Such a plan is counted as "struck nothing".
- Each plan has one SequentialJob at a time. ` + "`make bench`" + ` runs many at the same time.

## Generated runs

` + "`make explore`" + ` writes this section. Each run is generated from a seed: several SequentialJobs, what users and the Job controller do to them, and faults. No invariant may be broken, each SequentialJob must end as its Jobs did, and a restart may change nothing.

<!-- explored:begin -->
<!-- explored:end -->
`

func writeRows(out io.Writer, results []Result, by func(Result) string) {
	groups := map[string][]Result{}
	var names []string
	for _, result := range results {
		name := by(result)
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], result)
	}
	for _, name := range append(names, "") {
		group := groups[name]
		if name == "" {
			name, group = "**all**", results
		}
		survived, missed := 0, 0
		var seconds []float64
		for _, result := range group {
			switch {
			case len(result.Findings) > 0:
			case len(result.Missed) > 0:
				missed++
			default:
				survived++
			}
			seconds = append(seconds, result.Seconds)
		}
		slices.Sort(seconds)
		fmt.Fprintf(out, "| %s | %d | %d | %d | %.1f | %.1f |\n", name, len(group), survived, missed, percentile(seconds, 50), percentile(seconds, 95))
	}
}

// percentile is the smallest value that p percent of the sorted values don't exceed; 0 of none.
func percentile(sorted []float64, p int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*p+99)/100-1]
}

func onlyValue(mask kinds.Mask) string {
	if mask.Present {
		return ", its value only"
	}
	return ""
}
