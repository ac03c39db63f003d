package main

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// assess returns the status that follows from the facts: the recorded one, with what has happened since.
// Like decide, it is a pure function.
func assess(seen facts) v1alpha1.SequentialJobStatus {
	status := *seen.object.Status.DeepCopy()
	if !finished(&status) { // which is final
		update(&status, seen)
	}
	stampGeneration(&status, seen)
	return status
}

// finished says whether the run has ended, which is final.
func finished(status *v1alpha1.SequentialJobStatus) bool {
	summary := summaryOf(status)
	return summary != nil && summary.Status != metav1.ConditionUnknown
}

func update(status *v1alpha1.SequentialJobStatus, seen facts) {
	status.Steps = ledger(seen.object)
	if status.StartTime == nil && !suspendWanted(seen.object) {
		status.StartTime = &seen.now
	}
	if step := currentStep(status.Steps); step != nil {
		settle(step, seen)
	}

	run := summarize(status.Steps, seen)
	if run.status != metav1.ConditionUnknown {
		skipRest(status.Steps)
		status.CompletionTime = &seen.now
	}
	status.CurrentStep = ""
	if step := currentStep(status.Steps); step != nil {
		status.CurrentStep = step.Name
		if step.State == v1alpha1.StepPending && mayStart(seen) {
			step.JobName = v1alpha1.JobName(seen.object.Name, step.Name)
		}
	}
	recordWorkspace(status, seen)
	status.Progress = progress(status.Steps)
	setConditions(status, run, seen)
}

// ledger returns what is recorded of each step of the spec, in its order. The steps before spec.startAt are skipped.
func ledger(object *v1alpha1.SequentialJob) []v1alpha1.StepStatus {
	var steps []v1alpha1.StepStatus
	for _, step := range object.Spec.Steps {
		steps = append(steps, recorded(object, step.Name))
	}
	for i := range steps {
		if object.Spec.StartAt == nil || steps[i].Name == *object.Spec.StartAt {
			break
		}
		steps[i].State, steps[i].Reason = v1alpha1.StepSkipped, v1alpha1.ReasonBeforeStartAt
		steps[i].Message = fmt.Sprintf("the run starts at step %q", *object.Spec.StartAt)
	}
	return steps
}

// recorded returns a step's entry in the status. A step without one is Pending.
func recorded(object *v1alpha1.SequentialJob, step string) v1alpha1.StepStatus {
	for _, entry := range object.Status.Steps {
		if entry.Name == step {
			return entry
		}
	}
	return v1alpha1.StepStatus{Name: step, State: v1alpha1.StepPending}
}

// currentStep returns the first step that has not finished, or nil if all have.
func currentStep(steps []v1alpha1.StepStatus) *v1alpha1.StepStatus {
	for i := range steps {
		if !stepFinished(&steps[i]) {
			return &steps[i]
		}
	}
	return nil
}

func stepFinished(step *v1alpha1.StepStatus) bool {
	return step.State != v1alpha1.StepPending && step.State != v1alpha1.StepRunning
}

func skipRest(steps []v1alpha1.StepStatus) {
	for i := range steps {
		if !stepFinished(&steps[i]) {
			steps[i] = v1alpha1.StepStatus{
				Name: steps[i].Name, State: v1alpha1.StepSkipped, Reason: v1alpha1.ReasonRunFailed,
				Message: "the run had failed before this step's turn",
			}
		}
	}
}

// progress counts the steps that are done, those before spec.startAt among them.
func progress(steps []v1alpha1.StepStatus) string {
	done := 0
	for i := range steps {
		if stepFinished(&steps[i]) && steps[i].Reason != v1alpha1.ReasonRunFailed {
			done++
		}
	}
	return fmt.Sprintf("%d/%d", done, len(steps))
}
