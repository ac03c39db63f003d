package v1alpha1

import (
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TODO(resource): Serve and show the kind as the table of requirements in the text says.
// Spec and status are written separately. The name of every step's Job, <metadata.name>-<step name>,
// is a valid one. After creation neither the steps nor their order change.

// SequentialJob runs a list of steps, each a Job, strictly one after another.
//
// +kubebuilder:object:root=true
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

// TODO(spec-rules): Refuse what no single field can refuse.
// startAt names a step: leave that rule until TODO(steps) and TODO(step) are done. After creation, startAt and
// managedBy can't be changed, added or removed.

// SequentialJobSpec is what the user wants.
type SequentialJobSpec struct {
	// steps run in this order, each only after the one before has finished. Immutable: to change or
	// to retry, create a new SequentialJob, with startAt to leave out what is done.
	// +required
	// +listType=map
	// +listMapKey=name
	// TODO(steps): Limit their number as the table of requirements in the text says.
	Steps []Step `json:"steps"`

	// TODO(optional): Make all of these optional, and refuse values that make no sense.
	// The table of requirements in the text has the default and the limits. Users and Go clients can
	// distinguish a field that is 0 from one that is not set.

	// suspend, while true, keeps the next step from starting and suspends the running step's Job.
	Suspend bool `json:"suspend"`

	// activeDeadlineSeconds limits the whole run. No limit when it isn't set.
	ActiveDeadlineSeconds int64 `json:"activeDeadlineSeconds"`

	// ttlSecondsAfterFinished is how long the object is kept after its end; 0 deletes it immediately. Kept
	// for good when it isn't set.
	TTLSecondsAfterFinished int32 `json:"ttlSecondsAfterFinished"`

	// startAt names the step to start at; earlier ones are skipped. The first one when it isn't set.
	StartAt string `json:"startAt"`

	// managedBy names the controller that must run the object.
	ManagedBy string `json:"managedBy"`
}

// TODO(failure-policy): Write the type of onFailure. It accepts the values in the table of requirements, and no others.

// TODO(step): Refuse steps that can't run, and make the policy for a failure more than a yes or no.
// onFailure replaces continueOnFailure. The table of requirements in the text says which names are valid,
// which policy is the default, and what a template must set and must not set.

// Step is one Job of the sequence.
type Step struct {
	// name of the step; its Job is named <SequentialJob>-<name>.
	Name string `json:"name"`

	// jobTemplate is the Job that the step runs, with the labels and annotations it must have.
	JobTemplate batchv1.JobTemplateSpec `json:"jobTemplate"`

	// continueOnFailure says that the next step runs even if this one fails.
	ContinueOnFailure bool `json:"continueOnFailure,omitempty"`
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

	// TODO(status-lists): Let several writers own single entries of these lists.
	// A step is identified by its name, a condition by its type.

	// steps has an entry for each of spec.steps, in their order.
	// +optional
	Steps []StepStatus `json:"steps,omitempty"`

	// conditions are Accepted, Suspended and Succeeded. Succeeded is the summary to wait for.
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
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
