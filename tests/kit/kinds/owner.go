package kinds

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Unowned says why no SequentialJob controls an object, as the second half of a sentence about the object; empty if its
// owner references name one as its controller.
func Unowned(object metav1.Object) string {
	references := object.GetOwnerReferences()
	if len(references) == 0 {
		return "it has no metadata.ownerReferences"
	}
	apiVersion, kind := SequentialJob.GroupVersion().String(), SequentialJob.Kind
	reference := references[0]
	for _, other := range references {
		if other.Kind == kind {
			reference = other
		}
	}
	if controller := metav1.GetControllerOfNoCopy(object); controller != nil {
		reference = *controller
	}
	switch {
	case reference.APIVersion != apiVersion || reference.Kind != kind:
		return fmt.Sprintf("its owner reference names apiVersion %s, kind %s; a SequentialJob has apiVersion %s, kind %s",
			reference.APIVersion, reference.Kind, apiVersion, kind)
	case !ptr.Deref(reference.Controller, false):
		return fmt.Sprintf("its owner reference to %s does not say controller: true", reference.Name)
	}
	return ""
}
