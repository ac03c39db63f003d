package picture

import (
	"cmp"
	"slices"
	"time"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
)

// entry is one thing that happened: a row of the table and a mark of the drawing.
type entry struct {
	mark
	At      time.Duration
	Where   lane
	What    string
	Details []detail
}

// detail is one more thing to know about an entry.
type detail struct{ Name, Value string }

// Clock is when it happened, for people.
func (e entry) Clock() string { return seconds(e.At) }

// drawing is what the script draws. Times are in microseconds since the beginning of the run.
type drawing struct {
	Whole    [2]int64    `json:"whole"` // from its beginning to its end, with some air
	Focus    [2]int64    `json:"focus"` // what is in view at first
	Lanes    []lane      `json:"lanes"`
	Marks    []mark      `json:"marks"` // those of the entries, in their order
	Findings []violation `json:"findings"`
	Bodies   []string    `json:"bodies"` // objects as JSON
}

// lane is a strip of the drawing. Its kind decides how its marks look, its rows how high it is.
type lane struct {
	Kind string `json:"kind"` // process, fault, stimulus, write, read, object, watch
	Name string `json:"name"`
	Note string `json:"note"`
	Rows int    `json:"rows"`
}

// mark is one thing in a lane.
type mark struct {
	Lane  int    `json:"lane"`
	Row   int    `json:"row"`
	Kind  string `json:"kind"` // process, moment, fault, stimulus, request, state, stream, frame
	Look  string `json:"look"` // how it ended, or what state it is
	Label string `json:"label"`
	From  int64  `json:"from"`
	To    int64  `json:"to"`
	Open  bool   `json:"open,omitempty"` // it did not end within the run

	Done   bool   `json:"done,omitempty"`   // done by the API server, though the controller received another response, or none
	Struck bool   `json:"struck,omitempty"` // a fault struck it
	Cited  []int  `json:"cited,omitempty"`  // the findings that it shows, as places in drawing.Findings
	Same   string `json:"same,omitempty"`   // marks with the same text belong to the same resourceVersion
	Body   int    `json:"body,omitempty"`   // the object, from 1 in drawing.Bodies; 0 for none
	Before int    `json:"before,omitempty"` // the same object's last version, likewise
}

// violation is the moment of a finding.
type violation struct {
	At    int64         `json:"at"` // 0 where it is not known
	Check finding.Check `json:"check"`
	Title string        `json:"title"`
	Focus [2]int64      `json:"focus"`
}

// draw returns what is visible of a run, and where.
func draw(run history.Run, findings []finding.Finding) (drawing, []entry) {
	d := &drafter{run: run, findings: findings}
	d.begin, d.end = bounds(run, findings)
	d.processes()
	d.faults()
	d.stimuli()
	d.requests()
	d.objects()
	d.watches()
	return d.finish()
}

// drafter makes the drawing, one sort of lanes after the other.
type drafter struct {
	run      history.Run
	findings []finding.Finding
	begin    time.Duration
	end      time.Duration

	lanes   []lane
	entries []entry
	bodies  []string
}

// lane adds a lane and returns its place.
func (d *drafter) lane(kind, name, note string, rows int) int {
	d.lanes = append(d.lanes, lane{Kind: kind, Name: name, Note: note, Rows: rows})
	return len(d.lanes) - 1
}

// add adds what happened from one time to another; a zero end means that it was not seen.
func (d *drafter) add(from, to time.Duration, e entry) {
	e.At = from
	e.Where = d.lanes[e.Lane]
	e.Open = to == 0
	e.From, e.To = from.Microseconds(), max(from, d.until(to)).Microseconds()
	d.entries = append(d.entries, e)
}

// until is the end of what may not have ended.
func (d *drafter) until(end time.Duration) time.Duration {
	return cmp.Or(end, d.end)
}

func (d *drafter) finish() (drawing, []entry) {
	slices.SortStableFunc(d.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Lane, b.Lane))
	})
	result := drawing{Whole: d.whole(), Focus: d.whole(), Lanes: d.lanes, Bodies: d.bodies}
	for _, e := range d.entries {
		result.Marks = append(result.Marks, e.mark)
	}
	for _, f := range d.findings {
		result.Findings = append(result.Findings, violation{
			At: f.At.Microseconds(), Check: f.Check, Title: f.Title, Focus: d.focus(f),
		})
	}
	if len(result.Findings) > 0 {
		result.Focus = result.Findings[0].Focus
	}
	return result, d.entries
}

// citing returns the findings that cite something.
func (d *drafter) citing(cites func(finding.Finding) bool) []int {
	var places []int
	for i, f := range d.findings {
		if cites(f) {
			places = append(places, i)
		}
	}
	return places
}

// bounds are when the first and the last thing happened.
func bounds(run history.Run, findings []finding.Finding) (first, last time.Duration) {
	var s span
	for _, p := range run.Processes {
		s.include(p.Started, p.UpToDate, p.Ended)
	}
	for _, f := range run.Faults {
		s.include(f.Struck, f.Healed)
	}
	for _, stimulus := range run.Stimuli {
		s.include(stimulus.At)
	}
	for _, r := range run.Requests {
		s.include(r.Received, r.Committed, r.Answered)
	}
	for _, c := range run.Changes {
		s.include(c.Seen)
	}
	for _, stream := range run.Streams {
		s.include(stream.Opened, stream.UpToDate, stream.Ended)
	}
	for _, f := range run.Frames {
		s.include(f.Received, f.Delivered)
	}
	for _, f := range findings {
		s.include(f.At)
	}
	return s.from, max(s.to, s.from+time.Millisecond) // so that there is something to draw on
}
