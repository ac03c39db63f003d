package worlds

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The ConfigMap that lesson 1's program keeps in each namespace that has Jobs, and the key of the number in it.
const (
	JobCount = "job-count"
	CountKey = "jobs"
)

// Namespace is one of other users, whose Jobs the program counts too. Everything in it is there before the program
// starts.
type Namespace struct {
	Jobs       []Job
	Even       string             // which of its Jobs a program may forget: "those that are suspended"; may be empty
	ConfigMaps []corev1.ConfigMap // of other owners, or the program's own from an earlier time
	// Ends says that the namespace is being deleted: its Jobs are still there, and nothing can be created in it.
	Ends bool
}

// Job is one of another user. It counts as long as it exists, whatever its state.
type Job struct {
	Name    string // with a dash at its end, the API server completes it
	Change  func(*batchv1.Job)
	Ends    batchv1.JobConditionType // Complete or Failed; empty for a Job that has not finished
	Deleted bool                     // a finalizer keeps it, although it was deleted
}

func crowdedNamespaces() World {
	const page = 500 // the limit with which kubectl and others list
	return World{
		Name: "crowded",
		Says: "One namespace has more Jobs than fit into a page of a list. Another one has ConfigMaps of other owners, which " +
			"resemble the program's, and an old one of the program, to which others have added labels, annotations and keys.",
		Namespaces: []Namespace{
			{Jobs: named("nightly", page+20)},
			{
				Jobs: named("report", 2),
				ConfigMaps: []corev1.ConfigMap{
					configMap("job-count-2", "7", labelled),
					configMap("job", "7", labelled),
					configMap("jobs", "7", labelled, func(it *corev1.ConfigMap) { it.Immutable = new(true) }),
					configMap(JobCount, "7", labelled, func(it *corev1.ConfigMap) {
						it.Annotations = map[string]string{"example.com/owner": "data"}
						it.Data["limit"] = "5"
						it.BinaryData = map[string][]byte{"logo": {0xff, 0xd8}}
					}),
				},
			},
		},
	}
}

func oddNamespaces() World {
	return World{
		Name: "odd",
		Says: "Jobs are suspended, have finished, have several pods, or a finalizer keeps them although they were deleted. " +
			"One namespace has only the ConfigMap left. The ConfigMap of another one has a finalizer and another owner.",
		Namespaces: []Namespace{
			{
				Even: "those that are suspended, have finished, or are being deleted",
				Jobs: []Job{
					{Name: "generated-"},
					{Name: "suspended", Change: func(job *batchv1.Job) { job.Spec.Suspend = new(true) }},
					{Name: "parallel", Change: func(job *batchv1.Job) { job.Spec.Parallelism = new(int32(3)) }},
					{Name: "complete", Ends: batchv1.JobComplete},
					{Name: "failed", Ends: batchv1.JobFailed},
					{Name: "leaving", Deleted: true},
				},
			},
			{ConfigMaps: []corev1.ConfigMap{configMap(JobCount, "3")}},
			{
				Jobs: named("kept", 1),
				ConfigMaps: []corev1.ConfigMap{configMap(JobCount, "one", func(it *corev1.ConfigMap) {
					it.Finalizers = []string{Archived}
					it.OwnerReferences = []metav1.OwnerReference{{
						APIVersion: "v1", Kind: "ConfigMap", Name: "settings", UID: types.UID("00000000-0000-4000-8000-0000000000e1"),
					}}
				})},
			},
		},
	}
}

func hardNamespaces() World {
	return World{
		Name: "hard",
		Says: "The API server fails some reads. A namespace is being deleted: it still has Jobs, and nothing can be created in it. " +
			"In the end it is gone, and another one has its name.",
		Faults: []string{"answer 500: next 1 reads jobs", "answer 429: next 1 reads configmaps", "answer 504: next 1 reads namespaces"},
		Once:   true,
		Namespaces: []Namespace{
			{Jobs: named("doomed", 2), Ends: true},
			{Jobs: named("safe", 1)},
		},
	}
}

// named are many Jobs: prefix-1, prefix-2 and so on.
func named(prefix string, many int) (jobs []Job) {
	for i := range many {
		jobs = append(jobs, Job{Name: fmt.Sprint(prefix, "-", i+1)})
	}
	return jobs
}

func configMap(name, number string, changes ...func(*corev1.ConfigMap)) corev1.ConfigMap {
	it := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{CountKey: number}}
	for _, change := range changes {
		change(&it)
	}
	return it
}

func labelled(it *corev1.ConfigMap) {
	it.Labels = map[string]string{"app": JobCount, "app.kubernetes.io/managed-by": JobCount}
}
