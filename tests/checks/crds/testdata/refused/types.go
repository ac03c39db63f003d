// Package v1alpha1 has a list without a maximum, and a rule that looks at all of it.
//
// +groupName=batch.example.com
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type SequentialJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec SequentialJobSpec `json:"spec"`
}

// +kubebuilder:validation:XValidation:rule="self.steps.all(s, self.steps.exists_one(o, o == s))",message="no step may be there twice"
type SequentialJobSpec struct {
	Steps []string `json:"steps"`
}
