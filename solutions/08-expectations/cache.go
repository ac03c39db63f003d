package main

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// cacheOptions say what the manager's cache keeps in memory.
func cacheOptions() cache.Options {
	objects, jobs := cache.ByObject{Transform: cache.TransformStripManagedFields()}, cache.ByObject{}
	options := cache.Options{}
	options.ReaderFailOnMissingInformer = true
	jobs.Label = labels.NewSelector().Add(ours())
	jobs.Transform = stripJob
	options.ByObject = map[client.Object]cache.ByObject{&v1alpha1.SequentialJob{}: objects, &batchv1.Job{}: jobs}
	return options
}

// ours is what distinguishes the Jobs that this controller creates: newJob sets the label.
func ours() labels.Requirement {
	requirement, err := labels.NewRequirement(v1alpha1.LabelSequentialJob, selection.Exists, nil)
	if err != nil {
		panic(err) // the label's key is a constant
	}
	return *requirement
}

// stripJob removes what makes up most of a Job. So a cached Job must never be sent back as a whole: an update would remove
// its template. A patch says only what differs.
func stripJob(cached any) (any, error) {
	if job, ok := cached.(*batchv1.Job); ok {
		job.ManagedFields = nil
		job.Spec.Template = corev1.PodTemplateSpec{}
	}
	return cached, nil
}
