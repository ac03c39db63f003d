package picture

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
)

// story builds a run by hand. It looks like the run of a real controller.
type story struct {
	run  history.Run
	at   time.Duration
	rv   uint64
	held int // the fault that holds the watch on jobs
	nth  map[string]int
}

func newStory() *story { return &story{rv: 100, nth: map[string]int{}} }

// ms lets time go by.
func (s *story) ms(milliseconds float64) time.Duration {
	s.at += time.Duration(milliseconds * float64(time.Millisecond))
	return s.at
}

func (s *story) instance() int { return len(s.run.Processes) }

func (s *story) count(key string) int {
	s.nth[key]++
	return s.nth[key]
}

func (s *story) start() {
	s.run.Processes = append(s.run.Processes, history.Process{Instance: s.instance() + 1, Started: s.ms(10)})
	for _, resource := range []string{"sequentialjobs", "jobs"} {
		s.run.Streams = append(s.run.Streams, history.Stream{
			ID: len(s.run.Streams) + 1, Instance: s.instance(), Resource: resource, Code: 200, Opened: s.ms(60), UpToDate: s.at + 15*time.Millisecond,
		})
	}
	s.run.Processes[s.instance()-1].UpToDate = s.ms(20)
}

func (s *story) kill(how string) {
	s.run.Processes[s.instance()-1].Ended = s.ms(1)
	s.run.Processes[s.instance()-1].How = how
	for i := range s.run.Streams {
		if s.run.Streams[i].Ended == 0 {
			s.run.Streams[i].Ended = s.at
		}
	}
}

func (s *story) strike(line string) int {
	fault, err := proxy.ParseFault(line)
	if err != nil {
		panic(err)
	}
	s.run.Faults = append(s.run.Faults, history.Strike{ID: len(s.run.Faults) + 1, Fault: fault, Struck: s.ms(0.5)})
	return len(s.run.Faults)
}

func (s *story) heal(fault int) {
	s.run.Faults[fault-1].Healed = s.ms(0.5)
	for i := range s.run.Frames {
		if f := &s.run.Frames[i]; f.Fault == fault && f.Delivered == 0 && s.run.Streams[f.Stream-1].Ended == 0 {
			f.Delivered = s.at
		}
	}
	s.held = 0
}

func (s *story) others(who, what string) {
	s.run.Stimuli = append(s.run.Stimuli, history.Stimulus{At: s.ms(1), Actor: who, What: what})
}

// change makes a new version of an object and sends it along the watches.
func (s *story) change(changeType, resource string, object *unstructured.Unstructured) uint64 {
	s.rv++
	object = object.DeepCopy()
	object.SetResourceVersion(fmt.Sprint(s.rv))
	s.run.Changes = append(s.run.Changes, history.Change{
		ResourceVersion: s.rv, Seen: s.ms(1), Type: changeType, Resource: resource, Object: object,
	})
	logical := kinds.Of(object).LogicalOf(object)
	moment := history.Moment{Type: changeType, Resource: resource, Object: logical, Nth: s.count(changeType + resource + string(logical))}
	for _, stream := range s.run.Streams {
		if stream.Resource != resource || stream.Ended > 0 {
			continue
		}
		frame := history.Frame{
			Stream: stream.ID, Moment: moment, Type: changeType, ResourceVersion: s.rv, UID: string(object.GetUID()),
			Object:   history.Name{Namespace: object.GetNamespace(), Name: object.GetName()},
			Received: s.at + time.Millisecond, Delivered: s.at + 2*time.Millisecond,
		}
		if resource == "jobs" && s.held > 0 {
			frame.Delivered, frame.Fault = 0, s.held
		}
		s.run.Frames = append(s.run.Frames, frame)
	}
	return s.rv
}

// ask is a request of the controller that is answered.
func (s *story) ask(verb, resource string, object history.Logical, code int, reason string) *history.Request {
	call := history.Call{Verb: verb, Resource: resource, Object: object}
	call.Nth = s.count(call.String())
	r := history.Request{
		ID: len(s.run.Requests) + 1, Instance: s.instance(), Call: call, Group: "batch",
		Received: s.ms(2), Committed: s.at + 3*time.Millisecond, Answered: s.at + 4*time.Millisecond,
		Code: code, Returned: code, Reason: reason,
	}
	s.ms(3)
	s.run.Requests = append(s.run.Requests, r)
	return &s.run.Requests[len(s.run.Requests)-1]
}

// write is a request that makes a new version of an object.
func (s *story) write(verb, resource, changeType string, object *unstructured.Unstructured, code int) *history.Request {
	r := s.ask(verb, resource, kinds.Of(object).LogicalOf(object), code, "")
	r.Object = history.Name{Namespace: object.GetNamespace(), Name: object.GetName()}
	r.UID = string(object.GetUID())
	r.ResourceVersion = s.change(changeType, plain(resource), object)
	return r
}

func sequentialJob(succeeded, reason string, steps ...string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": v1alpha1.Kind,
		"spec": map[string]any{"steps": []any{map[string]any{"name": "build"}, map[string]any{"name": "deploy"}}},
	}}
	named(object, "web", "5e9c0c4e")
	if succeeded == "" {
		return object
	}
	var states []any
	for i, name := range []string{"build", "deploy"} {
		states = append(states, map[string]any{"name": name, "state": steps[i]})
	}
	object.Object["status"] = map[string]any{
		"observedGeneration": int64(1), "steps": states,
		"conditions": []any{
			map[string]any{"type": "Accepted", "status": "True", "reason": "Accepted"},
			map[string]any{"type": "Succeeded", "status": succeeded, "reason": reason},
		},
	}
	return object
}

func job(step, suffix string, conditions ...string) *unstructured.Unstructured {
	var shown []any
	for _, condition := range conditions {
		shown = append(shown, map[string]any{"type": condition, "status": "True"})
	}
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "batch/v1", "kind": "Job",
		"metadata": map[string]any{"ownerReferences": []any{map[string]any{
			"apiVersion": v1alpha1.GroupVersion.String(), "kind": v1alpha1.Kind, "name": "web", "uid": "5e9c0c4e", "controller": true,
		}}},
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
			"restartPolicy": "Never", "containers": []any{map[string]any{"name": step, "image": "step"}},
		}}},
		"status": map[string]any{"conditions": shown},
	}}
	return named(object, "web-"+step+suffix, "job-"+step+suffix)
}

func running(job *unstructured.Unstructured) *unstructured.Unstructured {
	_ = unstructured.SetNestedField(job.Object, int64(1), "status", "active")
	return job
}

func named(object *unstructured.Unstructured, name, uid string) *unstructured.Unstructured {
	object.SetNamespace("default")
	object.SetName(name)
	object.SetUID(types.UID(uid))
	object.SetGeneration(1)
	return object
}

// doubleCreation is a run in which the watch on Jobs was held, so that the controller did not see the
// Job it had created and created another. It was killed at its next write and started again.
func doubleCreation() (history.Run, []finding.Finding) {
	s := newStory()
	s.start()
	for _, resource := range []string{"configmaps", "leases"} {
		s.ask("get", resource, "settings", 404, "NotFound")
	}
	s.ms(120)
	s.others("user", "creates SequentialJob web")
	s.change("ADDED", "sequentialjobs", sequentialJob("", ""))
	s.write("update", "sequentialjobs/status", "MODIFIED", sequentialJob("Unknown", "Running", "Pending", "Pending"), 200)
	s.held = s.strike("hold: ADDED jobs web/build #1")
	first := s.write("create", "jobs", "ADDED", job("build", "-x7k2p"), 201)
	s.others("job controller", "starts Job web-build-x7k2p")
	s.change("MODIFIED", "jobs", running(job("build", "-x7k2p")))
	for range 2 {
		s.ask("update", "sequentialjobs/status", "web", 409, "Conflict")
		s.ask("get", "sequentialjobs", "web", 200, "")
	}
	s.write("update", "sequentialjobs/status", "MODIFIED", sequentialJob("Unknown", "Running", "Pending", "Pending"), 200)
	s.ask("create", "events", "web", 429, "TooManyRequests").Code = 0
	s.ask("create", "events", "web", 500, "InternalError")
	second := s.write("create", "jobs", "ADDED", job("build", "-9c4tq"), 201)
	moment := s.at
	s.others("job controller", "starts Job web-build-9c4tq")
	s.change("MODIFIED", "jobs", running(job("build", "-9c4tq")))
	s.ms(60)
	s.heal(s.held)
	s.ms(30)
	crash := s.strike("crash after commit: update sequentialjobs/status web #5")
	lost := s.write("update", "sequentialjobs/status", "MODIFIED", sequentialJob("Unknown", "Running", "Running", "Pending"), 200)
	lost.Returned, lost.Answered, lost.Fault = 0, 0, crash
	s.kill("killed")
	s.heal(crash)
	s.ms(400)
	s.start()
	for _, resource := range []string{"configmaps", "leases"} {
		s.ask("get", resource, "settings", 404, "NotFound")
	}
	for range 8 {
		s.ask("get", "jobs", "web/build", 200, "")
	}
	for _, suffix := range []string{"-x7k2p", "-9c4tq"} {
		s.others("job controller", "completes Job web-build"+suffix)
		s.change("MODIFIED", "jobs", job("build", suffix, "SuccessCriteriaMet"))
		s.change("MODIFIED", "jobs", job("build", suffix, "SuccessCriteriaMet", "Complete"))
	}
	s.write("update", "sequentialjobs/status", "MODIFIED", sequentialJob("Unknown", "Running", "Succeeded", "Pending"), 200)
	s.write("create", "jobs", "ADDED", job("deploy", "-b2w8d"), 201)
	s.write("update", "sequentialjobs/status", "MODIFIED", sequentialJob("Unknown", "Running", "Succeeded", "Running"), 200)
	s.change("MODIFIED", "jobs", running(job("deploy", "-b2w8d")))
	s.ms(2500)
	s.others("job controller", "fails Job web-deploy-b2w8d")
	s.change("MODIFIED", "jobs", job("deploy", "-b2w8d", "FailureTarget"))
	s.change("MODIFIED", "jobs", job("deploy", "-b2w8d", "FailureTarget", "Failed"))
	s.write("update", "sequentialjobs/status", "MODIFIED", sequentialJob("False", "StepFailed", "Succeeded", "Failed"), 200)
	doomed := job("build", "-x7k2p", "Complete")
	doomed.SetFinalizers([]string{"foregroundDeletion"})
	s.ask("delete", "jobs", "web/build", 200, "")
	doomed.SetDeletionTimestamp(&metav1.Time{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)})
	s.change("MODIFIED", "jobs", doomed)
	s.ms(40)
	s.others("garbage collector", "removes Job web-build-x7k2p")
	s.change("DELETED", "jobs", doomed)
	for range 12 {
		s.ask("get", "jobs", "web/deploy", 200, "")
	}
	s.kill("stopped")

	return s.run, []finding.Finding{{
		Check: "I3",
		Title: "One Job per step, ever",
		What:  `Two Jobs were created for step "build" of SequentialJob web: web-build-x7k2p (resourceVersion 103) and web-build-9c4tq (106).`,
		When: fmt.Sprintf("%s  create jobs web/build #1 → 201\n%s  its watch on jobs was held before the event of web-build-x7k2p reached it\n%s  create jobs web/build #2 → 201",
			seconds(first.Received), seconds(s.run.Faults[0].Struck), seconds(second.Received)),
		Why:      "A cached client does not see its own writes. In production the cache is stale whenever the API server is busy; a migration would run twice.",
		Read:     "lessons/08-expectations/README.md#stale-reads",
		Again:    "make lesson-8 test CHECK=8.2",
		At:       moment,
		Requests: []int{first.ID, second.ID},
		Changes:  []uint64{first.ResourceVersion, second.ResourceVersion},
	}}
}

// longRun has 2,000 requests, each with a change and an event.
func longRun() history.Run {
	s := newStory()
	s.start()
	for i := range 2000 {
		name := fmt.Sprintf("-%d", i%20)
		s.write("update", "jobs", "MODIFIED", running(job("build", name)), 200)
	}
	s.kill("stopped")
	return s.run
}
