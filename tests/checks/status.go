package checks

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/stage"
)

// sequentialJobs is the resource, whose status is a subresource of its own.
const sequentialJobs = "sequentialjobs"

// AwaitStatus waits until the status of a SequentialJob is as it should be. Until then wanting says what is
// wrong, as the second half of a sentence: "the status of web did not name its current step".
func (s *Scene) AwaitStatus(name string, wanting func(*v1alpha1.SequentialJobStatus) string) {
	s.Await(name, func(w stage.World) string {
		if w.Object == nil {
			return fmt.Sprintf("SequentialJob %s was gone", name)
		}
		what := wanting(&w.Object.Status)
		if what == "" {
			return ""
		}
		return fmt.Sprintf("%s. Its status said %s", what, told(&w.Object.Status))
	})
}

// StepIs waits until the status says that of a step.
func (s *Scene) StepIs(name, step string, state v1alpha1.StepState) {
	s.AwaitStatus(name, func(status *v1alpha1.SequentialJobStatus) string {
		if entry := stepIn(status, step); entry == nil || entry.State != state {
			return fmt.Sprintf("the status of %s did not say that step %s is %s", name, step, state)
		}
		return ""
	})
}

// ConditionIs waits until the status says that of a condition.
func (s *Scene) ConditionIs(name, conditionType string, status metav1.ConditionStatus) {
	s.AwaitStatus(name, func(all *v1alpha1.SequentialJobStatus) string {
		if !meta.IsStatusConditionPresentAndEqual(all.Conditions, conditionType, status) {
			return fmt.Sprintf("the status of %s did not say %s=%s", name, conditionType, status)
		}
		return ""
	})
}

// Because waits until the status says that of a condition, for that reason.
func (s *Scene) Because(name, conditionType string, status metav1.ConditionStatus, reason string) {
	s.AwaitStatus(name, func(all *v1alpha1.SequentialJobStatus) string {
		condition := meta.FindStatusCondition(all.Conditions, conditionType)
		if condition == nil || condition.Status != status || condition.Reason != reason {
			return fmt.Sprintf("the status of %s did not say %s=%s with the reason %s", name, conditionType, status, reason)
		}
		return ""
	})
}

// stepIn is what a status says of a step; nil when it says nothing.
func stepIn(status *v1alpha1.SequentialJobStatus, step string) *v1alpha1.StepStatus {
	for i := range status.Steps {
		if status.Steps[i].Name == step {
			return &status.Steps[i]
		}
	}
	return nil
}

// told is what a status says, in a line.
func told(status *v1alpha1.SequentialJobStatus) string {
	var parts []string
	if len(status.Steps) > 0 {
		var steps []string
		for _, step := range status.Steps {
			steps = append(steps, fmt.Sprintf("%s %s", step.Name, step.State))
		}
		parts = append(parts, "steps "+strings.Join(steps, ", "))
	}
	for _, condition := range status.Conditions {
		parts = append(parts, fmt.Sprintf("%s=%s (%s: %s)", condition.Type, condition.Status, condition.Reason, condition.Message))
	}
	if len(parts) == 0 {
		return "nothing at all"
	}
	return strings.Join(parts, "; ")
}

func isEmpty(status *v1alpha1.SequentialJobStatus) bool {
	return reflect.DeepEqual(*status, v1alpha1.SequentialJobStatus{})
}

// version is a SequentialJob as one write made it.
type version struct {
	*v1alpha1.SequentialJob
	change history.Change
}

// Versions are the states of a SequentialJob that the observer has seen since it has a status, in their order.
func (s *Scene) Versions(name string) []version {
	_, err := s.Observer.Sync(s.ctx) // it may be behind what the controller did last
	s.must(err)
	var versions []version
	for _, change := range s.Log.Run().Changes {
		if change.Resource != sequentialJobs || change.Object.GetName() != name || change.Type == "DELETED" {
			continue
		}
		object := &v1alpha1.SequentialJob{}
		s.must(runtime.DefaultUnstructuredConverter.FromUnstructured(change.Object.Object, object))
		if !isEmpty(&object.Status) {
			versions = append(versions, version{object, change})
		}
	}
	return versions
}

// FindIn ends the check: this is what is wrong with a version.
func (s *Scene) FindIn(v version, format string, args ...any) {
	s.FindAt(finding.Finding{
		What: fmt.Sprintf(format, args...) + " It said " + told(&v.Status) + ".",
		At:   v.change.Seen, Changes: []uint64{v.change.ResourceVersion},
	})
}

// StatusWrites are the controller's requests to write the status of a SequentialJob.
func (s *Scene) StatusWrites(name string) []history.Request {
	var writes []history.Request
	for _, request := range s.Log.Run().Requests {
		if request.Write() && request.Call.Resource == sequentialJobs+"/status" && request.Object.Name == name {
			writes = append(writes, request)
		}
	}
	return writes
}

// OnStatusWrite has the next write of a SequentialJob's status struck, however the controller makes it.
func (s *Scene) OnStatusWrite(name string, action proxy.Action) {
	made := map[string]int{}
	for _, write := range s.StatusWrites(name) {
		made[write.Call.Verb]++
	}
	for _, verb := range verbs {
		call := history.Call{Verb: verb, Resource: sequentialJobs + "/status", Object: history.Logical(name), Nth: made[verb] + 1}
		s.Inject(proxy.Fault{Action: action, Call: call})
	}
}

// HoldBack keeps from the controller what happens to a SequentialJob from its next change on, until
// Proxy.Heal. What has happened to it so far, the controller is told before.
func (s *Scene) HoldBack(name string) {
	s.until(s.uninformed(name))
	s.holdNext(sequentialJobs, history.Logical(name))
}

// uninformed says that the controller has not been told what has happened to a SequentialJob so far, while that
// is so.
func (s *Scene) uninformed(name string) func() string {
	_, err := s.Observer.Sync(s.ctx)
	s.must(err)
	return func() string {
		if !s.knowsLast(name) {
			return fmt.Sprintf("the last change of %s had not reached it", name)
		}
		return ""
	}
}

// holdNext holds the next event of an object's change, and with it all that comes after on that watch, until
// Proxy.Heal.
func (s *Scene) holdNext(resource string, object history.Logical) {
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
		if change.Resource == sequentialJobs && change.Object.GetName() == name {
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
		return stream.Instance == instance && stream.Resource == sequentialJobs && stream.Opened > last.Seen && stream.UpToDate > 0
	})
}

// NextSecond waits until the clock shows another second. The API stores times in whole seconds, so two
// writes within one could not be told apart.
func (s *Scene) NextSecond() {
	now := time.Now().Truncate(time.Second)
	s.until(func() string {
		if !time.Now().Truncate(time.Second).After(now) {
			return "the clock did not go on"
		}
		return ""
	})
}
