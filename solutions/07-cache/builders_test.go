package main

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// noon is when the tests' reconciles take place.
var noon = metav1.NewTime(time.Date(2025, time.March, 1, 12, 0, 0, 0, time.UTC))

// makeObject makes a SequentialJob with the steps build, test and release, of which these states are
// recorded. A step that is recorded has a Job as makeJob makes it, unless it was skipped.
func makeObject(states ...v1alpha1.StepState) *v1alpha1.SequentialJob {
	object := &v1alpha1.SequentialJob{Spec: v1alpha1.SequentialJobSpec{
		Steps: []v1alpha1.Step{{Name: "build"}, {Name: "test"}, {Name: "release"}},
	}}
	for i, state := range states {
		entry := v1alpha1.StepStatus{Name: object.Spec.Steps[i].Name, State: state}
		if state != v1alpha1.StepPending && state != v1alpha1.StepSkipped {
			entry.JobName, entry.JobUID = "web-"+entry.Name, types.UID("uid-of-"+entry.Name)
		}
		object.Status.Steps = append(object.Status.Steps, entry)
	}
	return object
}

// startingAt sets spec.startAt of an object.
func startingAt(step string, object *v1alpha1.SequentialJob) *v1alpha1.SequentialJob {
	object.Spec.StartAt = ptr.To(step)
	return object
}

// makeJob makes the Job of a step, of which these conditions are True.
func makeJob(step string, conditions ...batchv1.JobConditionType) *batchv1.Job {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		Name: "web-" + step, UID: types.UID("uid-of-" + step), CreationTimestamp: noon,
	}}
	job.Status.Active = 1
	for _, conditionType := range conditions {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
			Type: conditionType, Status: corev1.ConditionTrue, LastTransitionTime: noon,
		})
		if conditionType == batchv1.JobSuspended {
			job.Spec.Suspend, job.Status.Active = ptr.To(true), 0
		}
		if conditionType == batchv1.JobComplete {
			job.Status.CompletionTime = ptr.To(noon)
		}
		if conditionType == batchv1.JobFailed {
			last := &job.Status.Conditions[len(job.Status.Conditions)-1]
			last.Reason, last.Message = batchv1.JobReasonBackoffLimitExceeded, "Job has reached the specified backoff limit"
		}
	}
	return job
}

// failedFor changes the reason for which a Job has failed.
func failedFor(reason string, job *batchv1.Job) *batchv1.Job {
	for i := range job.Status.Conditions {
		job.Status.Conditions[i].Reason = reason
	}
	return job
}

// deleted says of a Job that it is being deleted.
func deleted(job *batchv1.Job) *batchv1.Job {
	job.DeletionTimestamp = ptr.To(noon)
	return job
}

// suspended sets spec.suspend of an object.
func suspended(object *v1alpha1.SequentialJob) *v1alpha1.SequentialJob {
	object.Spec.Suspend = ptr.To(true)
	return object
}

// asked sets spec.suspend of a Job. The Job controller has not confirmed it yet.
func asked(job *batchv1.Job, suspend bool) *batchv1.Job {
	job.Spec.Suspend = &suspend
	return job
}

// continuing sets onFailure: Continue of a step.
func continuing(step string, object *v1alpha1.SequentialJob) *v1alpha1.SequentialJob {
	for i := range object.Spec.Steps {
		if object.Spec.Steps[i].Name == step {
			object.Spec.Steps[i].OnFailure = v1alpha1.FailurePolicyContinue
		}
	}
	return object
}

// limited sets spec.activeDeadlineSeconds of an object.
func limited(deadline time.Duration, object *v1alpha1.SequentialJob) *v1alpha1.SequentialJob {
	object.Spec.ActiveDeadlineSeconds = ptr.To(int64(deadline / time.Second))
	return object
}

// started records that the run started so long before noon.
func started(before time.Duration, object *v1alpha1.SequentialJob) *v1alpha1.SequentialJob {
	object.Status.StartTime = ptr.To(metav1.NewTime(noon.Add(-before)))
	return object
}

// saying records Succeeded=Unknown with a reason, and the current step.
func saying(reason string, object *v1alpha1.SequentialJob) *v1alpha1.SequentialJob {
	object.Status.CurrentStep = currentStep(ledger(object)).Name
	object.Status.Conditions = append(object.Status.Conditions, metav1.Condition{
		Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: reason, Message: "recorded before",
	})
	return object
}

// suspendedFor records that the run has been suspended for so long.
func suspendedFor(long time.Duration, object *v1alpha1.SequentialJob) *v1alpha1.SequentialJob {
	object.Status.Conditions = append(object.Status.Conditions, metav1.Condition{
		Type: v1alpha1.ConditionSuspended, Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(noon.Add(-long)),
	})
	return object
}

// ended records that the run succeeded so long before noon, and how long the object is kept.
func ended(before, ttl time.Duration) *v1alpha1.SequentialJob {
	object := makeObject(v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepSucceeded)
	object.Spec.TTLSecondsAfterFinished = ptr.To(int32(ttl / time.Second))
	object.Status.CompletionTime = ptr.To(metav1.NewTime(noon.Add(-before)))
	object.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue}}
	return object
}
