package invariants

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
)

const deleted = "DELETED"

// The resources that the rules are about.
var jobs, sequentialJobs, workspaces = kinds.Job.Resource, kinds.SequentialJob.Resource, kinds.Workspace.Resource

// past is a run, sorted by objects. Requests that are not about the run's objects are left out: those
// on leases and in other namespaces, which have no number.
type past struct {
	run        history.Run
	checker    *Checker
	sequences  []*sequence          // in the order in which they appeared
	jobs       []*job               // likewise
	workspaces []*workspace         // likewise
	names      map[types.UID]string // of all objects, whatever their kind
	authors    history.Authors
}

// read sorts a run by objects.
func (c *Checker) read(run history.Run, frontier uint64) (*past, error) {
	p := &past{run: run, checker: c, names: map[types.UID]string{}}
	p.run.Requests = slices.DeleteFunc(slices.Clone(run.Requests), func(r history.Request) bool { return r.Call.Nth == 0 })
	p.authors = history.AuthorsOf(p.run)
	for _, change := range run.Changes {
		if change.ResourceVersion > frontier {
			break
		}
		if _, known := p.names[change.Object.GetUID()]; change.Type == deleted && !known {
			return nil, fmt.Errorf("%s %s went away at resourceVersion %d, and the history does not say when it came",
				change.Resource, change.Object.GetName(), change.ResourceVersion)
		}
		p.names[change.Object.GetUID()] = change.Object.GetName()
		var err error
		switch change.Resource {
		case sequentialJobs:
			err = p.readSequence(change)
		case jobs:
			err = p.readJob(change)
		case workspaces:
			err = p.readWorkspace(change)
		}
		if err != nil {
			return nil, fmt.Errorf("%s %s at resourceVersion %d: %w", change.Resource, change.Object.GetName(), change.ResourceVersion, err)
		}
	}
	return p, p.readCreations()
}

func (p *past) readSequence(change history.Change) error {
	s := find(p.sequences, change.Object.GetUID())
	if s == nil {
		s = &sequence{lifeOf[sequentialJob](change)}
		p.sequences = append(p.sequences, s)
	}
	return s.record(p.checker, change)
}

func (p *past) readJob(change history.Change) error {
	j := find(p.jobs, change.Object.GetUID())
	if j == nil {
		j = &job{life: lifeOf[jobObject](change), step: kinds.StepOf(change.Object)}
		p.jobs = append(p.jobs, j)
	}
	if err := j.record(p.checker, change); err != nil {
		return err
	}
	j.owner = cmp.Or(j.owner, j.last().object.ownedBy())
	return nil
}

// readCreations finds the requests that made the Jobs. A dry run creates none: the UID in its
// response belongs to no object.
func (p *past) readCreations() error {
	for i := range p.run.Requests {
		request := &p.run.Requests[i]
		if request.Call.Resource != jobs || !request.Write() || request.Code != http.StatusCreated {
			continue
		}
		if request.UID == "" {
			return fmt.Errorf("request %d created a Job, and the history does not say which", request.ID)
		}
		if j := find(p.jobs, types.UID(request.UID)); j != nil {
			j.created = request
		}
	}
	return nil
}

// made returns the Jobs that the controller created for a SequentialJob.
func (p *past) made(owner types.UID) []*job {
	return slices.DeleteFunc(slices.Clone(p.jobs), func(j *job) bool { return j.owner != owner || j.created == nil })
}

// author returns the request of the controller that made a change; nil if another client made it.
func (p *past) author(change history.Change) *history.Request { return p.authors.Of(change) }

// violation is one that a change shows, and the controller's request that made it.
func (p *past) violation(what string, change history.Change) Violation {
	v := Violation{What: what, At: change.Seen, Changes: []uint64{change.ResourceVersion}}
	if author := p.author(change); author != nil {
		v.Requests = []int{author.ID}
	}
	return v
}

// late says whether the Job's creation was on its way when the process that asked for it ended. Its
// successor can't know of it before it is there.
func (p *past) late(j *job) bool {
	for _, process := range p.run.Processes {
		if j.created != nil && process.Instance == j.created.Instance {
			return process.Ended != 0 && process.Ended < j.created.Committed
		}
	}
	return false
}
