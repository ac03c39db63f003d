package jobdriver

import (
	"context"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Start does what the Job controller does with a Job that is not suspended: it notes the time and makes
// its pod. A Job that was suspended is resumed. A Job that has started already does not change.
func (d *Driver) Start(ctx context.Context, job *batchv1.Job) error {
	d.log.Stimulate(jobController, "starts Job "+job.Name)
	mayStart := func(job *batchv1.Job) bool { return !IsSuspended(job) && job.Status.StartTime == nil }
	return d.updateStatusWhile(ctx, job, mayStart, func(status *batchv1.JobStatus) {
		track(status)
		status.StartTime = new(metav1.Now())
		status.Active = 1
		if ConditionOf(status, batchv1.JobSuspended) != nil {
			set(status, batchv1.JobSuspended, corev1.ConditionFalse, "JobResumed", "Job resumed")
		}
	})
}

// Suspend acknowledges that a Job should be suspended, and that its pod is gone, or is terminating
// (Linger).
func (d *Driver) Suspend(ctx context.Context, job *batchv1.Job) error {
	d.log.Stimulate(jobController, "suspends Job "+job.Name)
	return d.updateStatusWhile(ctx, job, IsSuspended, func(status *batchv1.JobStatus) {
		track(status)
		status.StartTime = nil
		status.Active = 0
		if d.linger {
			status.Terminating = new(int32(1))
		}
		set(status, batchv1.JobSuspended, corev1.ConditionTrue, "JobSuspended", "Job suspended")
	})
}

// Delay says that from now on the Job controller is late: it does nothing by itself until CatchUp. It creates pods before it
// counts them in the status, so a Job without a status may have pods.
func (d *Driver) Delay() { d.delayed = true }

// CatchUp ends a Delay: the Job controller does the first thing that it has to do.
func (d *Driver) CatchUp(ctx context.Context) error {
	d.delayed = false
	_, err := d.React(ctx)
	return err
}

// Linger says that from now on the pod of a Job that is suspended takes its time to end: until EndPod. The Job
// controller acknowledges a suspension when it has deleted the pods, and counts those that have not ended yet.
func (d *Driver) Linger() { d.linger = true }

// EndPod records for a suspended Job that its pod has ended.
func (d *Driver) EndPod(ctx context.Context, job *batchv1.Job) error {
	d.log.Stimulate(jobController, "counts no terminating pod of Job "+job.Name+" any more")
	return d.updateStatus(ctx, job, track)
}

// Progress records for a Job that has started, and that has more than one pod, that one has failed, one has
// succeeded, and another one runs.
func (d *Driver) Progress(ctx context.Context, job *batchv1.Job) error {
	d.log.Stimulate(jobController, "counts a failed and a succeeded pod of Job "+job.Name)
	return d.updateStatus(ctx, job, func(status *batchv1.JobStatus) {
		track(status)
		status.Active, status.Failed, status.Succeeded = 1, 1, 1
	})
}

// Announce records for a Job that has started that it is going to be complete: enough of its pods have succeeded and are
// counted, and others may still end. In this state a Job is not complete yet.
func (d *Driver) Announce(ctx context.Context, job *batchv1.Job) error {
	d.log.Stimulate(jobController, "announces that Job "+job.Name+" will be complete")
	return d.updateStatus(ctx, job, announceSuccess)
}

// Complete completes a Job that has started. It says so before, as Announce does.
func (d *Driver) Complete(ctx context.Context, job *batchv1.Job) error {
	d.log.Stimulate(jobController, "completes Job "+job.Name)
	return d.updateStatus(ctx, job, announceSuccess, func(status *batchv1.JobStatus) {
		status.CompletionTime = new(metav1.Now())
		set(status, batchv1.JobComplete, corev1.ConditionTrue, batchv1.JobReasonCompletionsReached, completionsReached)
	})
}

// AnnounceFailure records for a Job that has started that it is going to fail, as Announce does.
func (d *Driver) AnnounceFailure(ctx context.Context, job *batchv1.Job, reason, message string) error {
	d.log.Stimulate(jobController, "announces that Job "+job.Name+" will fail")
	return d.updateStatus(ctx, job, announceFailure(reason, message))
}

// Fail fails a Job that has started, for a reason such as batchv1.JobReasonBackoffLimitExceeded. It says so
// before, as AnnounceFailure does.
func (d *Driver) Fail(ctx context.Context, job *batchv1.Job, reason, message string) error {
	d.log.Stimulate(jobController, "fails Job "+job.Name)
	return d.updateStatus(ctx, job, announceFailure(reason, message), func(status *batchv1.JobStatus) {
		status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}
		status.Failed++
		set(status, batchv1.JobFailed, corev1.ConditionTrue, reason, message)
	})
}

// Vanish deletes a Job as a user does with kubectl. It is gone immediately unless a finalizer holds it.
func (d *Driver) Vanish(ctx context.Context, job *batchv1.Job) error {
	d.log.Stimulate(user, "deletes Job "+job.Name)
	err := d.client.Delete(ctx, job, client.Preconditions{UID: &job.UID}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	return goneOrReplaced(err)
}

// pod is the UID of the pod that every Job has had.
const pod types.UID = "00000000-0000-4000-8000-00000000000d"

const completionsReached = "Reached expected number of succeeded pods"

func announceSuccess(status *batchv1.JobStatus) {
	track(status)
	status.Active = 0
	if !holds(status, batchv1.JobSuccessCriteriaMet) {
		status.Succeeded++
	}
	set(status, batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue, batchv1.JobReasonCompletionsReached, completionsReached)
}

func announceFailure(reason, message string) func(*batchv1.JobStatus) {
	return func(status *batchv1.JobStatus) {
		track(status)
		status.Active = 0
		status.UncountedTerminatedPods.Failed = []types.UID{pod}
		set(status, batchv1.JobFailureTarget, corev1.ConditionTrue, reason, message)
	}
}

// track sets what the Job controller sets in every Job from its first look on: what it counts pods with.
func track(status *batchv1.JobStatus) {
	status.Ready, status.Terminating = new(int32(0)), new(int32(0))
	if status.UncountedTerminatedPods == nil {
		status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}
	}
}

// set sets a condition, unless it has the wanted status already.
func set(status *batchv1.JobStatus, conditionType batchv1.JobConditionType, value corev1.ConditionStatus, reason, message string) {
	condition := ConditionOf(status, conditionType)
	if condition == nil {
		status.Conditions = append(status.Conditions, batchv1.JobCondition{Type: conditionType})
		condition = &status.Conditions[len(status.Conditions)-1]
	}
	if condition.Status == value && condition.Reason == reason && condition.Message == message {
		return
	}
	now := metav1.Now()
	*condition = batchv1.JobCondition{
		Type: conditionType, Status: value, Reason: reason, Message: message, LastProbeTime: now, LastTransitionTime: now,
	}
}

// ConditionOf is a condition of a Job; nil when it has none of that type.
func ConditionOf(status *batchv1.JobStatus, conditionType batchv1.JobConditionType) *batchv1.JobCondition {
	i := slices.IndexFunc(status.Conditions, func(c batchv1.JobCondition) bool { return c.Type == conditionType })
	if i < 0 {
		return nil
	}
	return &status.Conditions[i]
}

// Holds says whether a condition of a Job is True.
func Holds(job *batchv1.Job, conditionType batchv1.JobConditionType) bool {
	return holds(&job.Status, conditionType)
}

func holds(status *batchv1.JobStatus, conditionType batchv1.JobConditionType) bool {
	condition := ConditionOf(status, conditionType)
	return condition != nil && condition.Status == corev1.ConditionTrue
}

// Ended says whether a Job has completed or failed.
func Ended(job *batchv1.Job) bool {
	return Holds(job, batchv1.JobComplete) || Holds(job, batchv1.JobFailed)
}

// IsSuspended says whether a Job should be suspended.
func IsSuspended(job *batchv1.Job) bool { return ptr.Deref(job.Spec.Suspend, false) }
