package scene

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/stage"
)

// AwaitStatus waits until the status of a SequentialJob is as it should be. Until then wanting says what is
// wrong, as the second half of a sentence: "the status of web does not name its current step".
func (s *Scene) AwaitStatus(name string, wanting func(*v1alpha1.SequentialJobStatus) string) {
	s.Await(name, func(w stage.World) string {
		if w.Object == nil {
			return fmt.Sprintf("SequentialJob %s is gone", name)
		}
		if what := wanting(&w.Object.Status); what != "" {
			return fmt.Sprintf("%s. The status says: %s", what, Says(&w.Object.Status))
		}
		return ""
	})
}

// AwaitStatusMeanwhile is AwaitStatus while the controller retries something all the time, which would give it more and more time.
func (s *Scene) AwaitStatusMeanwhile(name string, wanting func(*v1alpha1.SequentialJobStatus) string) {
	from := s.Log.Now()
	s.AwaitStatus(name, func(status *v1alpha1.SequentialJobStatus) string {
		what := wanting(status)
		if what != "" {
			s.Overdue(from, "Still so after %.0f s: %s. The status says: %s.", s.Patience.Seconds(), what, Says(status))
		}
		return what
	})
}

// StepIs waits until the status shows a step in a state.
func (s *Scene) StepIs(name, step string, state v1alpha1.StepState) {
	s.AwaitStatus(name, func(status *v1alpha1.SequentialJobStatus) string {
		if entry := StepIn(status, step); entry == nil || entry.State != state {
			return fmt.Sprintf("the status of %s does not say that step %s is %s", name, step, state)
		}
		return ""
	})
}

// ConditionIs waits until a condition has a status, and a reason where one is given.
func (s *Scene) ConditionIs(name, conditionType string, want metav1.ConditionStatus, reason ...string) {
	wanted := fmt.Sprintf("%s=%s", conditionType, want)
	if len(reason) > 0 {
		wanted += " with the reason " + reason[0]
	}
	s.AwaitStatus(name, func(status *v1alpha1.SequentialJobStatus) string {
		condition := meta.FindStatusCondition(status.Conditions, conditionType)
		if condition == nil || condition.Status != want || len(reason) > 0 && condition.Reason != reason[0] {
			return fmt.Sprintf("the status of %s does not say %s", name, wanted)
		}
		return ""
	})
}

// Succeeded waits until a run has succeeded.
func (s *Scene) Succeeded(name string) {
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
}

// StepIn is the entry of a step in a status; nil where there is none.
func StepIn(status *v1alpha1.SequentialJobStatus, step string) *v1alpha1.StepStatus {
	for i := range status.Steps {
		if status.Steps[i].Name == step {
			return &status.Steps[i]
		}
	}
	return nil
}

// Says is a status in one line.
func Says(status *v1alpha1.SequentialJobStatus) string {
	var parts []string
	if len(status.Steps) > 0 {
		var steps []string
		for _, step := range status.Steps {
			steps = append(steps, fmt.Sprintf("%s %s", step.Name, step.State))
		}
		parts = append(parts, "steps "+strings.Join(steps, ", "))
	}
	for _, condition := range status.Conditions {
		parts = append(parts, fmt.Sprintf("%s=%s (%s: %s)", condition.Type, condition.Status, condition.Reason, excerpt(condition.Message)))
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, "; ")
}

// HasEnded says whether a status says that the run has ended.
func HasEnded(status *v1alpha1.SequentialJobStatus) bool {
	summary := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded)
	return summary != nil && summary.Status != metav1.ConditionUnknown
}

func IsEmpty(status *v1alpha1.SequentialJobStatus) bool {
	return reflect.DeepEqual(*status, v1alpha1.SequentialJobStatus{})
}

// Seen returns what the observer has seen of a resource, in order: each change, and the object after it.
func Seen[T any](s *Scene, resource string) iter.Seq2[history.Change, *T] {
	return func(yield func(history.Change, *T) bool) {
		for _, change := range s.Log.Run().Changes {
			if change.Resource != resource {
				continue
			}
			object := new(T)
			s.Must(runtime.DefaultUnstructuredConverter.FromUnstructured(change.Object.Object, object))
			if !yield(change, object) {
				return
			}
		}
	}
}

// version is a SequentialJob as one write made it.
type version struct {
	*v1alpha1.SequentialJob
	Change history.Change
}

// Versions are the states of a SequentialJob since it has a status, in order.
func (s *Scene) Versions(name string) (versions []version) {
	s.Sync()
	for change, object := range Seen[v1alpha1.SequentialJob](s, kinds.SequentialJob.Resource) {
		if object.Name == name && change.Type != "DELETED" && !IsEmpty(&object.Status) {
			versions = append(versions, version{object, change})
		}
	}
	return versions
}

// FindIn ends the check with what is wrong in a version.
func (s *Scene) FindIn(v version, format string, args ...any) {
	s.FindChange(v.Change, "%s At that point the status said: %s.", fmt.Sprintf(format, args...), Says(&v.Status))
}

// StatusWrites are the controller's requests to write the status of a SequentialJob.
func (s *Scene) StatusWrites(name string) []history.Request {
	return s.Requests(func(r history.Request) bool {
		return r.Write() && r.Call.Resource == SequentialJobStatus && r.Object.Name == name
	})
}

// SequentialJobStatus is the resource of the status of SequentialJobs.
var SequentialJobStatus = kinds.SequentialJob.Resource + "/status"

// Requests are those of the controller's requests that match.
func (s *Scene) Requests(match func(history.Request) bool) []history.Request {
	return slices.DeleteFunc(s.Log.Run().Requests, func(r history.Request) bool { return !match(r) })
}

// SpeaksOf says whether a message of a condition or step contains a word.
func SpeaksOf(status *v1alpha1.SequentialJobStatus, word string) bool {
	for _, condition := range status.Conditions {
		if strings.Contains(strings.ToLower(condition.Message), word) {
			return true
		}
	}
	for _, step := range status.Steps {
		if strings.Contains(strings.ToLower(step.Message), word) {
			return true
		}
	}
	return false
}
