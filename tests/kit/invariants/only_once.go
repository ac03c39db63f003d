package invariants

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
)

// onlyOnce is I3. Jobs are distinguished by UID, so a name that is used again does not hide a second one.
func onlyOnce(p *past, _ Options) []Violation {
	type step struct {
		owner types.UID
		name  string
	}
	first := map[step]*job{}
	var violations []Violation
	for _, j := range p.jobs {
		if j.created == nil || j.owner == "" {
			continue
		}
		of := step{j.owner, j.step}
		before := first[of]
		if before == nil {
			first[of] = j
			continue
		}
		violation := j.violation(fmt.Sprintf("Job %s (UID %s) was created for step %q, which already had Job %s (UID %s).",
			j.name, j.uid, j.step, before.name, before.uid), before.bornAt())
		violation.Requests = []int{before.created.ID, j.created.ID}
		violations = append(violations, violation)
	}
	return violations
}
