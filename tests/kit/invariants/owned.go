package invariants

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/tests/kit/history"
)

// owned is I4.
//
// The API server knows no precondition on another object. So a deletion may always commit between a
// controller's last look at the SequentialJob and its creation of a Job, and while its watch is
// behind, so may any number of other things: no controller can exclude that, and garbage collection
// makes up for it. Hence a Job of a SequentialJob that is being deleted, or gone, is held against the
// controller only if it had been told before the request came:
//   - by an answer to a request of the same process, which showed the deletion or said NotFound; or
//   - by its watch, and after that something else about the object or its Jobs had been delivered. The
//     first event alone does not count, as the request may have crossed it. Whoever deletes a
//     SequentialJob in a scenario leaves the controller alone until it has taken note, so that a
//     request that comes later is due to what came later.
//
// A request that the process had sent before is never told, however late it commits.
func owned(p *past, _ Options) []Violation {
	var violations []Violation
	for _, j := range p.jobs {
		if j.created != nil {
			violations = append(violations, p.createdUnowned(j)...)
		}
		for i := 1; i < len(j.versions); i++ {
			before, now := j.versions[i-1].controller(), j.versions[i].controller()
			if before == nil || now != nil && now.UID == before.UID {
				continue
			}
			if author := p.author(j.versions[i].change); author != nil {
				violations = append(violations, Violation{
					What: fmt.Sprintf("The controller took Job %s from SequentialJob %s, which controlled it.", j.name, before.Name),
					At:   j.versions[i].change.Seen, Changes: []uint64{j.versions[i].change.ResourceVersion}, Requests: []int{author.ID},
				})
			}
		}
	}
	return violations
}

func (p *past) createdUnowned(j *job) []Violation {
	violation := Violation{At: j.born().Seen, Changes: []uint64{j.bornAt()}, Requests: []int{j.created.ID}}
	reference := j.versions[0].controller()
	if reference == nil {
		violation.What = fmt.Sprintf("Job %s was created without an owner reference with controller: true to a SequentialJob.", j.name)
		return []Violation{violation}
	}
	s := p.sequence(reference.UID)
	if s == nil || s.born().ResourceVersion > j.bornAt() || s.name != reference.Name {
		violation.What = fmt.Sprintf("Job %s was created with SequentialJob %s of UID %q as controller, and there was none of that name and UID.",
			j.name, reference.Name, reference.UID)
		return []Violation{violation}
	}
	ending := s.ending()
	if ending == nil || ending.ResourceVersion > j.bornAt() {
		return nil
	}
	told := p.toldOfEnding(s, *ending, *j.created)
	if told == "" {
		return nil
	}
	violation.What = fmt.Sprintf("Job %s was created though SequentialJob %s had been deleted, and the controller had been told so by %s.", j.name, s.name, told)
	violation.Changes = []uint64{ending.ResourceVersion, j.bornAt()}
	return []Violation{violation}
}

// toldOfEnding says by what the process had been told that a SequentialJob is being deleted or gone
// when it asked for a creation; empty when it had not.
func (p *past) toldOfEnding(s *sequence, ending history.Change, creation history.Request) string {
	for _, request := range p.run.Requests {
		resource, _, _ := strings.Cut(request.Call.Resource, "/")
		if request.Instance != creation.Instance || resource != sequentialJobs ||
			request.Answered == 0 || request.Answered > creation.Received || request.Told != request.Code {
			continue
		}
		did := request.Call.Verb == "delete" && request.Succeeded()
		showed := types.UID(request.UID) == s.uid && (did || request.ResourceVersion >= ending.ResourceVersion)
		missed := request.Code == http.StatusNotFound && request.Object.Name == s.name && s.gone != nil && request.Received > s.born().Seen
		if showed || missed {
			return "the answer to " + request.Call.String()
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
// between an event and a moment.
func (p *past) moreDelivered(s *sequence, since history.Frame, until time.Duration) bool {
	for _, frame := range p.run.Frames {
		if since.Delivered == 0 || frame.Delivered <= since.Delivered || frame.Delivered > until || p.instance(frame) != p.instance(since) {
			continue
		}
		j := p.job(types.UID(frame.UID))
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
