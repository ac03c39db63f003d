package v1alpha1

// The condition types of a SequentialJob. All of them are there from the first status on, unless said otherwise.
const (
	// ConditionAccepted is False once the API server has refused a step's Job as invalid, which is
	// final because steps are immutable; True until then.
	ConditionAccepted = "Accepted"

	// ConditionSuspended is True while nothing of the run is active because spec.suspend asks for
	// that. While it is True, the clock of spec.activeDeadlineSeconds is stopped.
	ConditionSuspended = "Suspended"

	// ConditionWorkspaceReady is there if spec.workspace is set. It is True while the run's Workspace is ready for its current
	// generation, and no step starts while it is not. Once the run has ended, it keeps its last value.
	ConditionWorkspaceReady = "WorkspaceReady"

	// ConditionSucceeded is the summary: Unknown while the run continues, then True or False for good.
	ConditionSucceeded = "Succeeded"
)

// Reasons of the condition Accepted.
const (
	ReasonAccepted           = "Accepted"
	ReasonInvalidJobTemplate = "InvalidJobTemplate" // also of Succeeded and of a step
)

// Reasons of the condition Suspended.
const (
	ReasonNotSuspended = "NotSuspended"
	ReasonSuspending   = "Suspending" // asked for, but a Job has not stopped yet
	ReasonSuspended    = "Suspended"  // also of Succeeded
	ReasonFinished     = "Finished"   // nothing is left to suspend
)

// Reasons of the condition WorkspaceReady. Those of WorkspaceReady=False are reasons of Succeeded too, while nothing but the
// Workspace keeps a step from starting.
const (
	ReasonWorkspaceReady    = "Ready"
	ReasonWorkspaceNotFound = "WorkspaceNotFound" // there is no Workspace of that name, or not yet
	ReasonWorkspaceNotReady = "WorkspaceNotReady" // the Workspace says why
	ReasonWorkspaceConflict = "WorkspaceConflict" // the name is taken by a Workspace that is not the run's own
	ReasonWorkspaceRefused  = "WorkspaceRefused"  // the API server refuses to create the run's own Workspace
	ReasonWorkspaceLost     = "WorkspaceLost"     // the Workspace or its files are gone: also of Succeeded=False
)

// Reasons of the condition Succeeded. Those of a step's failure (ReasonInvalidJobTemplate,
// ReasonJobDeleted, ReasonDeadlineExceeded) are reasons of Succeeded=False too, and the latter two
// of Succeeded=Unknown while a Job is being stopped for that reason.
const (
	// Unknown
	ReasonRunning     = "Running"
	ReasonJobConflict = "JobConflict" // the step's Job name is taken by a Job that is not ours
	ReasonJobRefused  = "JobRefused"  // the API server forbids the step's Job for now: permission, quota, policy

	// True
	ReasonAllStepsSucceeded = "AllStepsSucceeded"
	ReasonStepsFailed       = "CompletedWithFailedSteps" // every failed step has onFailure: Continue

	// False
	ReasonStepFailed = "StepFailed" // the step's Job failed
)

// Reasons of a step, in addition to those that its Job gave (BackoffLimitExceeded and others).
const (
	ReasonJobDeleted       = "JobDeleted"       // its Job was removed while it ran
	ReasonDeadlineExceeded = "DeadlineExceeded" // the run's activeDeadlineSeconds passed
	ReasonBeforeStartAt    = "BeforeStartAt"    // skipped: it lies before spec.startAt
	ReasonRunFailed        = "RunFailed"        // skipped: the run failed before its turn
)

// The condition types of a Workspace. All of them are there from the first status on. A condition is Unknown if the controller
// can't tell whether it holds for the current spec. If the object store already has that spec, an outage of the store does not change BucketReady.
const (
	// ConditionBucketReady is True while the Workspace's bucket exists as its spec asks for.
	ConditionBucketReady = "BucketReady"

	// ConditionBindingReady is True while the Secret exists with which programs use the bucket.
	ConditionBindingReady = "BindingReady"

	// ConditionReady is the summary: True while both others are. Its reason is that of the first that is not.
	ConditionReady = "Ready"
)

// Reasons of the conditions of a Workspace.
const (
	ReasonReady    = "Ready"
	ReasonOverfull = "Overfull" // BucketReady=True: it holds more than its capacity, which was lowered
	ReasonDrifted  = "Drifted"  // BucketReady=True: somebody has changed settings, which could not be put back yet
	ReasonPending  = "Pending"  // nothing has been tried yet, or it waits for another condition
	ReasonRetained = "Retained" // the Workspace is being deleted; its bucket stays
	ReasonDeleted  = "Deleted"  // the Workspace is being deleted; its bucket is gone

	ReasonNoStore          = "NoStore"          // the operator runs without an object store
	ReasonStoreUnavailable = "StoreUnavailable" // the object store does not respond, or not as it should
	ReasonStoreRefused     = "StoreRefused"     // the object store refuses what the spec asks for: no room, for example
	ReasonBucketConflict   = "BucketConflict"   // a bucket of that name exists, and is not this Workspace's
	ReasonContentLost      = "ContentLost"      // the bucket or its files were removed or replaced: final
	ReasonDisputed         = "Disputed"         // somebody keeps changing what the operator puts back
	ReasonCannotRestore    = "CannotRestore"    // somebody changed what can't be put back without losing files
	ReasonSecretConflict   = "SecretConflict"   // a Secret of that name exists, and is not this Workspace's
	ReasonSecretRefused    = "SecretRefused"    // the API server refuses the Secret
)
