package invariants

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
)

// job is the life of a Job.
type job struct {
	life[jobObject]
	step    string
	owner   types.UID        // the SequentialJob that it names; empty for none
	created *history.Request // by which the controller created it; nil if another client did
}

type jobObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Suspend bool `json:"suspend"`
	} `json:"spec"`
	Status batchv1.JobStatus `json:"status"`
}

// violation is one that the Job's creation shows, and changes before it.
func (j *job) violation(what string, before ...uint64) Violation {
	return Violation{What: what, At: j.born().Seen, Changes: append(before, j.bornAt()), Requests: []int{j.created.ID}}
}

// lost says whether, at a resourceVersion, the Job was gone or being deleted, or had been taken from its
// SequentialJob.
func (j *job) lost(at uint64) bool {
	return j.gone != nil && j.gone.ResourceVersion <= at || j.ever(at, func(o *jobObject) bool {
		return o.DeletionTimestamp != nil || o.ownedBy() != j.owner
	})
}

func (o *jobObject) complete() bool { return o.says(batchv1.JobComplete) }

func (o *jobObject) failed() bool { return o.says(batchv1.JobFailed) }

func (o *jobObject) unfinished() bool { return !o.complete() && !o.failed() }

func (o *jobObject) mayRun() bool { return !o.Spec.Suspend }

func (o *jobObject) says(conditionType batchv1.JobConditionType) bool {
	return slices.ContainsFunc(o.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == conditionType && c.Status == corev1.ConditionTrue
	})
}

// ownedBy is the UID of the SequentialJob that the Job names as an owner; empty for none.
func (o *jobObject) ownedBy() types.UID {
	for _, reference := range o.OwnerReferences {
		if isSequentialJob(reference) {
			return reference.UID
		}
	}
	return ""
}

// controller is the owner reference by which a SequentialJob controls the Job; nil for none.
func (o *jobObject) controller() *metav1.OwnerReference {
	reference := metav1.GetControllerOfNoCopy(&o.ObjectMeta)
	if reference == nil || !isSequentialJob(*reference) {
		return nil
	}
	return reference
}

func (o *jobObject) isControlled() bool { return o.controller() != nil }

func isSequentialJob(reference metav1.OwnerReference) bool {
	version, err := schema.ParseGroupVersion(reference.APIVersion)
	return err == nil && version.Group == v1alpha1.GroupVersion.Group && reference.Kind == v1alpha1.Kind
}
