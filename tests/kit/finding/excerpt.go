package finding

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/controller-course/tests/kit/history"
)

// Excerpt returns what happened around a moment: n lines at most, in the order of time. An exclamation mark
// is where something was done to the controller, and a last line explains it.
func Excerpt(run history.Run, around time.Duration, n int) string {
	lines := linesOf(run)
	first := len(lines)
	for i, line := range lines {
		if line.at >= around {
			first = i
			break
		}
	}
	first = max(0, min(first-n/2, len(lines)-n))
	lines = lines[first:min(first+n, len(lines))]

	column := 0
	for _, line := range lines {
		column = max(column, utf8.RuneCountInString(line.who))
	}
	var text []string
	for _, line := range lines {
		mark := " "
		if line.marked {
			mark = "!"
		}
		text = append(text, fmt.Sprintf("%9s %s %-*s  %s", seconds(line.at), mark, column, line.who, line.what))
	}
	if slices.ContainsFunc(lines, func(l line) bool { return l.marked }) {
		text = append(text, legend)
	}
	return strings.Join(text, "\n")
}

const legend = "(! = a fault; an event that is held back reaches your controller later)"

// line is something that happened.
type line struct {
	at        time.Duration
	marked    bool
	who, what string
}

func linesOf(run history.Run) []line {
	lines := slices.Concat(processLines(run), stimulusLines(run), faultLines(run), requestLines(run), watchLines(run), changeLines(run), frameLines(run))
	slices.SortStableFunc(lines, func(a, b line) int { return int(a.at - b.at) })
	return lines
}

// controller is what an instance is called.
func controller(run history.Run, instance int) string {
	if len(run.Processes) <= 1 {
		return "controller"
	}
	return fmt.Sprint("controller ", instance)
}

func processLines(run history.Run) (lines []line) {
	for _, process := range run.Processes {
		who := controller(run, process.Instance)
		lines = append(lines, line{at: process.Started, who: who, what: "starts"})
		if process.UpToDate > 0 {
			lines = append(lines, line{at: process.UpToDate, who: who, what: "has synced all its watches"})
		}
		if process.Ended > 0 {
			lines = append(lines, line{at: process.Ended, who: who, what: "ends: " + process.How})
		}
	}
	return lines
}

func stimulusLines(run history.Run) (lines []line) {
	for _, stimulus := range run.Stimuli {
		lines = append(lines, line{at: stimulus.At, who: stimulus.Actor, what: stimulus.What})
	}
	return lines
}

func faultLines(run history.Run) (lines []line) {
	for _, fault := range run.Faults {
		lines = append(lines, line{at: fault.Struck, marked: true, who: "fault", what: struck(fault.Fault)})
		if what := healed(fault.Fault); fault.Healed > 0 && what != "" {
			lines = append(lines, line{at: fault.Healed, who: "fault", what: what})
		}
	}
	return lines
}

func requestLines(run history.Run) (lines []line) {
	places := places(run)
	for _, r := range run.Requests {
		what := "sends " + asked(r) + where(places, r) + " → " + response(r)
		lines = append(lines, line{at: r.Received, marked: r.Fault > 0, who: controller(run, r.Instance), what: what})
	}
	return lines
}

// watchLines has the watches that a controller opens after it has synced those that it began with.
func watchLines(run history.Run) (lines []line) {
	for _, stream := range run.Streams {
		if upToDate := run.Processes[stream.Instance-1].UpToDate; upToDate == 0 || stream.Opened < upToDate {
			continue
		}
		what := fmt.Sprintf("opens a watch of %s (%s)", stream.Resource, stream.Scope)
		if stream.Code != http.StatusOK && stream.Code != 0 {
			what += fmt.Sprintf(" → %d", stream.Code)
		}
		lines = append(lines, line{at: stream.Opened, who: controller(run, stream.Instance), what: what})
	}
	return lines
}

func changeLines(run history.Run) (lines []line) {
	for _, change := range run.Changes {
		if !change.Initial {
			lines = append(lines, line{at: change.Seen, who: "cluster", what: changed(run, change)})
		}
	}
	return lines
}

// late is from when on an event counts as held back, though no fault did that.
const late = 100 * time.Millisecond

// frameLines omits the initial state of watches, and bookmarks, unless a fault struck them.
func frameLines(run history.Run) (lines []line) {
	for _, f := range run.Frames {
		stream := run.Streams[f.Stream-1]
		who, event := controller(run, stream.Instance), strings.TrimSpace(fmt.Sprintf("%s %s %s", f.Type, stream.Resource, f.Object.Name))
		event += whose(stream.Resource, f.Object.Name, f.Moment.Object)
		switch {
		case f.Delivered == 0:
			lines = append(lines, line{at: f.Received, marked: true, who: who, what: "does not receive " + event})
		case f.Fault > 0 && f.Delivered > f.Received || f.Delivered-f.Received >= late:
			after := fmt.Sprintf(", %s late", seconds(f.Delivered-f.Received))
			lines = append(lines,
				line{at: f.Received, marked: true, who: who, what: "does not receive yet: " + event},
				line{at: f.Delivered, marked: true, who: who, what: "receives " + event + after})
		case !f.Initial && f.Type != "BOOKMARK":
			lines = append(lines, line{at: f.Delivered, who: who, what: "receives " + event})
		}
	}
	return lines
}
