package mutants

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteMatrix writes docs/kill-matrix.md: which wrong version is caught by what.
func WriteMatrix(out io.Writer, all []Mutant) error {
	bugs, err := Bugs()
	if err != nil {
		return err
	}
	fmt.Fprint(out, "# Kill matrix\n\n"+
		"Each line is a wrong controller, as a few edits of a right one, with what notices it. `make mutants` runs them all, fails if one "+
		"is not caught by what is named for it, and writes this page. Those for which a rule such as K1 is named are caught on a cluster with real "+
		"containers too: `scripts/course.sh mutants --on-cluster`.\n\n"+
		"## The finished operator\n\n"+
		"The edits are in `tests/mutants/finished`, the plans those of `make campaign`.\n\n"+
		"| | what it does wrong | why somebody would write it | caught by | in | bugs |\n|---|---|---|---|---|---|\n")
	for _, m := range all {
		if m.Lesson > 0 {
			continue
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | `%s` | %s |\n", m.ID, m.Title, m.Why, m.CaughtBy.Finding, m.CaughtBy.Plan, strings.Join(m.Bugs, ", "))
	}
	lesson := 0
	for _, m := range all {
		if m.Lesson > lesson {
			lesson = m.Lesson
			fmt.Fprintf(out, "\n## Lesson %d\n\nEdits of `%s`, in `tests/mutants/lessons/%02d`.\n\n"+
				"| | what it does wrong | why somebody would write it | caught by | may fail too |\n|---|---|---|---|---|\n", lesson, m.Source(), lesson)
		}
		if lesson > 0 && m.Lesson == lesson {
			fmt.Fprintf(out, "| %s | %s | %s | %s | %s |\n", m.ID, m.Title, m.Why, caughtBy(m), strings.Join(slices.Concat(m.AlsoBy, m.Earlier), ", "))
		}
	}
	fmt.Fprint(out, "\n## The bugs behind those of the finished operator\n\nThat controllers like this one really had.\n\n| | whose | what went wrong | reports |\n|---|---|---|---|\n")
	for _, bug := range bugs {
		what := bug.What
		if bug.NoMutant != "" {
			what += " *No wrong version has it:* " + bug.NoMutant
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", bug.ID, bug.Project, what, strings.Join(links(bug.Reports), ", "))
	}
	return nil
}

// caughtBy is what catches a version of a lesson's solution.
func caughtBy(m Mutant) string {
	if m.OnCluster == "" {
		return m.CaughtBy.Check
	}
	return m.CaughtBy.Check + ", " + m.OnCluster
}

// links are addresses as Markdown that shows their last part.
func links(addresses []string) []string {
	var links []string
	for _, address := range addresses {
		links = append(links, fmt.Sprintf("[%s](%s)", address[strings.LastIndex(address, "/")+1:], address))
	}
	return links
}
