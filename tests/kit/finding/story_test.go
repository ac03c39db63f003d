package finding_test

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/proxy"
)

const ms = time.Millisecond

// staleCache is a run whose watch on Jobs is held, so that the controller creates a second Job for a step.
// It is killed at its next write. The next process receives all events.
func staleCache() history.Run {
	return history.Run{
		Processes: []history.Process{
			{Instance: 1, Started: 10 * ms, UpToDate: 300 * ms, Ended: 500 * ms, How: "killed"},
			{Instance: 2, Started: 600 * ms, UpToDate: 800 * ms},
		},
		Stimuli: []history.Stimulus{
			{At: 350 * ms, Actor: "user", What: "creates SequentialJob web"},
			{At: 420 * ms, Actor: "job controller", What: "starts Job web-build-x7k2p"},
		},
		Faults: []history.Strike{
			{ID: 1, Fault: fault("hold: ADDED jobs web/build #1"), Struck: 390 * ms},
			{ID: 2, Fault: fault("crash after commit: update sequentialjobs/status web #1"), Struck: 490 * ms, Healed: 500 * ms},
		},
		Streams: []history.Stream{
			{ID: 1, Instance: 1, Resource: "sequentialjobs", Opened: 200 * ms, UpToDate: 250 * ms, Ended: 500 * ms, Code: 200},
			{ID: 2, Instance: 1, Resource: "jobs", Opened: 200 * ms, UpToDate: 260 * ms, Ended: 500 * ms, Code: 200},
			{ID: 3, Instance: 2, Resource: "jobs", Opened: 700 * ms, UpToDate: 800 * ms, Code: 200},
		},
		Frames: []history.Frame{
			event(1, "ADDED", "sequentialjobs", "web", "web", 100, 351*ms, 352*ms, 0),
			event(2, "ADDED", "jobs", "web/build", "web-build-x7k2p", 101, 395*ms, 0, 1),
			{Stream: 2, Type: "BOOKMARK", ResourceVersion: 101, Received: 396 * ms, Delivered: 396 * ms},
			event(2, "MODIFIED", "jobs", "web/build", "web-build-x7k2p", 102, 425*ms, 0, 1),
			initial(event(3, "ADDED", "jobs", "web/build", "web-build-x7k2p", 102, 710*ms, 711*ms, 0)),
			event(3, "MODIFIED", "jobs", "web/build", "web-build-x7k2p", 105, 900*ms, 1050*ms, 0),
		},
		Requests: []history.Request{
			request(1, 1, "create", "jobs", "web/build", "web-build-x7k2p", 380*ms, 201, 201, 101),
			request(2, 1, "create", "jobs", "web/build", "web-build-9c4tq", 412*ms, 201, 201, 103),
			struck(request(3, 1, "update", "sequentialjobs/status", "web", "web", 485*ms, 200, 0, 104), 2),
			request(4, 2, "update", "sequentialjobs/status", "web", "web", 820*ms, 409, 409, 0),
		},
		Changes: []history.Change{
			change(100, "ADDED", 351*ms, "sequentialjobs", sequentialJob(nil)),
			change(101, "ADDED", 394*ms, "jobs", job("web-build-x7k2p")),
			change(102, "MODIFIED", 424*ms, "jobs", job("web-build-x7k2p")),
			change(103, "ADDED", 415*ms, "jobs", job("web-build-9c4tq")),
			change(104, "MODIFIED", 488*ms, "sequentialjobs", sequentialJob(map[string]any{
				"steps":      []any{map[string]any{"name": "build", "state": "Running"}},
				"conditions": []any{map[string]any{"type": "Succeeded", "status": "Unknown"}},
			})),
			change(105, "MODIFIED", 899*ms, "jobs", job("web-build-x7k2p", "Complete")),
		},
	}
}

func fault(line string) history.Fault {
	parse := proxy.ParseFault
	if strings.Contains(line, " buckets ") {
		parse = buckets.ParseFault
	}
	fault, err := parse(line)
	if err != nil {
		panic(err)
	}
	return fault
}

func request(id, instance int, verb, resource string, object history.Logical, name string, at time.Duration, code, returned int, version uint64) history.Request {
	r := history.Request{
		ID: id, Instance: instance, Call: history.Call{Verb: verb, Resource: resource, Object: object, Nth: 1}, Group: "batch",
		Object: history.Name{Namespace: "plan-1", Name: name}, Received: at, Code: code, Returned: returned, ResourceVersion: version,
	}
	if code > 0 {
		r.Committed = at + 2*ms
	}
	if returned > 0 {
		r.Answered = at + 3*ms
	}
	if code == 409 {
		r.Reason = "Conflict"
	}
	return r
}

func struck(r history.Request, fault int) history.Request {
	r.Fault = fault
	return r
}

func event(stream int, kind, resource string, object history.Logical, name string, version uint64, received, delivered time.Duration, fault int) history.Frame {
	return history.Frame{
		Stream: stream, Type: kind, Moment: history.Moment{Type: kind, Resource: resource, Object: object, Nth: 1},
		Object: history.Name{Namespace: "plan-1", Name: name}, UID: "uid-of-" + name, ResourceVersion: version,
		Received: received, Delivered: delivered, Fault: fault,
	}
}

func initial(f history.Frame) history.Frame {
	f.Initial = true
	return f
}

func change(version uint64, kind string, seen time.Duration, resource string, object *unstructured.Unstructured) history.Change {
	return history.Change{ResourceVersion: version, Seen: seen, Type: kind, Resource: resource, Object: object}
}

func sequentialJob(status map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"kind": "SequentialJob"}}
	object.SetName("web")
	object.SetUID("uid-of-web")
	if status != nil {
		object.Object["status"] = status
	}
	return object
}

func job(name string, conditions ...string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"kind": "Job"}}
	object.SetName(name)
	object.SetUID(types.UID("uid-of-" + name))
	var list []any
	for _, condition := range conditions {
		list = append(list, map[string]any{"type": condition, "status": "True"})
	}
	if list != nil {
		object.Object["status"] = map[string]any{"conditions": list}
	}
	return object
}
