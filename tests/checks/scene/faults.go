package scene

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/stage"
)

// armed is a fault of the check, and when it was injected.
type armed struct {
	proxy.Fault
	at time.Duration
}

// Fault injects the fault that a line describes, as stage.ParseFault reads it: "answer 500: create jobs web/build #1", or of the
// object store "answer 503: next 2 writes buckets files", where a bucket is called as its Workspace. It has to strike before the
// check passes. A fault of reads does not: whether a controller sends any is up to it.
func (s *Scene) Fault(line string) {
	fault, err := stage.ParseFault(line)
	s.Must(err)
	s.inject(fault)
}

func (s *Scene) inject(fault proxy.Fault) {
	if fault.Action == proxy.MissedDelete {
		s.spareReads()
	}
	if !fault.Next.Reads {
		s.armed = append(s.armed, armed{fault, s.Log.Now()})
	}
	s.Inject(fault)
}

// unmet is a fault of the check that has not struck at all, and whether there is one. A fault of several writes has
// struck once the first of them has come.
func (s *Scene) unmet() (armed, bool) {
	pending := s.Pending()
	i := slices.IndexFunc(s.armed, func(a armed) bool { return slices.Contains(pending, a.Fault) })
	if i < 0 {
		return armed{}, false
	}
	return s.armed[i], true
}

// didNotStrike says of a fault what it would have needed.
func didNotStrike(fault armed) string {
	needs := "that request from your controller"
	switch {
	case fault.Moment != history.Moment{}:
		needs = "that event on one of your controller's watches"
	case fault.Next.Times > 0:
		needs = "such a write from your controller"
	case stage.OfStore(fault.Fault):
		needs = "that request to the object store from your controller"
	}
	return fmt.Sprintf("the fault %q did not strike, and needs %s", fault.Fault, needs)
}

// Struck waits until all faults have struck. Until then what says what has not happened. If it has happened, and a fault
// has missed it, the check ends without a verdict.
func (s *Scene) Struck(what string) {
	s.while(s.React, func() string {
		if _, is := s.unmet(); is {
			return what
		}
		return ""
	}, func() string {
		if fault, is := s.unmet(); is && s.missed(fault) {
			return didNotStrike(fault)
		}
		return ""
	})
}

// missed says whether a fault has missed what it was to strike: events on a watch that is open, or a write that
// succeeded.
func (s *Scene) missed(fault armed) bool {
	if fault.Moment.Resource == buckets.Resource {
		return s.missedAdvisory(fault)
	}
	if fault.Moment.Resource != "" {
		return s.watches(fault.Moment.Resource)
	}
	run := s.Log.Run()
	if stage.OfStore(fault.Fault) {
		return slices.ContainsFunc(run.Requests, func(r history.Request) bool {
			like := fault.Next.Covers(r.Call) || r.Call.Verb == fault.Call.Verb && r.Call.Object == fault.Call.Object
			return like && r.Call.Resource == buckets.Resource && r.Succeeded() && r.Fault == 0 && r.Received >= fault.at
		})
	}
	written := map[string]bool{} // by UID
	for _, r := range run.Requests {
		if r.Write() && r.Succeeded() && r.Fault == 0 && r.Received >= fault.at && r.Call.Resource == fault.Next.Resource {
			written[r.UID] = true
		}
	}
	return slices.ContainsFunc(run.Changes, func(change history.Change) bool {
		return written[string(change.Object.GetUID())] && kinds.Of(change.Object).LogicalOf(change.Object) == fault.Next.Object
	})
}

// missedAdvisory says whether the store must have sent the controller an advisory that a fault has missed: the controller has
// subscribed to such advisories, and has made one happen by its own request. What happens to buckets otherwise is not in the history.
func (s *Scene) missedAdvisory(fault armed) bool {
	makes := map[string]string{"create": "CREATED", "update": "UPDATED", "delete": "DELETED"}
	subscribed := s.watching(func(stream history.Stream) bool {
		return stream.Resource == buckets.Resource && buckets.Receives(stream.Scope.Fields, fault.Moment.Type)
	})
	return subscribed && slices.ContainsFunc(s.Log.Run().Requests, func(r history.Request) bool {
		return r.Call.Resource == buckets.Resource && r.Call.Object == fault.Moment.Object && makes[r.Call.Verb] == fault.Moment.Type &&
			r.Succeeded() && r.Received >= fault.at
	})
}

// watches says whether the controller has a watch of a resource that the API server has opened.
func (s *Scene) watches(resource string) bool {
	return s.watching(func(stream history.Stream) bool { return stream.Resource == resource })
}

// watching says whether the controller has such a watch, which is open.
func (s *Scene) watching(such func(history.Stream) bool) bool {
	instance, _, _ := s.Current()
	return slices.ContainsFunc(s.Log.Run().Streams, func(stream history.Stream) bool {
		return stream.Instance == instance && stream.Code == http.StatusOK && stream.Ended == 0 && such(stream)
	})
}

// Disarm takes back the faults that would go on. The check ends without a verdict if one of them has not struck at all.
// Proxy.Disarm takes them back whether they have struck or not, and Stage.Disarm those of the object store too.
func (s *Scene) Disarm() {
	fault, is := s.unmet()
	s.Stage.Disarm()
	if is {
		s.NotJudged("%s", didNotStrike(fault))
	}
}

// OnWrites has a fault strike the next writes to an object, whichever verbs the controller uses. Steps' Jobs are named
// like "web/build".
func (s *Scene) OnWrites(resource, object string, action proxy.Action, times int) {
	s.inject(proxy.Fault{Action: action, Next: history.Next{Resource: resource, Object: history.Logical(object), Times: times}})
}

// CrashAt has the controller crash after it has created a Job, before it receives the response.
func (s *Scene) CrashAt(job string) { s.OnWrites(kinds.Job.Resource, job, proxy.CrashAfterCommit, 1) }

// Crashed waits for that crash.
func (s *Scene) Crashed(job string) {
	s.CrashedBy(fmt.Sprintf("the Job %s has not been created", job))
}

// CrashedBy waits until a fault has struck that kills the controller. Until then what says what the controller has not done.
func (s *Scene) CrashedBy(what string) {
	s.Struck(what)
	s.Needs("your controller's process to end", func() bool {
		_, _, killed := s.Current()
		return killed
	})
}

// HoldBack waits until the controller has received every event of a SequentialJob so far. Then it holds back its
// events, from the next change until Proxy.Heal.
func (s *Scene) HoldBack(name string) {
	s.while(s.React, s.uninformed(name), s.deaf)
	s.HoldNext("MODIFIED", kinds.SequentialJob.Resource, history.Logical(name))
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

// deaf excuses a controller that watches SequentialJobs for events that did not reach it.
func (s *Scene) deaf() string {
	if s.watches(kinds.SequentialJob.Resource) {
		return "it needs the last event of the SequentialJob to reach your controller's watch, which did not happen"
	}
	return ""
}

// HoldNext holds back the next event of a type of an object, and all later events of that watch, until Proxy.Heal.
func (s *Scene) HoldNext(event, resource string, object history.Logical) {
	next := history.Moment{Type: event, Resource: resource, Object: object, Nth: 1}
	for _, frame := range s.Log.Run().Frames {
		if m := frame.Moment; m.Type == next.Type && m.Resource == next.Resource && m.Object == next.Object {
			next.Nth = max(next.Nth, m.Nth+1)
		}
	}
	s.inject(proxy.Fault{Action: proxy.Hold, Moment: next})
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
