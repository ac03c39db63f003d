package main

import (
	"k8s.io/client-go/tools/cache"
)

// jobChanged has the namespace of a Job looked at.
func (c *controller) jobChanged(job cache.ObjectName) { c.queue.Add(job.Namespace) }

// configMapChanged has the namespace of a ConfigMap looked at, if the ConfigMap is ours: somebody may
// have changed or deleted it.
func (c *controller) configMapChanged(configMap cache.ObjectName) {
	if configMap.Name == configMapName {
		c.queue.Add(configMap.Namespace)
	}
}

// onEvery calls changed with the name of each object to which something happens. What that was does not
// matter: who looks at a namespace finds out how things are there now.
func onEvery(changed func(cache.ObjectName)) cache.ResourceEventHandler {
	// TODO(events): Call changed for every object that is added, updated or deleted.
	// An informer that has missed a deletion finds out later that the object is gone. What it passes to the
	// handler then is not an object, but a cache.DeletedFinalStateUnknown.
	return cache.ResourceEventHandlerFuncs{}
}
