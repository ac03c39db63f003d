// Package sample has the SequentialJobs that controllers are tried with.
package sample

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// The object of most runs, and its steps.
const (
	Web = "web"

	Fetch = "fetch"
	Build = "build"
	Ship  = "ship"
)

// SequentialJob returns an object of that name with these steps, without a namespace.
func SequentialJob(name string, steps ...v1alpha1.Step) *v1alpha1.SequentialJob {
	return &v1alpha1.SequentialJob{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1alpha1.SequentialJobSpec{Steps: steps},
	}
}

// Step returns a step. Its container has the step's name, by which the judge knows which Job is whose.
func Step(name string) v1alpha1.Step {
	return v1alpha1.Step{
		Name: name,
		JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: name, Image: "step"}},
		}}}},
	}
}

// Steps returns steps with these names.
func Steps(names ...string) []v1alpha1.Step {
	var all []v1alpha1.Step
	for _, name := range names {
		all = append(all, Step(name))
	}
	return all
}

// ThreeSteps returns the steps of most runs.
func ThreeSteps() []v1alpha1.Step { return Steps(Fetch, Build, Ship) }
