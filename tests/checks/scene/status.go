package scene

import (
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/stage"
)

// sequentialJobs is the resource, whose status is a subresource of its own.
const SequentialJobs = "sequentialjobs"

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
		return fmt.Sprintf("%s. Its status said %s", what, Says(&w.Object.Status))
	})
}

// StepIs waits until the status says that of a step.
func (s *Scene) StepIs(name, step string, state v1alpha1.StepState) {
	s.AwaitStatus(name, func(status *v1alpha1.SequentialJobStatus) string {
		if entry := StepIn(status, step); entry == nil || entry.State != state {
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

// StepIn is what a status says of a step; nil when it says nothing.
func StepIn(status *v1alpha1.SequentialJobStatus, step string) *v1alpha1.StepStatus {
	for i := range status.Steps {
		if status.Steps[i].Name == step {
			return &status.Steps[i]
		}
	}
	return nil
}

// Says is what a status says, in a line.
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
		parts = append(parts, fmt.Sprintf("%s=%s (%s: %s)", condition.Type, condition.Status, condition.Reason, condition.Message))
	}
	if len(parts) == 0 {
		return "nothing at all"
	}
	return strings.Join(parts, "; ")
}

func IsEmpty(status *v1alpha1.SequentialJobStatus) bool {
	return reflect.DeepEqual(*status, v1alpha1.SequentialJobStatus{})
}

// version is a SequentialJob as one write made it.
type version struct {
	*v1alpha1.SequentialJob
	Change history.Change
}

// Versions are the states of a SequentialJob that the observer has seen since it has a status, in their order.
func (s *Scene) Versions(name string) []version {
	_, err := s.Observer.Sync(s.Context()) // it may be behind what the controller did last
	s.Must(err)
	var versions []version
	for _, change := range s.Log.Run().Changes {
		if change.Resource != SequentialJobs || change.Object.GetName() != name || change.Type == "DELETED" {
			continue
		}
		object := &v1alpha1.SequentialJob{}
		s.Must(runtime.DefaultUnstructuredConverter.FromUnstructured(change.Object.Object, object))
		if !IsEmpty(&object.Status) {
			versions = append(versions, version{object, change})
		}
	}
	return versions
}

// FindIn ends the check: this is what is wrong with a version.
func (s *Scene) FindIn(v version, format string, args ...any) {
	s.FindAt(finding.Finding{
		What: fmt.Sprintf(format, args...) + " It said " + Says(&v.Status) + ".",
		At:   v.Change.Seen, Changes: []uint64{v.Change.ResourceVersion},
	})
}

// StatusWrites are the controller's requests to write the status of a SequentialJob.
func (s *Scene) StatusWrites(name string) []history.Request {
	var writes []history.Request
	for _, request := range s.Log.Run().Requests {
		if request.Write() && request.Call.Resource == SequentialJobs+"/status" && request.Object.Name == name {
			writes = append(writes, request)
		}
	}
	return writes
}
