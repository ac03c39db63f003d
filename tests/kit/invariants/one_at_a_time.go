package invariants

import "fmt"

// oneAtATime is I1. It looks at each Job when it appears, which is when there can be one too many.
func oneAtATime(p *past, _ Options) []Violation {
	var violations []Violation
	for _, j := range p.jobs {
		if j.created == nil || j.owner == "" {
			continue
		}
		var others []string
		var changes []uint64
		for _, other := range p.made(j.owner) {
			before := other.at(j.bornAt())
			if other == j || before == nil || !before.object.unfinished() {
				continue
			}
			others = append(others, "Job "+other.name+" "+before.object.state())
			changes = append(changes, before.change.ResourceVersion)
		}
		if len(others) > 0 {
			violations = append(violations, j.violation(fmt.Sprintf("Job %s was created while %s.", j.name, among(others)), changes...))
		}
	}
	return violations
}

// state describes an unfinished Job.
func (o *jobObject) state() string {
	if o.DeletionTimestamp != nil {
		return "was being deleted and not gone yet"
	}
	return "had not finished"
}
