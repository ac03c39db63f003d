// Package v1alpha1 has a marker with a word where a number has to be.
//
// +groupName=batch.example.com
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type SequentialJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:validation:MinItems=one
	Steps []string `json:"steps"`
}
