package controller

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// assess returns the status that the facts call for.
func assess(seen facts) v1alpha1.SequentialJobStatus {
	object := seen.object
	status := *object.Status.DeepCopy()
	status.ObservedGeneration = object.Generation
	if finished(&status) {
		stampConditions(&status)
		return status
	}

	status.Steps = ledger(object)
	if status.StartTime == nil && !suspendWanted(object) {
		status.StartTime = new(timestamp(seen.now))
	}
	if step := currentStep(status.Steps); step != nil {
		updateStep(step, seen)
	}

	run := outcomeOf(&status, seen)
	switch run.status {
	case metav1.ConditionUnknown:
		if run.mayClaim {
			step := currentStep(status.Steps)
			step.JobName = v1alpha1.JobName(object.Name, step.Name)
		}
		status.CurrentStep = currentStep(status.Steps).Name
	default:
		skipRest(status.Steps)
		status.CurrentStep = ""
		status.CompletionTime = new(timestamp(seen.now))
	}
	status.Progress = progress(status.Steps)
	recordWorkspace(&status, seen, run.mayClaim)
	setConditions(&status, seen, run)
	return status
}

// ledger returns an entry for each step of the spec, in its order: the recorded one, or that of a
// step whose turn has not come.
func ledger(object *v1alpha1.SequentialJob) []v1alpha1.StepStatus {
	recorded := map[string]v1alpha1.StepStatus{}
	for _, step := range object.Status.Steps {
		recorded[step.Name] = step
	}
	steps := make([]v1alpha1.StepStatus, 0, len(object.Spec.Steps))
	skipping := object.Spec.StartAt != nil
	for _, step := range object.Spec.Steps {
		skipping = skipping && step.Name != *object.Spec.StartAt
		entry, known := recorded[step.Name]
		switch {
		case known:
		case skipping:
			entry = v1alpha1.StepStatus{
				Name: step.Name, State: v1alpha1.StepSkipped, Reason: v1alpha1.ReasonBeforeStartAt,
				Message: fmt.Sprintf("the run starts at step %q", *object.Spec.StartAt),
			}
		default:
			entry = v1alpha1.StepStatus{Name: step.Name, State: v1alpha1.StepPending}
		}
		steps = append(steps, entry)
	}
	return steps
}

func skipRest(steps []v1alpha1.StepStatus) {
	for i := range steps {
		if !stepFinished(&steps[i]) {
			steps[i] = v1alpha1.StepStatus{
				Name: steps[i].Name, State: v1alpha1.StepSkipped, Reason: v1alpha1.ReasonRunFailed,
				Message: "the run failed before this step started",
			}
		}
	}
}

func progress(steps []v1alpha1.StepStatus) string {
	done := 0
	for i := range steps {
		if stepFinished(&steps[i]) && steps[i].Reason != v1alpha1.ReasonRunFailed {
			done++
		}
	}
	return fmt.Sprintf("%d/%d", done, len(steps))
}

// requeueAfter returns when to reconcile again even if no event arrives until then; 0 for never.
func requeueAfter(seen facts, status v1alpha1.SequentialJobStatus) time.Duration {
	var moments []time.Duration
	if finished(&status) {
		if left, limited := timeToLive(seen.object, &status, seen.now); limited {
			moments = append(moments, left)
		}
	} else {
		suspended := meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionSuspended)
		if left, limited := deadlineLeft(seen.object, &status, seen.now); limited && !suspended && stopReason(&status) == "" {
			moments = append(moments, left)
		}
		if seen.unwatched || seen.workspaceUnwatched {
			moments = append(moments, expectationsTimeout)
		}
		if seen.refusal != nil {
			moments = append(moments, seen.refusal.requeueAfter)
		}
		if !seen.retryAt.IsZero() {
			moments = append(moments, seen.retryAt.Sub(seen.now))
		}
	}

	var soonest time.Duration
	for _, moment := range moments {
		// This reconcile has dealt with what is due already, and its own writes cause the next one.
		if moment > 0 && (soonest == 0 || moment < soonest) {
			soonest = moment
		}
	}
	return soonest
}

// timestamp returns a time as the API stores it, in whole seconds.
func timestamp(moment time.Time) metav1.Time {
	return metav1.NewTime(moment.Truncate(time.Second))
}
