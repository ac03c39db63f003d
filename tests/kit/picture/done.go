package picture

import (
	"cmp"
	"fmt"

	"example.com/controller-course/tests/kit/history"
)

// processes draws when the controller's program ran, and from when on it knew the state.
func (d *drafter) processes() {
	var spans []span
	for _, p := range d.run.Processes {
		spans = append(spans, span{p.Started, d.until(p.Ended)})
	}
	places, count := rows(spans)
	lane := d.lane("process", "controller", "its processes", count)
	for i, p := range d.run.Processes {
		name := fmt.Sprintf("instance %d", p.Instance)
		at := mark{Lane: lane, Row: places[i], Kind: "process"}
		starting, ready, ended := at, at, at
		starting.Look, starting.Label = "starting", name+" starts"
		ready.Look, ready.Label = "ready", name
		ended.Kind, ended.Look, ended.Label = "moment", "ended", p.How

		d.add(p.Started, cmp.Or(p.UpToDate, p.Ended), entry{mark: starting, What: name + " starts"})
		if p.UpToDate > 0 {
			d.add(p.UpToDate, p.Ended, entry{mark: ready, What: name + " is up to date: its watches have delivered the initial state",
				Details: []detail{{"after its start", took(p.UpToDate - p.Started)}}})
		}
		if p.Ended > 0 {
			d.add(p.Ended, p.Ended, entry{mark: ended, What: name + " has ended: " + p.How})
		}
	}
}

// faults draws what was done to the controller.
func (d *drafter) faults() {
	if len(d.run.Faults) == 0 {
		return
	}
	var spans []span
	for _, f := range d.run.Faults {
		spans = append(spans, span{f.Struck, d.until(f.Healed)})
	}
	places, count := rows(spans)
	lane := d.lane("fault", "faults", "done to it", count)
	for i, f := range d.run.Faults {
		lasted := "to the end of the run"
		if f.Healed > 0 {
			lasted = took(f.Healed - f.Struck)
		}
		d.add(f.Struck, f.Healed, entry{
			mark:    mark{Lane: lane, Row: places[i], Kind: "fault", Look: "fault", Label: f.String()},
			What:    f.String(),
			Details: []detail{{"fault", fmt.Sprint(f.ID)}, {"lasted", lasted}},
		})
	}
}

// stimuli draws what others did, each in a lane of their own.
func (d *drafter) stimuli() {
	names, did := groups(d.run.Stimuli, func(s history.Stimulus) string { return s.Actor })
	for _, name := range names {
		lane := d.lane("stimulus", name, "did meanwhile", 1)
		for _, s := range did[name] {
			d.add(s.At, s.At, entry{
				mark: mark{Lane: lane, Kind: "stimulus", Look: "stimulus", Label: s.What},
				What: name + " " + s.What,
			})
		}
	}
}

// blame names the fault that struck something.
func (d *drafter) blame(fault int) []detail {
	if fault < 1 || fault > len(d.run.Faults) {
		return nil
	}
	return []detail{{"struck by", fmt.Sprintf("fault %d, %s", fault, d.run.Faults[fault-1])}}
}
