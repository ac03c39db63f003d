// Package v1alpha1 has two markers that are not spelt as controller-gen spells them.
//
// +groupName=batch.example.com
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:resource:shortName=sjob
type SequentialJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:validation:MinItem=1
	// +kubebuilder:validation:MaxItems=50
	// +ListType=atomic
	Steps []string `json:"steps"`
}
