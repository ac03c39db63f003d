package lesson02

import (
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/checks/crds"
)

// kindIsServed looks at what discovery says, as kubectl does.
func kindIsServed(s *play) {
	const groupVersion = "batch.example.com/v1alpha1"
	list, err := s.Discovery.ServerResourcesForGroupVersion(groupVersion)
	if apierrors.IsNotFound(err) {
		s.Find("The API server does not serve %s. Your types make %s.", groupVersion, s.GroupVersion())
	}
	s.Must(err)
	i := slices.IndexFunc(list.APIResources, func(r metav1.APIResource) bool {
		return r.Kind == crds.Kind && !strings.Contains(r.Name, "/") // else a subresource
	})
	if i < 0 {
		s.Find("The API server serves %s, but no kind %s in it.", groupVersion, crds.Kind)
	}
	resource := list.APIResources[i]
	if resource.Name != "sequentialjobs" || resource.SingularName != "sequentialjob" {
		s.Find("The kind %s is served as %s, one of them as %s. It has to be sequentialjobs and sequentialjob.", crds.Kind, resource.Name, resource.SingularName)
	}
	if !resource.Namespaced {
		s.Find("The objects of kind %s are in no namespace. The Jobs that they own are in one, so they have to be in the same.", crds.Kind)
	}
	if !slices.Contains(resource.ShortNames, "sjob") {
		has := "none"
		if len(resource.ShortNames) > 0 {
			has = strings.Join(resource.ShortNames, ", ")
		}
		s.Find("\"kubectl get sjob\" finds nothing. Short names of %s: %s. It has to have sjob.", crds.Kind, has)
	}
}
