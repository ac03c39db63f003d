package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Workspace is a place where the steps of a run share files: a bucket in the object store of NATS JetStream, outside the
// cluster. The bucket and all files in it belong to the Workspace, and are deleted with it unless its deletionPolicy says
// otherwise.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=ws,categories=all
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Capacity",type=string,JSONPath=`.spec.capacity`
// +kubebuilder:printcolumn:name="Bucket",type=string,JSONPath=`.status.bucket.name`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || size(self.metadata.name) <= 63",optionalOldSelf=true,message="metadata.name must not exceed 63 characters: the binding's Secret has it as a label"
type Workspace struct {
	metav1.TypeMeta `json:",inline"`

	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is what the user wants.
	// +required
	Spec WorkspaceSpec `json:"spec"`

	// status is what the controller saw and did.
	// +optional
	Status WorkspaceStatus `json:"status,omitzero"`
}

// WorkspaceList is a list of Workspaces.
//
// +kubebuilder:object:root=true
type WorkspaceList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []Workspace `json:"items"`
}

// WorkspaceSpec is what the user wants.
type WorkspaceSpec struct {
	// capacity is how much the bucket may hold, in bytes: 64Mi, for example. The store reserves it. May be changed at any
	// time. If less than what the bucket holds, all files stay, and no new ones are accepted.
	// +required
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && !quantity(string(self)).isLessThan(quantity('1Ki')) && !quantity(string(self)).isGreaterThan(quantity('1Ei'))",message="must be at least 1Ki and at most 1Ei, like 64Mi"
	Capacity resource.Quantity `json:"capacity"`

	// deletionPolicy says what becomes of the bucket when the Workspace is deleted: Delete deletes it with all files, Retain
	// leaves it where it is. May be changed until the Workspace is gone.
	// +optional
	// +default="Delete"
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
}

// DeletionPolicy says what becomes of a bucket when its Workspace is deleted.
//
// +kubebuilder:validation:Enum=Delete;Retain
type DeletionPolicy string

const (
	// DeletionPolicyDelete deletes the bucket with all files.
	DeletionPolicyDelete DeletionPolicy = "Delete"
	// DeletionPolicyRetain leaves the bucket where it is, with all files.
	DeletionPolicyRetain DeletionPolicy = "Retain"
)

// WorkspaceStatus is what the controller saw and did.
type WorkspaceStatus struct {
	// observedGeneration is the metadata.generation that this status is about.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// bucket is the Workspace's bucket; not set until it has been seen.
	// +optional
	Bucket *BucketStatus `json:"bucket,omitempty"`

	// binding names the Secret with what a program needs to use the bucket, as a Provisioned Service of
	// https://servicebinding.io does.
	// +optional
	Binding *BindingStatus `json:"binding,omitempty"`

	// conditions are BucketReady, BindingReady and Ready. Ready is the summary to wait for.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// BucketStatus is a bucket as the controller last saw it.
type BucketStatus struct {
	// name of the bucket in the object store.
	// +required
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// created is when the bucket was created, as the object store says, to the microsecond: Go can't decode fewer digits. A bucket has
	// no UID: another one of its name has another time.
	// +required
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`\.[0-9]{6}(Z|[+-][0-9]{2}:[0-9]{2})$`
	Created metav1.MicroTime `json:"created"`

	// generation is the metadata.generation whose spec was last conveyed to the object store. As long as it is the current
	// one, the controller need not ask the object store.
	// +required
	// +kubebuilder:validation:Minimum=1
	Generation int64 `json:"generation"`
}

// BindingStatus refers to a Secret.
type BindingStatus struct {
	// name of the Secret, in the Workspace's namespace.
	// +required
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
}
