package main

import (
	"k8s.io/client-go/tools/cache"
)

// jobChanged queues the namespace of a Job.
func (c *controller) jobChanged(job cache.ObjectName) { c.queue.Add(job.Namespace) }

// configMapChanged queues the namespace of a ConfigMap if the ConfigMap is ours: a user may have changed
// or deleted it.
func (c *controller) configMapChanged(configMap cache.ObjectName) {
	if configMap.Name == configMapName {
		c.queue.Add(configMap.Namespace)
	}
}

// onEvery calls changed with the name of each object that an event is about. What happened to the object
// does not matter: a reconcile reads the state as it is now.
func onEvery(changed func(cache.ObjectName)) cache.ResourceEventHandler {
	// TODO(events): Call changed for every object that is added, updated or deleted.
	// An informer that missed a deletion notices later that the object is gone. It does not know the object's
	// final state, so it hands the handler something other than the object. That counts as a deletion too.
	return cache.ResourceEventHandlerFuncs{}
}
