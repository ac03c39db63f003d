package v1alpha1

import (
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// SequentialJob runs a list of steps, each a Job, strictly one after another.
//
// The API server evaluates the validation rules below at every write, including the controller's
// status writes, and comparing Job templates is most of what such a write costs it. So the rules
// skip the steps where these can't have changed. A rule about an immutable field holds only at
// creation, when oldSelf.hasValue() is false. Steps are compared only if the status is unchanged,
// because a write to the status changes nothing else. To CEL, lists that are keyed by name are equal
// in any order, so the rule compares the order of the names too.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=sjob,categories=all
// +kubebuilder:printcolumn:name="Succeeded",type=string,JSONPath=`.status.conditions[?(@.type=="Succeeded")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Succeeded")].reason`
// +kubebuilder:printcolumn:name="Step",type=string,JSONPath=`.status.currentStep`
// +kubebuilder:printcolumn:name="Progress",type=string,JSONPath=`.status.progress`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || self.spec.steps.all(s, size(self.metadata.name) + 1 + size(s.name) <= 63)",optionalOldSelf=true,message="a step's Job is named <metadata.name>-<step name>, which must not exceed 63 characters: shorten metadata.name or the step's name"
// +kubebuilder:validation:XValidation:rule="has(self.status) != has(oldSelf.status) || (has(self.status) && self.status != oldSelf.status) || (self.spec.steps == oldSelf.spec.steps && self.spec.steps.map(s, s.name) == oldSelf.spec.steps.map(s, s.name))",message="steps are immutable: create a new SequentialJob, with startAt to leave out the steps that are done",fieldPath=".spec.steps"
type SequentialJob struct {
	metav1.TypeMeta `json:",inline"`

	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is what the user wants.
	// +required
	Spec SequentialJobSpec `json:"spec"`

	// status is what the controller saw and did. It is a ledger: a step that is recorded as
	// finished never runs again, whatever becomes of its Job.
	// +optional
	Status SequentialJobStatus `json:"status,omitzero"`
}

// SequentialJobList is a list of SequentialJobs.
//
// +kubebuilder:object:root=true
type SequentialJobList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []SequentialJob `json:"items"`
}

// SequentialJobSpec is what the user wants.
//
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || !has(self.startAt) || self.steps.exists(s, s.name == self.startAt)",optionalOldSelf=true,message="must be the name of one of spec.steps",fieldPath=".startAt"
// +kubebuilder:validation:XValidation:rule="has(self.startAt) == has(oldSelf.startAt) && (!has(self.startAt) || self.startAt == oldSelf.startAt)",message="startAt is immutable: create a new SequentialJob to start at another step"
// +kubebuilder:validation:XValidation:rule="has(self.managedBy) == has(oldSelf.managedBy) && (!has(self.managedBy) || self.managedBy == oldSelf.managedBy)",message="managedBy is immutable: create a new SequentialJob to hand it to another controller"
// +kubebuilder:validation:XValidation:rule="has(self.workspace) == has(oldSelf.workspace) && (!has(self.workspace) || self.workspace == oldSelf.workspace)",message="workspace is immutable: create a new SequentialJob to use another Workspace"
type SequentialJobSpec struct {
	// steps run in this order, each only after the one before has finished. Immutable: to change or
	// to retry, create a new SequentialJob, with startAt to leave out what is done.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=50
	Steps []Step `json:"steps"`

	// suspend, while true, keeps the next step from starting and suspends the running step's Job.
	// May be changed at any time.
	// +optional
	// +default=false
	Suspend *bool `json:"suspend,omitempty"`

	// activeDeadlineSeconds limits the whole run, counted from status.startTime (which the API stores
	// in whole seconds, so it may be up to a second less), without the time that it was suspended
	// (the condition Suspended was True). When it has passed, the running step is stopped and the run
	// has failed. No limit when it isn't set. May be changed until the limit has been reached.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	ActiveDeadlineSeconds *int64 `json:"activeDeadlineSeconds,omitempty"`

	// ttlSecondsAfterFinished is how long the object is kept after status.completionTime before it
	// is deleted together with its Jobs; 0 deletes it immediately. Kept for good when it isn't set. May
	// be changed at any time.
	// +optional
	// +kubebuilder:validation:Minimum=0
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`

	// startAt names the step to start at; earlier ones are skipped. The first one when it isn't
	// set. Immutable.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	StartAt *string `json:"startAt,omitempty"`

	// workspace is where the steps share files. No step starts before the Workspace is ready, and each container gets the
	// entries of the Workspace's binding as environment variables with the prefix WORKSPACE_. None when it isn't set.
	// Immutable.
	// +optional
	Workspace *WorkspaceSource `json:"workspace,omitempty"`

	// managedBy names the controller that must run the object. The controller of this project runs
	// those with batch.example.com/sequentialjob-controller or without a value, and leaves all
	// others alone. Immutable.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?$')",optionalOldSelf=true,message="must be a domain and a path, like example.com/my-controller"
	ManagedBy *string `json:"managedBy,omitempty"`
}

// WorkspaceSource says which Workspace a run uses.
//
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || has(self.capacity) != has(self.name)",optionalOldSelf=true,message="set exactly one of capacity, for a Workspace of the run's own, and name, for one that exists"
type WorkspaceSource struct {
	// capacity is that of a Workspace that the run creates for itself, with its own name. It is deleted with the
	// SequentialJob.
	// +optional
	// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || (isQuantity(string(self)) && !quantity(string(self)).isLessThan(quantity('1Ki')) && !quantity(string(self)).isGreaterThan(quantity('1Ei')))",optionalOldSelf=true,message="must be at least 1Ki and at most 1Ei, like 64Mi"
	Capacity *resource.Quantity `json:"capacity,omitempty"`

	// name of a Workspace in the same namespace, which the run uses and does not delete: that of an earlier run, for
	// example, whose files a retry with startAt needs.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name *string `json:"name,omitempty"`
}

// FailurePolicy says what a step's failure means for the run.
//
// +kubebuilder:validation:Enum=Fail;Continue
type FailurePolicy string

const (
	// FailurePolicyFail ends the run as failed; later steps are skipped.
	FailurePolicyFail FailurePolicy = "Fail"
	// FailurePolicyContinue continues with the next step.
	FailurePolicyContinue FailurePolicy = "Continue"
)

// Step is one Job of the sequence.
//
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || !has(self.jobTemplate.spec.suspend)",optionalOldSelf=true,message="must not be set: the SequentialJob's own spec.suspend suspends the running step",fieldPath=".jobTemplate.spec.suspend"
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || !has(self.jobTemplate.spec.selector)",optionalOldSelf=true,message="must not be set: the Job controller chooses the selector",fieldPath=".jobTemplate.spec.selector"
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || !has(self.jobTemplate.spec.manualSelector)",optionalOldSelf=true,message="must not be set: the Job controller chooses the selector",fieldPath=".jobTemplate.spec.manualSelector"
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || !has(self.jobTemplate.spec.managedBy)",optionalOldSelf=true,message="must not be set: steps are run by the Job controller of the cluster",fieldPath=".jobTemplate.spec.managedBy"
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || !has(self.jobTemplate.spec.ttlSecondsAfterFinished)",optionalOldSelf=true,message="must not be set: Jobs go with their SequentialJob, use its spec.ttlSecondsAfterFinished",fieldPath=".jobTemplate.spec.ttlSecondsAfterFinished"
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || self.jobTemplate.spec.template.spec.?restartPolicy.orValue('unset') in ['Never', 'OnFailure']",optionalOldSelf=true,message="spec.template.spec.restartPolicy must be set to Never or OnFailure: a step runs to completion",fieldPath=".jobTemplate"
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || (!has(self.jobTemplate.metadata) || !(has(self.jobTemplate.metadata.name) || has(self.jobTemplate.metadata.namespace) || has(self.jobTemplate.metadata.finalizers)))",optionalOldSelf=true,message="metadata may set labels and annotations only: the Job's name is <metadata.name>-<step name>, in the SequentialJob's namespace",fieldPath=".jobTemplate"
type Step struct {
	// name of the step; its Job is named <SequentialJob>-<name>.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || !format.dns1123Label().validate(self).hasValue()",optionalOldSelf=true,message="must be lower-case letters, digits and '-', and start and end with a letter or digit"
	Name string `json:"name"`

	// jobTemplate is the Job that the step runs, with the labels and annotations it must have.
	// What decides when and by whom it runs (suspend, selector, manualSelector, managedBy,
	// ttlSecondsAfterFinished) must not be set, and restartPolicy must be Never or OnFailure.
	// +required
	JobTemplate batchv1.JobTemplateSpec `json:"jobTemplate"`

	// TemplateError says why jobTemplate, which is empty then, could not be decoded; see UnmarshalJSON. It is not part of the API.
	TemplateError string `json:"-"`

	// onFailure says what the step's failure means for the run: Fail ends it, Continue
	// continues with the next step.
	// +optional
	// +default="Fail"
	OnFailure FailurePolicy `json:"onFailure,omitempty"`
}

// StepState is the state of a step. It only ever moves forward: Pending, Running, then one of
// Succeeded and Failed; or Pending, then Failed or Skipped. A state that no reconcile saw is not
// recorded.
//
// +kubebuilder:validation:Enum=Pending;Running;Succeeded;Failed;Skipped
type StepState string

const (
	// StepPending has not started. If jobName is set, its Job is created next.
	StepPending StepState = "Pending"
	// StepRunning has a Job, which has not finished.
	StepRunning StepState = "Running"
	// StepSucceeded had a Job that completed.
	StepSucceeded StepState = "Succeeded"
	// StepFailed had a Job that failed, vanished, or was never accepted by the API server.
	StepFailed StepState = "Failed"
	// StepSkipped never ran and never will.
	StepSkipped StepState = "Skipped"
)

// SequentialJobStatus is what the controller saw and did.
type SequentialJobStatus struct {
	// observedGeneration is the metadata.generation that this status is about.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// startTime is when the run started: the first moment at which the run was not suspended.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// completionTime is when the run ended, successfully or not.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// suspendedSeconds is how long the run was suspended since startTime, without a suspension that
	// still lasts: that one started at the lastTransitionTime of the condition Suspended. The deadline
	// does not count suspended time.
	// +optional
	// +kubebuilder:validation:Minimum=0
	SuspendedSeconds int64 `json:"suspendedSeconds,omitempty"`

	// currentStep is the step that runs or comes next; not set once the run has ended.
	// +optional
	CurrentStep string `json:"currentStep,omitempty"`

	// progress is how many steps are done, of how many: "2/5". Done are those that succeeded or
	// failed, and those before startAt.
	// +optional
	Progress string `json:"progress,omitempty"`

	// steps has an entry for each of spec.steps, in their order.
	// +optional
	// +listType=map
	// +listMapKey=name
	Steps []StepStatus `json:"steps,omitempty"`

	// workspace is the Workspace that the run uses; not set if spec.workspace isn't.
	// +optional
	Workspace *WorkspaceReference `json:"workspace,omitempty"`

	// conditions are Accepted, Suspended and Succeeded, and WorkspaceReady if spec.workspace is set. Succeeded is the summary
	// to wait for.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// WorkspaceReference refers to the Workspace that a run uses.
type WorkspaceReference struct {
	// name of the Workspace. The finished operator records it before it creates the Workspace.
	// +required
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// uid distinguishes the Workspace from any other of that name. Set once the run relies on it: another Workspace of that
	// name does not have this run's files.
	// +optional
	UID types.UID `json:"uid,omitempty"`
}

// StepStatus is the status of one step.
type StepStatus struct {
	// name of the step.
	// +required
	Name string `json:"name"`

	// state of the step.
	// +required
	State StepState `json:"state"`

	// jobName is the name of the step's Job. The finished operator records it before it creates the
	// Job, so that the status names every Job that may exist.
	// +optional
	JobName string `json:"jobName,omitempty"`

	// jobUID distinguishes the step's Job from any other Job of that name. Set once the Job exists.
	// +optional
	JobUID types.UID `json:"jobUID,omitempty"`

	// startTime is when the step's Job was created.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// completionTime is when the step's Job finished. If the Job has no such time, it is when the
	// controller found the step finished.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// reason says in one word, for programs, why the step failed or was skipped.
	// +optional
	Reason string `json:"reason,omitempty"`

	// message says the same in a sentence, for people.
	// +optional
	Message string `json:"message,omitempty"`
}
