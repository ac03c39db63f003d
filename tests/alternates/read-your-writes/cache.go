package main

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// resync is how often to look at each object. A Job may come and go while the watch is interrupted, which no event reports.
const resync = 10 * time.Second

// cacheOptions select the Jobs that have a step. A Job is applied, never updated, so what is left out of the cache stays.
func cacheOptions() cache.Options {
	steps, err := labels.Parse(v1alpha1.LabelStep)
	if err != nil {
		panic(err) // the label is a constant
	}
	return cache.Options{
		SyncPeriod:       new(resync),
		DefaultTransform: cache.TransformStripManagedFields(),
		ByObject:         map[client.Object]cache.ByObject{&batchv1.Job{}: {Label: steps}},
	}
}
