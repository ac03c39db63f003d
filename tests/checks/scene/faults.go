package scene

import (
	"fmt"
	"slices"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
)

// Fault injects the fault that a line describes, as proxy.ParseFault reads it: "answer 500: create jobs web/build #1".
func (s *Scene) Fault(line string) {
	fault, err := proxy.ParseFault(line)
	s.Must(err)
	s.Proxy.Inject(fault)
}

// Struck waits until all faults have struck. Until then what says what has not happened.
func (s *Scene) Struck(what string) {
	s.Until(func() string {
		if len(s.Proxy.Pending()) > 0 {
			return what
		}
		return ""
	})
}

// OnWrites has a fault strike the next writes to an object, whichever verbs the controller uses. Steps' Jobs are named
// like "web/build".
func (s *Scene) OnWrites(resource, object string, action proxy.Action, times int) {
	s.Proxy.Inject(proxy.Fault{Action: action, Next: history.Next{Resource: resource, Object: history.Logical(object), Times: times}})
}

// CrashAt has the controller crash after it has created a Job, before it receives the response.
func (s *Scene) CrashAt(job string) { s.OnWrites(kinds.Job.Resource, job, proxy.CrashAfterCommit, 1) }

// Crashed waits for that crash.
func (s *Scene) Crashed(job string) {
	s.Until(func() string {
		if _, _, killed := s.Current(); !killed {
			return fmt.Sprintf("the Job %s has not been created", job)
		}
		return ""
	})
	s.Proxy.Disarm()
}

// HoldBack waits until the controller has received every event of a SequentialJob so far. Then it holds back its
// events, from the next change until Proxy.Heal.
func (s *Scene) HoldBack(name string) {
	s.Until(s.uninformed(name))
	s.HoldNext(kinds.SequentialJob.Resource, history.Logical(name))
}

// uninformed returns what waits until the events of a SequentialJob so far have reached the controller.
func (s *Scene) uninformed(name string) func() string {
	s.Sync()
	return func() string {
		if !s.knowsLast(name) {
			return fmt.Sprintf("the last change of %s has not reached your controller", name)
		}
		return ""
	}
}

// HoldNext holds back the next MODIFIED event of an object, and all later events of that watch, until Proxy.Heal.
func (s *Scene) HoldNext(resource string, object history.Logical) {
	next := history.Moment{Type: "MODIFIED", Resource: resource, Object: object, Nth: 1}
	for _, frame := range s.Log.Run().Frames {
		if m := frame.Moment; m.Type == next.Type && m.Resource == next.Resource && m.Object == next.Object {
			next.Nth = max(next.Nth, m.Nth+1)
		}
	}
	s.Proxy.Inject(proxy.Fault{Action: proxy.Hold, Moment: next})
}

// knowsLast says whether the controller knows the last change of a SequentialJob: from its event, or because its
// watch started later.
func (s *Scene) knowsLast(name string) bool {
	run := s.Log.Run()
	var last history.Change
	for _, change := range run.Changes {
		if change.Resource == kinds.SequentialJob.Resource && change.Object.GetName() == name {
			last = change
		}
	}
	if last.Object == nil {
		return true
	}
	instance, _, _ := s.Current()
	for _, frame := range run.Frames {
		stream := run.Streams[frame.Stream-1]
		received := frame.Delivered > 0 && frame.UID == string(last.Object.GetUID()) && frame.ResourceVersion >= last.ResourceVersion
		if received && stream.Instance == instance {
			return true
		}
	}
	return slices.ContainsFunc(run.Streams, func(stream history.Stream) bool {
		return stream.Instance == instance && stream.Resource == kinds.SequentialJob.Resource && stream.Opened > last.Seen && stream.UpToDate > 0
	})
}
