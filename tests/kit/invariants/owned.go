package invariants

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
)

// owned is I4.
//
// The API server knows no precondition on another object. So a deletion may always commit between a
// controller's last read of the SequentialJob and its creation of a Job, and while its watch lags, any
// number of other changes may commit too. No controller can exclude that, and garbage collection corrects
// it. So a Job of a SequentialJob that is being deleted, or gone, counts against the controller only if
// the controller knew of the deletion before the request came:
//   - from the response to a request of the same process, which showed the deletion or was NotFound; or
//   - from its watch, which had then delivered another event about the object or its Jobs. The first
//     event alone does not count, as the request may have crossed it, nor does what was held back with
//     it and came right behind it. A scenario that deletes a SequentialJob waits until the controller
//     has handled the event, so that a later request has a later cause.
//
// A request that the process had sent before never counts, however late it commits.
func owned(p *past, _ Options) []Violation {
	var violations []Violation
	for _, j := range p.jobs {
		if j.created != nil {
			if what, changes := p.createdUnowned(j); what != "" {
				violations = append(violations, j.violation(what, changes...))
			}
		}
		for i := 1; i < len(j.versions); i++ {
			before, now := j.versions[i-1].object.controller(), j.versions[i].object.controller()
			if before == nil || now != nil && now.UID == before.UID {
				continue
			}
			if change := j.versions[i].change; p.author(change) != nil {
				what := fmt.Sprintf("The controller took Job %s from SequentialJob %s, which controlled it.", j.name, before.Name)
				violations = append(violations, p.violation(what, change))
			}
		}
	}
	return violations
}

// createdUnowned says what is wrong with the owner that a Job was created with, and what changes show it too.
func (p *past) createdUnowned(j *job) (what string, changes []uint64) {
	reference := j.versions[0].object.controller()
	if reference == nil {
		return fmt.Sprintf("Job %s was created without an owner reference with controller: true to a SequentialJob: %s.",
			j.name, kinds.Unowned(&j.versions[0].object)), nil
	}
	s := find(p.sequences, reference.UID)
	if s == nil || s.bornAt() > j.bornAt() || s.name != reference.Name {
		return fmt.Sprintf("Job %s was created with SequentialJob %s of UID %q as controller, and no SequentialJob had that name and UID.",
			j.name, reference.Name, reference.UID), nil
	}
	ending := s.ending()
	if ending == nil || ending.ResourceVersion > j.bornAt() {
		return "", nil
	}
	source := p.sourceOfEnding(s, *ending, *j.created)
	if source == "" {
		return "", nil
	}
	return fmt.Sprintf("Job %s was created although SequentialJob %s had been deleted, and the controller knew this from %s.",
		j.name, s.name, source), []uint64{ending.ResourceVersion}
}

// sourceOfEnding says from what the process knew that a SequentialJob was being deleted or gone when it
// sent a creation; empty when it did not know.
func (p *past) sourceOfEnding(s *sequence, ending history.Change, creation history.Request) string {
	for _, request := range p.run.Requests {
		resource, _, _ := strings.Cut(request.Call.Resource, "/")
		if request.Instance != creation.Instance || resource != sequentialJobs ||
			request.Answered == 0 || request.Answered > creation.Received || request.Returned != request.Code {
			continue
		}
		did := request.Call.Verb == "delete" && request.Succeeded()
		showed := types.UID(request.UID) == s.uid && (did || request.ResourceVersion >= ending.ResourceVersion)
		missed := request.Code == http.StatusNotFound && request.Object.Name == s.name && s.gone != nil && request.Received > s.born().Seen
		if showed || missed {
			return "the response to " + request.Call.String()
		}
	}

	for _, frame := range p.run.Frames {
		if types.UID(frame.UID) == s.uid && frame.ResourceVersion >= ending.ResourceVersion &&
			p.instance(frame) == creation.Instance && p.moreDelivered(s, frame, creation.Received) {
			return "its watch"
		}
	}
	return ""
}

// moreDelivered says whether a process had got another event about a SequentialJob or its Jobs
// between an event and a moment. What had been held back together with the event came right behind it, and does not count.
func (p *past) moreDelivered(s *sequence, since history.Frame, until time.Duration) bool {
	for _, frame := range p.run.Frames {
		later := since.Delivered > 0 && frame.Received > since.Delivered && frame.Delivered > 0 && frame.Delivered <= until
		if !later || p.instance(frame) != p.instance(since) {
			continue
		}
		j := find(p.jobs, types.UID(frame.UID))
		if types.UID(frame.UID) == s.uid || j != nil && j.owner == s.uid {
			return true
		}
	}
	return false
}

// instance is the process that an event was for.
func (p *past) instance(frame history.Frame) int {
	if frame.Stream < 1 || frame.Stream > len(p.run.Streams) {
		return 0
	}
	return p.run.Streams[frame.Stream-1].Instance
}
