// Package v1alpha1 misspells an option of controller-gen.
//
// +groupName=batch.example.com
package v1alpha1

//go:generate controller-gen paths=. crd:maxDescLen=0,generateEmbededObjectMeta=true

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type SequentialJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}
