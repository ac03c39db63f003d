package v1alpha1

import (
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TODO(resource): Say how the kind is served and shown, and which changes of it are refused.
// Short name: sjob. The status is a subresource. Columns: Succeeded and Reason (of the condition Succeeded),
// Step (status.currentStep), Progress (status.progress), Age.
// A step's Job is named <metadata.name>-<step name>, of which a Job's name may have 63 characters.
// Once created, neither the steps nor their order may change.

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

// TODO(spec-rules): Refuse what no field can refuse by itself.
// startAt must be the name of a step. Neither startAt nor managedBy may change, be added or be removed
// once the object is created.

// SequentialJobSpec is what the user wants.
type SequentialJobSpec struct {
	// steps run in this order, each only after the one before has finished. Immutable: to change or
	// to retry, create a new SequentialJob, with startAt to leave out what is done.
	// +required
	// +listType=map
	// +listMapKey=name
	// TODO(steps): Have no less than 1 and no more than 50 of them.
	Steps []Step `json:"steps"`

	// TODO(optional): Make all of these optional, and refuse values that mean nothing.
	// Where suspend is left out, it is false; the others then stay unset, and 0 is another thing than unset.
	// activeDeadlineSeconds: 1 to 2147483647. ttlSecondsAfterFinished: 0 or more. startAt: 1 to 40 characters.
	// managedBy: at most 63 characters, a domain, a slash and a path, like example.com/my-controller.

	// suspend, while true, keeps the next step from starting and suspends the running step's Job.
	Suspend bool `json:"suspend"`

	// activeDeadlineSeconds limits the whole run. No limit when it isn't set.
	ActiveDeadlineSeconds int64 `json:"activeDeadlineSeconds"`

	// ttlSecondsAfterFinished is how long the object is kept after its end; 0 deletes it at once. Kept
	// for good when it isn't set.
	TTLSecondsAfterFinished int32 `json:"ttlSecondsAfterFinished"`

	// startAt names the step to start at; earlier ones are skipped. The first one when it isn't set.
	StartAt string `json:"startAt"`

	// managedBy names the controller that is to run the object.
	ManagedBy string `json:"managedBy"`
}

// TODO(failure-policy): Make the type of onFailure, which takes the values Fail and Continue and no other.

// TODO(step): Refuse steps that could not be run, and let their failure be more than a yes or no.
// name: a DNS label of at most 40 characters. onFailure (Fail where it is left out) replaces continueOnFailure.
// jobTemplate must not set, in its spec, suspend, selector, manualSelector, managedBy or
// ttlSecondsAfterFinished, nor, in its metadata, name, namespace or finalizers. The restartPolicy of its
// pods must be there, as Never or OnFailure.

// Step is one Job of the sequence.
type Step struct {
	// name of the step; its Job is named <SequentialJob>-<name>.
	Name string `json:"name"`

	// jobTemplate is the Job that the step runs, with the labels and annotations it must have.
	JobTemplate batchv1.JobTemplateSpec `json:"jobTemplate"`

	// continueOnFailure says that the next step runs even if this one fails.
	ContinueOnFailure bool `json:"continueOnFailure,omitempty"`
}

// StepState is where a step stands. It only ever moves forward: Pending, Running, then one of
// Succeeded and Failed; or Pending, then Failed or Skipped. A state that was too
// short to be seen is left out.
//
// +kubebuilder:validation:Enum=Pending;Running;Succeeded;Failed;Skipped
type StepState string

const (
	// StepPending has not started. With a jobName it is about to: its Job is created next.
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
	// observedGeneration is the metadata.generation that this status speaks of.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// startTime is when the run started: once it was first not suspended.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// completionTime is when the run ended, well or badly.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// suspendedSeconds is how long the run was suspended since startTime, without a suspension that
	// still lasts (that one started at the condition Suspended's lastTransitionTime). The deadline's
	// clock leaves both out.
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
	// Steps are told apart by their name, conditions by their type.

	// steps has an entry for each of spec.steps, in their order.
	// +optional
	Steps []StepStatus `json:"steps,omitempty"`

	// conditions are Accepted, Suspended and Succeeded. Succeeded is the summary to wait for.
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// StepStatus is where one step stands.
type StepStatus struct {
	// name of the step.
	// +required
	Name string `json:"name"`

	// state of the step.
	// +required
	State StepState `json:"state"`

	// jobName is the name of the step's Job. The finished operator records it before the Job is
	// created, so that nothing is ever created that the status doesn't know of.
	// +optional
	JobName string `json:"jobName,omitempty"`

	// jobUID tells the step's Job from any other that has its name. Set once the Job exists.
	// +optional
	JobUID types.UID `json:"jobUID,omitempty"`

	// startTime is when the step's Job was created.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// completionTime is when the step's Job finished; where there is no such time, when the
	// controller found the step finished.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// reason is one word for programs on why the step failed or was skipped.
	// +optional
	Reason string `json:"reason,omitempty"`

	// message says the same to people.
	// +optional
	Message string `json:"message,omitempty"`
}
