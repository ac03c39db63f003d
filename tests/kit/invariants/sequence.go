package invariants

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
)

// sequence is the life of a SequentialJob.
type sequence struct{ life[sequentialJob] }

// sequentialJob leaves the Job templates out.
type sequentialJob struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              sequentialJobSpec            `json:"spec"`
	Status            v1alpha1.SequentialJobStatus `json:"status"`
}

type sequentialJobSpec struct {
	Steps                   []stepSpec                `json:"steps"`
	Suspend                 bool                      `json:"suspend"`
	ActiveDeadlineSeconds   *int64                    `json:"activeDeadlineSeconds"`
	TTLSecondsAfterFinished *int64                    `json:"ttlSecondsAfterFinished"`
	StartAt                 string                    `json:"startAt"`
	ManagedBy               string                    `json:"managedBy"`
	Workspace               *v1alpha1.WorkspaceSource `json:"workspace"`
}

type stepSpec struct {
	Name      string                 `json:"name"`
	OnFailure v1alpha1.FailurePolicy `json:"onFailure"`
}

// managedElsewhere says whether another controller runs it, maybe in another cluster, and writes its status.
func (s *sequence) managedElsewhere() bool {
	by := s.versions[0].object.Spec.ManagedBy // which never changes
	return by != "" && by != v1alpha1.ControllerName
}

// ending is the change that marked it as being deleted, or removed it immediately; nil for none.
func (s *sequence) ending() *history.Change {
	for i := range s.versions {
		if s.versions[i].object.DeletionTimestamp != nil {
			return &s.versions[i].change
		}
	}
	return s.gone
}

// steps are those of the spec. They never change.
func (s *sequence) steps() []stepSpec { return s.versions[0].object.Spec.Steps }

// step returns the place of a step in the spec; -1 when it isn't there.
func (s *sequence) step(name string) int {
	return slices.IndexFunc(s.steps(), func(step stepSpec) bool { return step.Name == name })
}

// first is the place of the step that the run starts at.
func (s *sequence) first() int { return max(0, s.step(s.versions[0].object.Spec.StartAt)) }

func (o *sequentialJob) step(name string) *v1alpha1.StepStatus {
	for i := range o.Status.Steps {
		if o.Status.Steps[i].Name == name {
			return &o.Status.Steps[i]
		}
	}
	return nil
}

func (o *sequentialJob) condition(conditionType string) *metav1.Condition {
	return meta.FindStatusCondition(o.Status.Conditions, conditionType)
}

func (o *sequentialJob) says(conditionType string, status metav1.ConditionStatus) bool {
	return meta.IsStatusConditionPresentAndEqual(o.Status.Conditions, conditionType, status)
}
