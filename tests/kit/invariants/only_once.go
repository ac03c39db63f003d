package invariants

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/tests/kit/history"
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
		if deletion := p.deletionOf(before); deletion != nil {
			violation.What += fmt.Sprintf(" The controller had deleted %s itself.", before.name)
			violation.Requests = []int{before.created.ID, deletion.ID, j.created.ID}
		}
		violations = append(violations, violation)
	}
	return violations
}

// deletionOf is the request by which the controller deleted a Job; nil if it did not.
func (p *past) deletionOf(j *job) *history.Request {
	i := slices.IndexFunc(p.run.Requests, func(r history.Request) bool {
		return r.Call.Verb == "delete" && r.Call.Resource == jobs && r.Succeeded() && types.UID(r.UID) == j.uid
	})
	if i < 0 {
		return nil
	}
	return &p.run.Requests[i]
}
