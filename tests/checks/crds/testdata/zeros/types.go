// Package v1alpha1 has the three ways to write an optional number.
//
// +groupName=batch.example.com
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type SequentialJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +optional
	Omitted int32 `json:"omitted,omitempty"`
	// +optional
	Kept int32 `json:"kept"`
	// +optional
	Pointer *int32 `json:"pointer,omitempty"`
}
