// Package v1alpha1 is the API batch.example.com/v1alpha1: SequentialJob, a list of
// run-to-completion steps that run strictly one after another.
//
// +kubebuilder:object:generate=true
// +groupName=batch.example.com
package v1alpha1
