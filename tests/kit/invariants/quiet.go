package invariants

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/controller-course/tests/kit/history"
)

// quiet is I9. A write that changes nothing counts: it costs the API server nearly as much, and shows
// that the controller does not know when it is done.
func quiet(p *past, options Options) []Violation {
	var violations []Violation
	for _, rest := range options.Rest {
		var writes []history.Request
		for _, request := range p.run.Requests {
			if request.Received >= rest.From && request.Received <= rest.To && p.disturbs(request, rest) {
				writes = append(writes, request)
			}
		}
		if len(writes) == 0 {
			continue
		}
		violation := Violation{
			What: fmt.Sprintf("There was nothing to do, but the controller wrote: %s%s.", writes[0].Call, more(len(writes)-1)),
			At:   writes[0].Received,
		}
		for _, write := range writes {
			violation.Requests = append(violation.Requests, write.ID)
			if write.ResourceVersion != 0 {
				violation.Changes = append(violation.Changes, write.ResourceVersion)
			}
		}
		violations = append(violations, violation)
	}
	return violations
}

func more(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " and once more"
	default:
		return fmt.Sprintf(" and %d more times", n)
	}
}

// disturbs says whether a request is a write that counts. A process that becomes leader
// reports so in an event about the lease. Events are sent in the background, so they may come after the work.
// The events of a process that was started when there was nothing to do have nothing to report.
func (p *past) disturbs(request history.Request, rest Interval) bool {
	if strings.HasPrefix(request.Call.Resource, "events") && (!p.named(request.Call.Object) || !p.startedIn(request.Instance, rest)) {
		return false
	}
	return request.Write()
}

func (p *past) startedIn(instance int, rest Interval) bool {
	return slices.ContainsFunc(p.run.Processes, func(process history.Process) bool {
		return process.Instance == instance && process.Started >= rest.From && process.Started <= rest.To
	})
}

// named says whether one of the objects has that name.
func (p *past) named(name history.Logical) bool {
	return slices.Contains(slices.Collect(maps.Values(p.names)), string(name))
}
