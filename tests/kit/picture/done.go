package picture

import (
	"fmt"
	"slices"
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

		upToDate := p.UpToDate
		if upToDate == 0 {
			upToDate = p.Ended
		}
		d.add(p.Started, upToDate, entry{mark: starting, What: name + " starts"})
		if p.UpToDate > 0 {
			d.add(p.UpToDate, p.Ended, entry{mark: ready, What: name + " is up to date: its watches have told it the state",
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
	var who []string
	for _, s := range d.run.Stimuli {
		if !slices.Contains(who, s.Who) {
			who = append(who, s.Who)
		}
	}
	for _, name := range who {
		lane := d.lane("stimulus", name, "did meanwhile", 1)
		for _, s := range d.run.Stimuli {
			if s.Who == name {
				d.add(s.At, s.At, entry{
					mark: mark{Lane: lane, Kind: "stimulus", Look: "stimulus", Label: s.What},
					What: s.Who + " " + s.What,
				})
			}
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
