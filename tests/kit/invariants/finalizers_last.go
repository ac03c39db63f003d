package invariants

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/tests/kit/history"
)

// finalizersLast is I5. Only a removal that the controller asked for is its own: users remove
// finalizers too, to get rid of an object. A Job whose creation a process that had ended left on its
// way, or had asked for before, can't be known to the one that removes the finalizer.
func finalizersLast(p *past, _ Options) []Violation {
	var violations []Violation
	for _, s := range p.sequences {
		for _, removal := range p.removals(s) {
			at := removal.change.ResourceVersion
			for _, j := range p.made(s.uid) {
				violation := Violation{
					At: removal.change.Seen, Changes: []uint64{j.bornAt(), at}, Requests: []int{j.created.ID, removal.request.ID},
				}
				before := j.at(at)
				switch {
				case before != nil && before.object.unfinished() && !p.late(j):
					violation.What = fmt.Sprintf("The finalizer %s was removed from SequentialJob %s while its Job %s %s.", removal.finalizer, s.name, j.name, before.object.state())
				case j.bornAt() > at && j.created.Received > removal.request.Received:
					violation.What = fmt.Sprintf("Job %s was created after the finalizer %s had been removed from SequentialJob %s.", j.name, removal.finalizer, s.name)
					violation.At = j.born().Seen
				default:
					continue
				}
				violations = append(violations, violation)
			}
		}
	}
	return violations
}

// removal is that of a finalizer by the controller from an object that is being deleted.
type removal struct {
	finalizer string
	change    history.Change
	request   history.Request
}

func (p *past) removals(s *sequence) []removal {
	var removals []removal
	for i := range s.versions {
		now := s.versions[i].object
		if now.DeletionTimestamp == nil {
			continue
		}
		var next *history.Change
		var left []string
		var request *history.Request
		switch {
		case i+1 < len(s.versions):
			next, left = &s.versions[i+1].change, s.versions[i+1].object.Finalizers
			request = p.author(*next)
		case s.gone != nil:
			next = s.gone
			request = p.lastRemoval(s)
		}
		if request == nil {
			continue
		}
		for _, finalizer := range now.Finalizers {
			if finalizer != metav1.FinalizerDeleteDependents && finalizer != metav1.FinalizerOrphanDependents && !slices.Contains(left, finalizer) {
				removals = append(removals, removal{finalizer, *next, *request})
			}
		}
	}
	return removals
}

// lastRemoval returns the request that removed the last finalizers from an object that is gone. The
// API server does not write an object then but removes it: there is no change without the finalizers,
// and its response bears the resourceVersion of the version before.
func (p *past) lastRemoval(s *sequence) *history.Request {
	ending := s.ending()
	for i := len(p.run.Requests) - 1; i >= 0; i-- {
		request := &p.run.Requests[i]
		if types.UID(request.UID) == s.uid && request.Call.Resource == sequentialJobs && request.Succeeded() &&
			(request.Call.Verb == "update" || request.Call.Verb == "patch") && request.ResourceVersion >= ending.ResourceVersion {
			return request
		}
	}
	return nil
}
