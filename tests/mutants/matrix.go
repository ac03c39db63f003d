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
		"Each line is a [wrong version](glossary.md#wrong-version): a few edits that make a correct controller wrong. The line names "+
		"what catches it. `make mutants` tries the wrong versions whose proof is stale, and writes this page when none is left. It fails if one is not "+
		"caught as its line says. If a line names a rule such as K1, a cluster with real containers catches that version too: "+
		"`scripts/course.sh mutants --on-cluster`.\n\n"+
		"## The finished operator\n\n"+
		"The edits are in `tests/mutants/finished`. The plans are those of `make campaign`.\n\n"+
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
			fmt.Fprintf(out, "\n## Lesson %d\n\nThe edits of `%s` are in `tests/mutants/lessons/%02d`.\n\n"+
				"| | what it does wrong | why somebody would write it | caught by | may fail too |\n|---|---|---|---|---|\n", lesson, m.Source(), lesson)
		}
		if lesson > 0 && m.Lesson == lesson {
			fmt.Fprintf(out, "| %s | %s | %s | %s | %s |\n", m.ID, m.Title, m.Why, caughtBy(m), strings.Join(slices.Concat(m.AlsoBy, m.Earlier), ", "))
		}
	}
	fmt.Fprint(out, "\n## The bugs behind the wrong versions of the finished operator\n\nControllers like this one really had these bugs.\n\n| | whose | what went wrong | reports |\n|---|---|---|---|\n")
	for _, bug := range bugs {
		what := bug.What
		if bug.NoMutant != "" {
			what += " *No wrong version has this bug:* " + bug.NoMutant
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", bug.ID, bug.Project, what, strings.Join(links(bug.Reports), ", "))
	}
	return nil
}

// caughtBy is what catches a version of a lesson's solution.
func caughtBy(m Mutant) string {
	by := m.CaughtBy.Check
	if m.World != "" {
		by += " in the world " + m.World
	}
	if m.OnCluster != "" {
		by += ", " + m.OnCluster
	}
	return by
}

// links are addresses as Markdown that shows their last part.
func links(addresses []string) []string {
	var links []string
	for _, address := range addresses {
		links = append(links, fmt.Sprintf("[%s](%s)", address[strings.LastIndex(address, "/")+1:], address))
	}
	return links
}
