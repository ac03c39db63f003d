package finding

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/controller-course/tests/kit/history"
)

// Explain says when the requests and changes that show a violation happened, a line for each, in the order
// of time, and what the controller could not know, or what faults it had met, at that moment.
func Explain(run history.Run, requests []int, changes []uint64) string {
	var cited []line
	authors := history.AuthorsOf(run)
	for _, change := range run.Changes {
		if !slices.Contains(changes, change.ResourceVersion) {
			continue
		}
		if author := authors.Of(change); author != nil {
			requests = append(slices.Clone(requests), author.ID)
			continue
		}
		what := fmt.Sprintf("%s (resourceVersion %d).", changed(run, change), change.ResourceVersion)
		cited = append(cited, line{at: change.Seen, what: what})
	}
	for _, r := range run.Requests {
		if slices.Contains(requests, r.ID) {
			sentences := slices.Concat([]string{fmt.Sprintf("%s → %s.", asked(r), response(r))}, crash(run, r), lostReply(run, r), repeated(run, r), unseen(run, r))
			cited = append(cited, line{at: r.Received, what: strings.Join(sentences, " ")})
		}
	}
	slices.SortStableFunc(cited, func(a, b line) int { return int(a.at - b.at) })
	var text []string
	for _, each := range cited {
		text = append(text, seconds(each.at)+": "+each.what)
	}
	return strings.Join(text, "\n")
}

// crash describes the end of another instance, whose work a request continues.
func crash(run history.Run, r history.Request) []string {
	last := lastBefore(run, r, func(other history.Request) bool {
		return other.Write() && other.Call.Object.Family() == r.Call.Object.Family()
	})
	if last == nil || last.Instance == r.Instance {
		return nil
	}
	gone, here := run.Processes[last.Instance-1], run.Processes[r.Instance-1]
	if gone.Ended == 0 || gone.Ended > r.Received {
		return nil // two run at the same time
	}
	text := fmt.Sprintf("Process %d had ended at %s (%s), after it sent %s at %s", gone.Instance, seconds(gone.Ended), gone.How, asked(*last), seconds(last.Received))
	switch {
	case !committed(*last, r):
		text += ", which had not reached " + serverOf(*last)
	case misled(*last):
		text += fmt.Sprintf(", which %s did", serverOf(*last))
	}
	return []string{text + fmt.Sprintf("; this one is process %d, started at %s.", here.Instance, seconds(here.Started))}
}

// lostReply describes an equal request that had been done, unknown to the controller.
func lostReply(run history.Run, r history.Request) []string {
	last := lastBefore(run, r, func(other history.Request) bool {
		return other.Instance == r.Instance && other.Call.Verb == r.Call.Verb && other.Call.Resource == r.Call.Resource &&
			other.Call.Object == r.Call.Object
	})
	if last == nil || !committed(*last, r) || !misled(*last) {
		return nil
	}
	received := "the response was lost"
	if last.Returned > 0 {
		received = fmt.Sprintf("your controller received %d", last.Returned)
	}
	return []string{fmt.Sprintf("T%s had already done %s, sent at %s, but %s.", serverOf(*last)[1:], asked(*last), seconds(last.Received), received)}
}

// committed says whether the API server had answered a request when another one came.
func committed(r, other history.Request) bool {
	return r.Committed > 0 && r.Committed <= other.Received
}

func lastBefore(run history.Run, r history.Request, like func(history.Request) bool) (last *history.Request) {
	for i, other := range run.Requests {
		if other.ID < r.ID && like(other) {
			last = &run.Requests[i]
		}
	}
	return last
}

// unseen describes the events that had not reached the controller when it sent a request: the first one of
// each object of that SequentialJob that was held back, and of the request's object any.
func unseen(run history.Run, r history.Request) []string {
	const most = 3
	var sentences []string
	var described []string // the UIDs of their objects
	for _, f := range run.Frames {
		stream := run.Streams[f.Stream-1]
		same := f.Moment.Object == r.Call.Object && f.Moment.Resource == plain(r.Call.Resource)
		held := f.Fault > 0 && f.Moment.Object.Family() == r.Call.Object.Family()
		if !same && !held || stream.Instance != r.Instance || f.Received > r.Received || isKnown(run, f, r.Received) {
			continue
		}
		if len(described) == most || slices.Contains(described, f.UID) {
			continue
		}
		described = append(described, f.UID)
		sentences = append(sentences, fmt.Sprintf("The %s event of %s (%s) had not reached your controller yet%s.",
			f.Type, f.Object.Name, seconds(f.Received), withheld(run, f)))
	}
	return sentences
}

// isKnown says whether the controller knew by then what an event shows: from the event, from a later one
// of the object, from a new watch, or from the response to a request.
func isKnown(run history.Run, f history.Frame, by time.Duration) bool {
	watch := run.Streams[f.Stream-1]
	before := func(at time.Duration) bool { return at > 0 && at <= by }
	return slices.ContainsFunc(run.Frames, func(other history.Frame) bool {
		stream := run.Streams[other.Stream-1]
		return before(other.Delivered) && other.UID == f.UID && other.ResourceVersion >= f.ResourceVersion && stream.Instance == watch.Instance
	}) || slices.ContainsFunc(run.Streams, func(other history.Stream) bool {
		return before(other.UpToDate) && other.Opened > f.Received && other.Instance == watch.Instance && other.Resource == watch.Resource
	}) || slices.ContainsFunc(run.Requests, func(r history.Request) bool {
		asked := r.Call.Verb == "list" || r.Call.Verb == "get" && r.Object.Name == f.Object.Name
		return before(r.Answered) && asked && r.Returned == 200 && r.Received > f.Received && r.Instance == watch.Instance && plain(r.Call.Resource) == watch.Resource
	})
}
