package invariants

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
)

// sequence is the life of a SequentialJob.
type sequence struct {
	uid      types.UID
	name     string
	versions []sequenceVersion // in order; never none
	gone     *history.Change   // nil while it is there
}

// sequenceVersion is a SequentialJob as one write left it. Of its spec, Job templates are left out.
type sequenceVersion struct {
	change history.Change
	object sequentialJob
}

type sequentialJob struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              sequentialJobSpec            `json:"spec"`
	Status            v1alpha1.SequentialJobStatus `json:"status"`
}

type sequentialJobSpec struct {
	Steps                   []stepSpec `json:"steps"`
	Suspend                 bool       `json:"suspend"`
	ActiveDeadlineSeconds   *int64     `json:"activeDeadlineSeconds"`
	TTLSecondsAfterFinished *int64     `json:"ttlSecondsAfterFinished"`
	StartAt                 string     `json:"startAt"`
}

type stepSpec struct {
	Name      string                 `json:"name"`
	OnFailure v1alpha1.FailurePolicy `json:"onFailure"`
}

func (s *sequence) born() history.Change { return s.versions[0].change }

// ever says whether it was as asked at a resourceVersion or before.
func (s *sequence) ever(at uint64, what func(*sequentialJob) bool) bool {
	for i := range s.versions {
		if version := &s.versions[i]; version.change.ResourceVersion <= at && what(&version.object) {
			return true
		}
	}
	return false
}

// ending is the change that marked it as being deleted, or removed it at once; nil for none.
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
	for i := range o.Status.Conditions {
		if o.Status.Conditions[i].Type == conditionType {
			return &o.Status.Conditions[i]
		}
	}
	return nil
}

// says tells whether a condition is there with a status.
func (o *sequentialJob) says(conditionType string, status metav1.ConditionStatus) bool {
	condition := o.condition(conditionType)
	return condition != nil && condition.Status == status
}
