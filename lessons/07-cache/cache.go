package main

import (
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// cacheOptions say what the manager's cache keeps in memory.
func cacheOptions() cache.Options {
	objects, jobs := cache.ByObject{Transform: cache.TransformStripManagedFields()}, cache.ByObject{}
	options := cache.Options{}
	// TODO(declare): To read a kind for which setup declares no watch has to be an error.
	// So nobody opens an informer by accident.

	// TODO(narrow): The cache has to keep Jobs that may belong to a SequentialJob, and no others.

	// TODO(strip): Leave out of the cached Jobs what no reconcile reads.
	// Look for what this controller reads of a Job, and for what makes up most of one.
	options.ByObject = map[client.Object]cache.ByObject{&v1alpha1.SequentialJob{}: objects, &batchv1.Job{}: jobs}
	return options
}

// TODO(helpers): Write here what these options need.
