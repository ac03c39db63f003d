package invariants

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
)

const deleted = "DELETED"

// The resources that the rules are about.
var jobs, sequentialJobs = kinds.Job.Resource, kinds.SequentialJob.Resource

// past is a run, sorted by objects. Requests that are not about the run's objects are left out: those
// on leases and in other namespaces, which have no number.
type past struct {
	run       history.Run
	sequences []*sequence          // in the order in which they appeared
	jobs      []*job               // likewise
	names     map[types.UID]string // of all objects, whatever their kind

	told map[uint64]time.Duration // when the proxy first had an event with that resourceVersion
}

// read sorts a run by objects.
func read(run history.Run, frontier uint64) (*past, error) {
	p := &past{run: run, names: map[types.UID]string{}, told: map[uint64]time.Duration{}}
	p.run.Requests = slices.DeleteFunc(slices.Clone(run.Requests), func(r history.Request) bool { return r.Call.Nth == 0 })
	for _, frame := range run.Frames {
		if first, known := p.told[frame.ResourceVersion]; !known || frame.Received < first {
			p.told[frame.ResourceVersion] = frame.Received
		}
	}
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
		}
		if err != nil {
			return nil, fmt.Errorf("%s %s at resourceVersion %d: %w", change.Resource, change.Object.GetName(), change.ResourceVersion, err)
		}
	}
	return p, p.readCreations()
}

func (p *past) readSequence(change history.Change) error {
	s := p.sequence(change.Object.GetUID())
	if s == nil {
		s = &sequence{uid: change.Object.GetUID(), name: change.Object.GetName()}
		p.sequences = append(p.sequences, s)
	}
	if change.Type == deleted {
		s.gone = &change
		return nil
	}
	s.versions = append(s.versions, sequenceVersion{change: change})
	return convert(change, &s.versions[len(s.versions)-1].object)
}

func (p *past) readJob(change history.Change) error {
	j := p.job(change.Object.GetUID())
	if j == nil {
		j = &job{uid: change.Object.GetUID(), name: change.Object.GetName(), step: kinds.StepOf(change.Object)}
		p.jobs = append(p.jobs, j)
	}
	if change.Type == deleted {
		j.gone = &change
		return nil
	}
	j.versions = append(j.versions, jobVersion{change: change})
	version := &j.versions[len(j.versions)-1]
	if err := convert(change, &version.object); err != nil {
		return err
	}
	if owner := version.ownedBy(); j.owner == "" {
		j.owner = owner
	}
	return nil
}

func convert(change history.Change, object any) error {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(change.Object.Object, object)
}

// readCreations finds the requests that made the Jobs. A dry run makes none: its answer has the UID
// of nothing.
func (p *past) readCreations() error {
	for i := range p.run.Requests {
		request := &p.run.Requests[i]
		if request.Call.Resource != jobs || !request.Write() || request.Code != http.StatusCreated {
			continue
		}
		if request.UID == "" {
			return fmt.Errorf("request %d created a Job, and the history does not say which", request.ID)
		}
		if j := p.job(types.UID(request.UID)); j != nil {
			j.created = request
		}
	}
	return nil
}

func (p *past) sequence(uid types.UID) *sequence {
	for _, s := range p.sequences {
		if s.uid == uid {
			return s
		}
	}
	return nil
}

func (p *past) job(uid types.UID) *job {
	for _, j := range p.jobs {
		if j.uid == uid {
			return j
		}
	}
	return nil
}

// made returns the Jobs that the controller created for a SequentialJob.
func (p *past) made(owner types.UID) []*job {
	return slices.DeleteFunc(slices.Clone(p.jobs), func(j *job) bool { return j.owner != owner || j.created == nil })
}

// author returns the request of the controller that made a change; nil where somebody else made it.
// The answer to a write that changes nothing bears the resourceVersion of the change before,
// whoever made that: so a change that was there before the request came is not the request's.
func (p *past) author(change history.Change) *history.Request {
	for i := range p.run.Requests {
		request := &p.run.Requests[i]
		if !request.Write() || !request.Succeeded() || request.ResourceVersion != change.ResourceVersion || change.Seen < request.Received {
			continue
		}
		if told, known := p.told[change.ResourceVersion]; !known || told >= request.Received {
			return request
		}
	}
	return nil
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
