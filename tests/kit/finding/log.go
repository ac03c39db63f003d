package finding

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/controller-course/tests/kit/history"
)

// Logged returns the lines that the controller printed about the objects of a finding, n lines at most: those nearest
// to the moment of it. A finding that names no objects is about all of them.
func Logged(run history.Run, f Finding, n int) string {
	about := mentions(run, f)
	lines := slices.DeleteFunc(slices.Clone(run.Printed), func(l history.Line) bool { return !about.MatchString(l.Text) })
	slices.SortStableFunc(lines, func(a, b history.Line) int { return cmp.Compare((a.At - f.At).Abs(), (b.At - f.At).Abs()) })
	lines = lines[:min(n, len(lines))]
	slices.SortStableFunc(lines, func(a, b history.Line) int { return cmp.Compare(a.At, b.At) })
	return Printed(run, lines)
}

// Printed lays out lines that a controller printed, with the time of each since the beginning of the run.
func Printed(run history.Run, lines []history.Line) string {
	var text []string
	for _, l := range lines {
		who := ""
		if len(run.Processes) > 1 {
			who = fmt.Sprintf("[%d] ", l.Instance)
		}
		text = append(text, fmt.Sprintf("%9s  %s%s", seconds(l.At), who, l.Text))
	}
	return strings.Join(text, "\n")
}

// mentions matches lines that name an object of a finding, or one that belongs to it.
func mentions(run history.Run, f Finding) *regexp.Regexp {
	var names []string
	for _, id := range f.Requests {
		r := run.Requests[id-1]
		names = append(names, regexp.QuoteMeta(r.Object.Name), regexp.QuoteMeta(r.Call.Object.Family()))
	}
	for _, change := range run.Changes {
		if slices.Contains(f.Changes, change.ResourceVersion) {
			names = append(names, regexp.QuoteMeta(change.Object.GetName()))
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" || name == regexp.QuoteMeta(string(history.None)) })
	if len(names) == 0 {
		return regexp.MustCompile("")
	}
	return regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\b`)
}
