package picture

import (
	"fmt"
	"strconv"
	"time"

	"example.com/controller-course/tests/kit/history"
)

// late is the delay from which a frame is marked even if no fault held it.
const late = 100 * time.Millisecond

// watches draws the events that the controller received, and when: a lane for each resource, in it a row for each
// watch that was open at the same time.
func (d *drafter) watches() {
	_, frames := groups(d.run.Frames, func(f history.Frame) int { return f.Stream })
	resources, streams := groups(d.run.Streams, func(s history.Stream) string { return s.Resource })
	for _, resource := range resources {
		var spans []span
		for _, s := range streams[resource] {
			spans = append(spans, span{s.Opened, d.until(s.Ended)})
		}
		places, count := rows(spans)
		lane := d.lane("watch", resource, "its watch", count)
		for i, s := range streams[resource] {
			d.stream(lane, places[i], s)
			for _, f := range frames[s.ID] {
				d.frame(lane, places[i], s, f)
			}
		}
	}
}

func (d *drafter) stream(lane, row int, s history.Stream) {
	look, what := "open", fmt.Sprintf("watch %d on %s opened", s.ID, s.Resource)
	if s.Code != 200 {
		look, what = "refused", fmt.Sprintf("watch %d on %s → %d", s.ID, s.Resource, s.Code)
	}
	d.add(s.Opened, s.Ended, entry{
		mark: mark{Lane: lane, Row: row, Kind: "stream", Look: look, Label: fmt.Sprintf("watch %d", s.ID)},
		What: what,
		Details: known(
			detail{"instance", strconv.Itoa(s.Instance)},
			detail{"of", s.Scope.String()},
			detail{"initial state delivered", moment(s.UpToDate)},
			detail{"ended", moment(s.Ended)},
		),
	})
}

func (d *drafter) frame(lane, row int, s history.Stream, f history.Frame) {
	what := f.Moment.String()
	if f.Moment == (history.Moment{}) {
		what = f.Type + " " + s.Resource
	}
	look, delivered, until := "prompt", "delivered after "+took(f.Delivered-f.Received), f.Delivered
	switch {
	case f.Delivered == 0:
		look, delivered, until = "lost", "never delivered", d.until(s.Ended)
	case f.Fault > 0 || f.Delivered-f.Received >= late:
		look, delivered = "held", "held for "+took(f.Delivered-f.Received)
	case f.Type == "BOOKMARK" || f.Initial:
		look = "minor"
	}
	label := ""
	if look == "held" || look == "lost" {
		label = fmt.Sprintf("%s %s %s", f.Type, f.Moment.Object, delivered)
		if f.Moment == (history.Moment{}) {
			label = f.Type + " " + delivered
		}
	}
	details := known(
		detail{"watch", strconv.Itoa(s.ID)},
		detail{"instance", strconv.Itoa(s.Instance)},
		detail{"object", called(f.Object)},
		detail{"uid", f.UID},
		detail{"resourceVersion", version(f.ResourceVersion)},
		detail{"delivered", moment(f.Delivered)},
	)
	if f.Initial {
		details = append(details, detail{"initial state", "yes"})
	}
	d.add(f.Received, until, entry{
		mark: mark{
			Lane: lane, Row: row, Kind: "frame", Look: look, Label: label,
			Struck: f.Fault > 0, Same: same(s.Resource, f.ResourceVersion),
		},
		What:    fmt.Sprintf("event %s, %s", what, delivered),
		Details: append(details, d.blame(f.Fault)...),
	})
}
