package lesson02

import (
	"cmp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/checks/crds"
)

// kindIsServed uses discovery, as kubectl does.
func kindIsServed(s *crds.Scene) {
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
		s.Find("The API server serves %s, but without the kind %s.", groupVersion, crds.Kind)
	}
	resource := list.APIResources[i]
	if resource.Name != "sequentialjobs" || resource.SingularName != "sequentialjob" {
		s.Find("The kind %s is served as %s, with the singular %s. It should be sequentialjobs and sequentialjob.",
			crds.Kind, resource.Name, resource.SingularName)
	}
	if !resource.Namespaced {
		s.Find("The kind %s is cluster-scoped. It owns Jobs, so it has to be namespaced, as they are.", crds.Kind)
	}
	if !slices.Contains(resource.ShortNames, "sjob") {
		has := cmp.Or(strings.Join(resource.ShortNames, ", "), "none")
		s.Find("\"kubectl get sjob\" finds nothing. Short names of %s: %s. It should have sjob.", crds.Kind, has)
	}
}

// fitsIntoAnApply tries to add the annotation that kubectl apply writes.
func fitsIntoAnApply(s *crds.Scene) {
	size, refusal := s.TryLastApplied()
	if refusal != nil {
		s.Find("kubectl apply stores what it applied in the annotation %s. There your CRD, which controller-gen makes with the option %s, "+
			"takes %d bytes. The API server says:\n%s", crds.LastApplied, s.Option, size, crds.Quoted(refusal.Message))
	}
}
