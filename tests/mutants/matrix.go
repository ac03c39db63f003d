package mutants

import (
	"fmt"
	"io"
	"strings"
)

// WriteMatrix writes docs/kill-matrix.md: which wrong version is caught by what.
func WriteMatrix(out io.Writer, all []Mutant) error {
	bugs, err := Bugs()
	if err != nil {
		return err
	}
	fmt.Fprint(out, "# Kill matrix\n\n"+
		"Each line is a wrong version of the finished operator, as a few edits in `tests/mutants/finished`, with the plan in which the "+
		"judge notices it. `make mutants` runs them all, fails if one is not caught by the check that is named, and writes this page.\n\n"+
		"| | what it does wrong | why somebody would write it | caught by | in | bugs |\n|---|---|---|---|---|---|\n")
	for _, m := range all {
		fmt.Fprintf(out, "| %s | %s | %s | %s | `%s` | %s |\n", m.ID, m.Title, m.Why, m.CaughtBy.Finding, m.CaughtBy.Plan, strings.Join(m.Bugs, ", "))
	}
	fmt.Fprint(out, "\n## The bugs behind them\n\nThat controllers like this one really had.\n\n| | whose | what went wrong | reports |\n|---|---|---|---|\n")
	for _, bug := range bugs {
		what := bug.What
		if bug.NoMutant != "" {
			what += " *No wrong version has it:* " + bug.NoMutant
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", bug.ID, bug.Project, what, strings.Join(links(bug.Reports), ", "))
	}
	return nil
}

// links are addresses as Markdown that shows their last part.
func links(addresses []string) []string {
	var links []string
	for _, address := range addresses {
		links = append(links, fmt.Sprintf("[%s](%s)", address[strings.LastIndex(address, "/")+1:], address))
	}
	return links
}
