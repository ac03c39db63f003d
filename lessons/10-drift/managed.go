package main

import (
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// managedByUs says whether spec.managedBy leaves the object to this controller.
func managedByUs(object *v1alpha1.SequentialJob) bool {
	return ptr.Deref(object.Spec.ManagedBy, v1alpha1.ControllerName) == v1alpha1.ControllerName
}
