package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version that this package registers its kinds under.
var GroupVersion = schema.GroupVersion{Group: "batch.example.com", Version: "v1alpha1"}

// AddToScheme adds the kinds of this package to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &SequentialJob{}, &SequentialJobList{}, &Workspace{}, &WorkspaceList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
