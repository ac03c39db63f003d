package scene

import (
	"fmt"
	"slices"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
)

// Inject lets something happen to the controller.
func (s *Scene) Inject(faults ...proxy.Fault) { s.Proxy.Inject(faults...) }

// Fault is the fault that a line tells of, as proxy.ParseFault reads it: "answer 500: create jobs web/build #1".
func (s *Scene) Fault(line string) {
	fault, err := proxy.ParseFault(line)
	s.Must(err)
	s.Inject(fault)
}

// Struck waits until all faults have found what they are to strike.
func (s *Scene) Struck(what string) {
	s.Until(func() string {
		if len(s.Proxy.Pending()) > 0 {
			return what
		}
		return ""
	})
}

// OnWrites has the next writes to a Job struck, whichever verbs the controller uses: "web/build".
func (s *Scene) OnWrites(job string, action proxy.Action, times int) {
	s.Inject(proxy.Fault{Action: action, Next: history.Next{Resource: kinds.Job.Resource, Object: history.Logical(job), Times: times}})
}

// OnStatusWrites does so for the status of a SequentialJob.
func (s *Scene) OnStatusWrites(name string, action proxy.Action, times int) {
	s.Inject(proxy.Fault{Action: action, Next: history.Next{Resource: SequentialJobs + "/status", Object: history.Logical(name), Times: times}})
}

// CrashAt has the controller crash when it has made a Job, before it can know. See crashed.
func (s *Scene) CrashAt(job string) { s.OnWrites(job, proxy.CrashAfterCommit, 1) }

// Crashed waits for a crash.
func (s *Scene) Crashed(job string) {
	s.Until(func() string {
		if _, _, killed := s.Current(); !killed {
			return fmt.Sprintf("the Job %s had not been created", job)
		}
		return ""
	})
	s.Proxy.Disarm()
}

// HoldBack waits until the controller has received every event of a SequentialJob so far. Then it holds back the
// events from the next change on, until Proxy.Heal.
func (s *Scene) HoldBack(name string) {
	s.Until(s.uninformed(name))
	s.HoldNext(SequentialJobs, history.Logical(name))
}

// uninformed says that the controller has not been told what has happened to a SequentialJob so far, while that
// is so.
func (s *Scene) uninformed(name string) func() string {
	_, err := s.Observer.Sync(s.Context())
	s.Must(err)
	return func() string {
		if !s.knowsLast(name) {
			return fmt.Sprintf("the last change of %s had not reached it", name)
		}
		return ""
	}
}

// HoldNext holds the next event of an object's change, and with it all that comes after on that watch, until
// Proxy.Heal.
func (s *Scene) HoldNext(resource string, object history.Logical) {
	next := history.Moment{Type: "MODIFIED", Resource: resource, Object: object, Nth: 1}
	for _, frame := range s.Log.Run().Frames {
		if m := frame.Moment; m.Type == next.Type && m.Resource == next.Resource && m.Object == next.Object {
			next.Nth = max(next.Nth, m.Nth+1)
		}
	}
	s.Inject(proxy.Fault{Action: proxy.Hold, Moment: next})
}

// knowsLast says whether the controller has been told of the last change of a SequentialJob: by its event,
// or because it has begun to watch later.
func (s *Scene) knowsLast(name string) bool {
	run := s.Log.Run()
	var last history.Change
	for _, change := range run.Changes {
		if change.Resource == SequentialJobs && change.Object.GetName() == name {
			last = change
		}
	}
	if last.Object == nil {
		return true
	}
	instance, _, _ := s.Current()
	for _, frame := range run.Frames {
		stream := run.Streams[frame.Stream-1]
		heard := frame.Delivered > 0 && frame.UID == string(last.Object.GetUID()) && frame.ResourceVersion >= last.ResourceVersion
		if heard && stream.Instance == instance {
			return true
		}
	}
	return slices.ContainsFunc(run.Streams, func(stream history.Stream) bool {
		return stream.Instance == instance && stream.Resource == SequentialJobs && stream.Opened > last.Seen && stream.UpToDate > 0
	})
}
