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
	uid      types.UID
	name     string
	step     string
	owner    types.UID        // the SequentialJob that it names; empty for none
	versions []jobVersion     // in order; never none
	gone     *history.Change  // nil while it is there
	created  *history.Request // by which the controller made it; nil where somebody else did
}

// jobVersion is a Job as one write left it.
type jobVersion struct {
	change history.Change
	object jobObject
}

type jobObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Suspend bool `json:"suspend"`
	} `json:"spec"`
	Status batchv1.JobStatus `json:"status"`
}

func (j *job) born() history.Change { return j.versions[0].change }

func (j *job) bornAt() uint64 { return j.born().ResourceVersion }

// at returns the Job as it was at a resourceVersion; nil when it was not there.
func (j *job) at(version uint64) *jobVersion {
	if j.gone != nil && j.gone.ResourceVersion <= version {
		return nil
	}
	var last *jobVersion
	for i := range j.versions {
		if j.versions[i].change.ResourceVersion <= version {
			last = &j.versions[i]
		}
	}
	return last
}

// showed returns the first version before a resourceVersion that is as asked; nil where there is none.
func (j *job) showed(before uint64, what func(*jobVersion) bool) *jobVersion {
	for i := range j.versions {
		if version := &j.versions[i]; version.change.ResourceVersion < before && what(version) {
			return version
		}
	}
	return nil
}

// lost says whether, before a resourceVersion, the Job was gone or being deleted, or had been taken
// from its SequentialJob.
func (j *job) lost(before uint64) bool {
	return j.gone != nil && j.gone.ResourceVersion < before || j.showed(before, func(v *jobVersion) bool {
		return v.object.DeletionTimestamp != nil || v.ownedBy() != j.owner
	}) != nil
}

func (v *jobVersion) complete() bool { return v.says(batchv1.JobComplete) }

func (v *jobVersion) failed() bool { return v.says(batchv1.JobFailed) }

func (v *jobVersion) unfinished() bool { return !v.complete() && !v.failed() }

func (v *jobVersion) says(conditionType batchv1.JobConditionType) bool {
	return slices.ContainsFunc(v.object.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == conditionType && c.Status == corev1.ConditionTrue
	})
}

// ownedBy is the UID of the SequentialJob that the Job names as an owner; empty for none.
func (v *jobVersion) ownedBy() types.UID {
	for _, reference := range v.object.OwnerReferences {
		if isSequentialJob(reference) {
			return reference.UID
		}
	}
	return ""
}

// controller is the owner reference by which a SequentialJob controls the Job; nil for none.
func (v *jobVersion) controller() *metav1.OwnerReference {
	reference := metav1.GetControllerOfNoCopy(&v.object.ObjectMeta)
	if reference == nil || !isSequentialJob(*reference) {
		return nil
	}
	return reference
}

func isSequentialJob(reference metav1.OwnerReference) bool {
	version, err := schema.ParseGroupVersion(reference.APIVersion)
	return err == nil && version.Group == v1alpha1.GroupVersion.Group && reference.Kind == v1alpha1.Kind
}
