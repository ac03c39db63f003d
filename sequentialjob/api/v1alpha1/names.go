package v1alpha1

import "k8s.io/apimachinery/pkg/types"

const (
	// Kind is the kind of a SequentialJob, as owner references name it.
	Kind = "SequentialJob"

	// KindWorkspace is the kind of a Workspace.
	KindWorkspace = "Workspace"

	// FinalizerBucket keeps a Workspace until its bucket is gone, or known to stay.
	FinalizerBucket = "batch.example.com/bucket"

	// ControllerName is the value of spec.managedBy that selects the controller of this
	// project. An object without spec.managedBy belongs to this controller too.
	ControllerName = "batch.example.com/sequentialjob-controller"

	// LabelSequentialJob is on every Job (and its pods) of a SequentialJob; its value is the
	// SequentialJob's name.
	LabelSequentialJob = "batch.example.com/sequentialjob"

	// LabelStep is on every Job (and its pods) of a SequentialJob; its value is the step's name.
	LabelStep = "batch.example.com/step"

	// LabelWorkspace is on the Secret of a Workspace; its value is the Workspace's name.
	LabelWorkspace = "batch.example.com/workspace"

	// WorkspacePrefix is the prefix of the environment variables that a step gets of its Workspace.
	WorkspacePrefix = "WORKSPACE_"
)

// The entries of a Workspace's Secret, and so the environment variables of a step after WorkspacePrefix. TYPE is what the
// specification of Provisioned Services calls type.
const (
	BindingType        = "TYPE"         // "nats"
	BindingURL         = "URL"          // of the object store
	BindingBucket      = "BUCKET"       // the bucket's name
	BindingCredentials = "CREDENTIALS"  // what a client presents to the object store; only if the store asks for it
	BindingInboxPrefix = "INBOX_PREFIX" // for the responses to a client with these credentials
)

// BucketName is the name of a Workspace's bucket. No other Workspace, nor a later one of the same name, ever has it.
func BucketName(workspace types.UID) string {
	return "ws-" + string(workspace)
}

// BindingName is the name of a Workspace's Secret.
func BindingName(workspace string) string {
	return workspace + "-workspace"
}

// JobName is the name of the Job that runs a step. A validation rule on SequentialJob keeps it
// within the 63 characters that a Job's name may have.
func JobName(sequentialJob, step string) string {
	return sequentialJob + "-" + step
}
