package controller

import (
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// noon is when the tests' reconciles take place, and when everything started unless a test says otherwise.
var noon = time.Date(2025, time.March, 1, 12, 0, 0, 0, time.UTC)

// objectBuilder makes a SequentialJob whose status is one that a reconcile could have left.
type objectBuilder struct{ object *v1alpha1.SequentialJob }

func makeObject(name string) *objectBuilder {
	return &objectBuilder{&v1alpha1.SequentialJob{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: name, UID: types.UID("uid-of-" + name), ResourceVersion: "100", Generation: 1,
	}}}
}

func (b *objectBuilder) obj() *v1alpha1.SequentialJob { return b.object }

func (b *objectBuilder) steps(names ...string) *objectBuilder {
	for _, name := range names {
		b.object.Spec.Steps = append(b.object.Spec.Steps, v1alpha1.Step{Name: name, OnFailure: v1alpha1.FailurePolicyFail})
	}
	return b
}

func (b *objectBuilder) continueAfter(name string) *objectBuilder {
	for i := range b.object.Spec.Steps {
		if b.object.Spec.Steps[i].Name == name {
			b.object.Spec.Steps[i].OnFailure = v1alpha1.FailurePolicyContinue
		}
	}
	return b
}

func (b *objectBuilder) startAt(name string) *objectBuilder {
	b.object.Spec.StartAt = &name
	return b
}

// suspend sets spec.suspend; recordSuspended is about the status.
func (b *objectBuilder) suspend() *objectBuilder {
	b.object.Spec.Suspend = new(true)
	return b
}

func (b *objectBuilder) deadline(seconds int64) *objectBuilder {
	b.object.Spec.ActiveDeadlineSeconds = &seconds
	return b
}

func (b *objectBuilder) ttl(seconds int32) *objectBuilder {
	b.object.Spec.TTLSecondsAfterFinished = &seconds
	return b
}

func (b *objectBuilder) generation(generation int64) *objectBuilder {
	b.object.Generation = generation
	return b
}

// waiting records a first reconcile over a suspended object: nothing has started.
func (b *objectBuilder) waiting() *objectBuilder {
	for i := range b.object.Spec.Steps {
		b.object.Status.Steps = append(b.object.Status.Steps, v1alpha1.StepStatus{Name: b.object.Spec.Steps[i].Name, State: v1alpha1.StepPending})
	}
	return b.recordSuspended(noon)
}

// about records that the steps before the named one succeeded and that its turn has come, without a
// claim yet.
func (b *objectBuilder) about(name string) *objectBuilder {
	status := &b.object.Status
	status.ObservedGeneration = b.object.Generation
	status.StartTime = new(metav1.NewTime(noon))
	status.CurrentStep = name
	status.Steps = nil
	for _, step := range b.object.Spec.Steps {
		status.Steps = append(status.Steps, v1alpha1.StepStatus{Name: step.Name, State: v1alpha1.StepPending})
	}
	turn := slices.IndexFunc(status.Steps, func(step v1alpha1.StepStatus) bool { return step.Name == name })
	for i := range status.Steps[:turn] {
		b.record(status.Steps[i].Name, v1alpha1.StepSucceeded, "")
	}
	status.Progress = progress(status.Steps)
	return b.condition(v1alpha1.ConditionAccepted, metav1.ConditionTrue, v1alpha1.ReasonAccepted, "the spec is accepted").
		condition(v1alpha1.ConditionSuspended, metav1.ConditionFalse, v1alpha1.ReasonNotSuspended, "spec.suspend is not set").
		succeeded(metav1.ConditionUnknown, v1alpha1.ReasonRunning, `step "`+name+`" is about to start`)
}

// claimed is about, with the step's Job name in the status.
func (b *objectBuilder) claimed(name string) *objectBuilder {
	b.about(name)
	b.entry(name).JobName = b.object.Name + "-" + name
	return b
}

// running is claimed, with the Job that makeJob makes recorded as the step's.
func (b *objectBuilder) running(name string) *objectBuilder {
	b.claimed(name).record(name, v1alpha1.StepRunning, "")
	return b.succeeded(metav1.ConditionUnknown, v1alpha1.ReasonRunning, `step "`+name+`" is running as Job `+b.object.Name+"-"+name)
}

// record records the state of a step, and why.
func (b *objectBuilder) record(name string, state v1alpha1.StepState, reason string) *objectBuilder {
	entry := b.entry(name)
	entry.State, entry.Reason = state, reason
	if state != v1alpha1.StepPending && state != v1alpha1.StepSkipped {
		entry.JobName = b.object.Name + "-" + name
		entry.JobUID = types.UID("uid-of-" + entry.JobName)
		entry.StartTime = new(metav1.NewTime(noon))
	}
	if state == v1alpha1.StepSucceeded || state == v1alpha1.StepFailed {
		entry.CompletionTime = new(metav1.NewTime(noon))
	}
	b.object.Status.Progress = progress(b.object.Status.Steps)
	return b
}

func (b *objectBuilder) entry(name string) *v1alpha1.StepStatus {
	for i := range b.object.Status.Steps {
		if b.object.Status.Steps[i].Name == name {
			return &b.object.Status.Steps[i]
		}
	}
	panic("no status entry for step " + name)
}

func (b *objectBuilder) started(at time.Time) *objectBuilder {
	b.object.Status.StartTime = new(metav1.NewTime(at))
	return b
}

func (b *objectBuilder) completed(at time.Time) *objectBuilder {
	b.object.Status.CompletionTime = new(metav1.NewTime(at))
	return b
}

func (b *objectBuilder) suspendedFor(seconds int64) *objectBuilder {
	b.object.Status.SuspendedSeconds = seconds
	return b
}

// recordSuspended records that nothing has run since then because of spec.suspend.
func (b *objectBuilder) recordSuspended(since time.Time) *objectBuilder {
	b.condition(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended, "nothing is running, as spec.suspend requests")
	meta.FindStatusCondition(b.object.Status.Conditions, v1alpha1.ConditionSuspended).LastTransitionTime = metav1.NewTime(since)
	return b
}

// succeeded records the summary.
func (b *objectBuilder) succeeded(status metav1.ConditionStatus, reason, message string) *objectBuilder {
	return b.condition(v1alpha1.ConditionSucceeded, status, reason, message)
}

func (b *objectBuilder) condition(conditionType string, status metav1.ConditionStatus, reason, message string) *objectBuilder {
	meta.SetStatusCondition(&b.object.Status.Conditions, metav1.Condition{
		Type: conditionType, Status: status, Reason: reason, Message: message,
		LastTransitionTime: metav1.NewTime(noon), ObservedGeneration: b.object.Generation,
	})
	return b
}

// jobBuilder makes the Job of a step of web: running, and controlled by it.
type jobBuilder struct{ made *batchv1.Job }

func makeJob(step string) *jobBuilder {
	owner := makeObject("web").obj()
	return &jobBuilder{&batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: "web-" + step, UID: types.UID("uid-of-web-" + step), ResourceVersion: "200",
			CreationTimestamp: metav1.NewTime(noon),
			OwnerReferences:   []metav1.OwnerReference{*metav1.NewControllerRef(owner, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))},
		},
		Status: batchv1.JobStatus{Active: 1},
	}}
}

func (b *jobBuilder) obj() *batchv1.Job { return b.made }

func (b *jobBuilder) uid(uid types.UID) *jobBuilder {
	b.made.UID = uid
	return b
}

func (b *jobBuilder) version(resourceVersion string) *jobBuilder {
	b.made.ResourceVersion = resourceVersion
	return b
}

func (b *jobBuilder) ownedByAnother() *jobBuilder {
	b.made.OwnerReferences[0].UID = "another"
	return b
}

func (b *jobBuilder) deleting() *jobBuilder {
	b.made.DeletionTimestamp = new(metav1.NewTime(noon))
	return b
}

// suspendWanted sets the Job's spec.suspend; confirmSuspended is how its controller responds.
func (b *jobBuilder) suspendWanted() *jobBuilder {
	b.made.Spec.Suspend = new(true)
	return b
}

func (b *jobBuilder) confirmSuspended() *jobBuilder {
	b.made.Status.Active = 0
	return b.suspendWanted().condition(batchv1.JobSuspended, corev1.ConditionTrue)
}

func (b *jobBuilder) pods(active, terminating int32) *jobBuilder {
	b.made.Status.Active, b.made.Status.Terminating = active, &terminating
	return b
}

func (b *jobBuilder) complete() *jobBuilder {
	b.made.Status.Active = 0
	return b.condition(batchv1.JobComplete, corev1.ConditionTrue)
}

func (b *jobBuilder) failed(reason, message string) *jobBuilder {
	b.made.Status.Active = 0
	b.condition(batchv1.JobFailed, corev1.ConditionTrue)
	last := &b.made.Status.Conditions[len(b.made.Status.Conditions)-1]
	last.Reason, last.Message = reason, message
	return b
}

func (b *jobBuilder) condition(conditionType batchv1.JobConditionType, status corev1.ConditionStatus) *jobBuilder {
	b.made.Status.Conditions = append(b.made.Status.Conditions, batchv1.JobCondition{
		Type: conditionType, Status: status, LastTransitionTime: metav1.NewTime(noon.Add(time.Minute)),
	})
	return b
}

// resume takes back what suspendWanted asked for; the Job's controller has not responded yet.
func (b *jobBuilder) resume() *jobBuilder {
	b.made.Spec.Suspend = new(false)
	return b
}
