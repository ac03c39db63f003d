package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Record is what has happened.
type Record struct {
	ObservedGeneration int64        `json:"observedGeneration,omitempty"`
	StartTime          *metav1.Time `json:"startTime,omitempty"`
	CompletionTime     *metav1.Time `json:"completionTime,omitempty"`
	SuspendedSeconds   *int32       `json:"suspendedSeconds,omitempty"`
	CurrentStep        *string      `json:"currentStep,omitempty"`
	Progress           string       `json:"progress,omitempty"`

	// +listType=map
	// +listMapKey=name
	Steps []RecordedStep `json:"steps,omitempty"`

	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// RecordedStep is the state of a step.
type RecordedStep struct {
	Name           string       `json:"name"`
	State          string       `json:"state"`
	JobName        string       `json:"jobName,omitempty"`
	JobUID         string       `json:"jobUID,omitempty"`
	StartTime      *metav1.Time `json:"startTime,omitempty"`
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
	Reason         string       `json:"reason,omitempty"`
	Message        string       `json:"message,omitempty"`
}
