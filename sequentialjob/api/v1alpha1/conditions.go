package v1alpha1

// The condition types of a SequentialJob. All of them are there from the first status on.
const (
	// ConditionAccepted is False once the API server has refused a step's Job as invalid, which is
	// final because steps are immutable; True until then.
	ConditionAccepted = "Accepted"

	// ConditionSuspended is True while nothing of the run is active because spec.suspend asks for
	// that. While it is True, the clock of spec.activeDeadlineSeconds is stopped.
	ConditionSuspended = "Suspended"

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
