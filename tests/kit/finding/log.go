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
// to the moment of it. A finding that cites no requests and no changes is about the objects that its words name, or about
// all objects of the run.
func Logged(run history.Run, f Finding, n int) string {
	names := objectsOf(run, f)
	if len(names) == 0 {
		return ""
	}
	about := regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\b`)
	lines := slices.DeleteFunc(slices.Clone(run.Printed), func(l history.Line) bool { return !about.MatchString(l.Text) })
	for i := range lines {
		text, _, _ := strings.Cut(ShortLine(lines[i].Text), "\n") // without a stack, which the whole log has
		lines[i].Text = clock.ReplaceAllString(text, "")          // the time in the run is there already
	}
	lines = foldRepeated(lines)
	slices.SortStableFunc(lines, func(a, b history.Line) int { return cmp.Compare((a.At - f.At).Abs(), (b.At - f.At).Abs()) })
	lines = lines[:min(n, len(lines))]
	slices.SortStableFunc(lines, func(a, b history.Line) int { return cmp.Compare(a.At, b.At) })
	return Printed(run, lines)
}

// clock is the time of day at the beginning of a short line.
var clock = regexp.MustCompile(`^\d\d:\d\d:\d\d `)

// foldRepeated leaves the first of several equal lines that follow each other, and adds how many there are.
func foldRepeated(lines []history.Line) []history.Line {
	var folded []history.Line
	for i := 0; i < len(lines); {
		times := 1
		for i+times < len(lines) && lines[i+times].Text == lines[i].Text && lines[i+times].Instance == lines[i].Instance {
			times++
		}
		first := lines[i]
		if times > 1 {
			first.Text += fmt.Sprintf(" (%d times)", times)
		}
		folded = append(folded, first)
		i += times
	}
	return folded
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

// objectsOf returns the names of the objects that a finding is about, and of those that they belong to, as regular
// expressions.
func objectsOf(run history.Run, f Finding) []string {
	names := map[string]bool{}
	for _, id := range f.Requests {
		r := run.Requests[id-1]
		names[r.Object.Name], names[r.Call.Object.Family()] = true, true
	}
	citesNone := len(f.Requests)+len(f.Changes) == 0
	for _, change := range run.Changes {
		if slices.Contains(f.Changes, change.ResourceVersion) || citesNone {
			names[change.Object.GetName()] = true
		}
	}
	if named := namedIn(f.What, names); citesNone && len(named) > 0 {
		names = named
	}
	delete(names, "")
	delete(names, string(history.None))
	var all []string
	for name := range names {
		all = append(all, regexp.QuoteMeta(name))
	}
	return all
}

// nameIn matches what may be the name of an object in a text.
var nameIn = regexp.MustCompile(`[a-z0-9]([-a-z0-9.]*[a-z0-9])?`)

// namedIn is those of some names that a text has.
func namedIn(text string, names map[string]bool) map[string]bool {
	named := map[string]bool{}
	for _, name := range nameIn.FindAllString(text, -1) {
		if names[name] {
			named[name] = true
		}
	}
	return named
}
