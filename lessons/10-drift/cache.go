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
	objects := cache.ByObject{Transform: cache.TransformStripManagedFields()}
	jobs := cache.ByObject{Label: labelled(v1alpha1.LabelSequentialJob), Transform: stripJob}
	secrets := cache.ByObject{Label: labelled(v1alpha1.LabelWorkspace), Transform: cache.TransformStripManagedFields()}
	options := cache.Options{}
	options.ReaderFailOnMissingInformer = true
	options.ByObject = map[client.Object]cache.ByObject{
		&v1alpha1.SequentialJob{}: objects, &v1alpha1.Workspace{}: objects, &batchv1.Job{}: jobs, &corev1.Secret{}: secrets,
	}
	return options
}

// labelled selects what these controllers have created: newJob and newSecret set the label.
func labelled(key string) labels.Selector {
	requirement, err := labels.NewRequirement(key, selection.Exists, nil)
	if err != nil {
		panic(err) // the label's key is a constant
	}
	return labels.NewSelector().Add(*requirement)
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
