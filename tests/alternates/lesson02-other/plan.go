package v1alpha1

import (
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SequentialJob is a plan, and the record of its execution.
//
// +kubebuilder:resource:path=sequentialjobs,singular=sequentialjob,shortName=sj;sjob
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="SUCCEEDED",type=string,JSONPath=".status.conditions[?(@.type=='Succeeded')].status"
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=".status.conditions[?(@.type=='Succeeded')].reason"
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=".status.conditions[?(@.type=='Succeeded')].message"
// +kubebuilder:printcolumn:name="STEP",type=string,JSONPath=".status.currentStep"
// +kubebuilder:printcolumn:name="PROGRESS",type=string,JSONPath=".status.progress"
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=".metadata.creationTimestamp"
// +kubebuilder:validation:XValidation:rule="self.spec.steps.all(s, self.metadata.name.size() + s.name.size() < 63)",message="metadata.name and a step's name make the name of a Job, for which 63 characters is the most"
type SequentialJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   Plan   `json:"spec"`
	Status Record `json:"status,omitempty"`
}

// Plan is the desired state.
//
// +kubebuilder:validation:XValidation:rule="has(self.startAt) ? has(oldSelf.startAt) && self.startAt == oldSelf.startAt : !has(oldSelf.startAt)",message="startAt can be chosen only when the object is created"
// +kubebuilder:validation:XValidation:rule="has(self.managedBy) ? has(oldSelf.managedBy) && self.managedBy == oldSelf.managedBy : !has(oldSelf.managedBy)",message="managedBy can be chosen only when the object is created"
// +kubebuilder:validation:XValidation:rule="!has(self.startAt) || self.startAt in self.steps.map(s, s.name)",message="startAt has to be the name of a step"
// +kubebuilder:validation:XValidation:rule="self.steps.all(s, has(s.jobTemplate.spec.template.spec.restartPolicy) && s.jobTemplate.spec.template.spec.restartPolicy in ['Never', 'OnFailure'])",message="every step's jobTemplate must have the restartPolicy Never or OnFailure"
// +kubebuilder:validation:XValidation:rule="self.steps == oldSelf.steps && self.steps.map(s, s.name) == oldSelf.steps.map(s, s.name)",message="Steps and their order stay as they were created"
type Plan struct {
	// +kubebuilder:default=false
	Suspend bool `json:"suspend,omitempty"`

	// +kubebuilder:validation:Minimum=1
	ActiveDeadlineSeconds *int32 `json:"activeDeadlineSeconds,omitempty"`

	// +kubebuilder:validation:Minimum=0
	TTLSecondsAfterFinished *int64 `json:"ttlSecondsAfterFinished,omitempty"`

	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	StartAt string `json:"startAt,omitempty"`

	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?$`
	ManagedBy string `json:"managedBy,omitempty"`

	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=50
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:XValidation:rule="self.all(s, !has(s.jobTemplate.spec.suspend) && !has(s.jobTemplate.spec.selector) && !has(s.jobTemplate.spec.manualSelector) && !has(s.jobTemplate.spec.managedBy) && !has(s.jobTemplate.spec.ttlSecondsAfterFinished))",message="a step's jobTemplate.spec must set none of suspend, selector, manualSelector, managedBy and ttlSecondsAfterFinished"
	Steps []PlannedStep `json:"steps"`
}

// PlannedStep is a Job that will run.
//
// +kubebuilder:validation:XValidation:rule="!has(self.jobTemplate.metadata) || !has(self.jobTemplate.metadata.name)",message="jobTemplate must not set a name"
// +kubebuilder:validation:XValidation:rule="!has(self.jobTemplate.metadata) || !has(self.jobTemplate.metadata.namespace)",message="jobTemplate must not set a namespace"
// +kubebuilder:validation:XValidation:rule="!has(self.jobTemplate.metadata) || !has(self.jobTemplate.metadata.finalizers)",message="jobTemplate must not set finalizers"
type PlannedStep struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`

	// +kubebuilder:validation:Enum=Continue;Fail
	// +kubebuilder:default=Fail
	OnFailure string `json:"onFailure,omitempty"`

	JobTemplate batchv1.JobTemplateSpec `json:"jobTemplate"`
}
