package lesson06

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// from sets the step at which an object that is created starts.
func from(step string) func(*v1alpha1.SequentialJob) {
	return func(object *v1alpha1.SequentialJob) { object.Spec.StartAt = &step }
}

// retries has runs start at each of their steps.
func retries(s *scene.Scene) {
	const (
		last, first  = "last", "first"
		fails, waits = "fails", "waits"
		prefix       = "prefix"
		image, build = "build-image", "build"
	)
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps(), from(sample.Build))
	s.Create(last, sample.ThreeSteps(), from(sample.Ship))
	s.Create(first, sample.ThreeSteps(), from(sample.Fetch))
	s.Create(fails, optional(sample.ThreeSteps(), sample.Fetch), from(sample.Build))
	s.Create(prefix, sample.Steps(image, build, sample.Ship), from(build))
	s.Create(waits, sample.ThreeSteps(), from(sample.Build), func(object *v1alpha1.SequentialJob) { object.Spec.Suspend = new(true) })

	s.Running(sample.Web, sample.Build)
	s.StepIs(sample.Web, sample.Build, v1alpha1.StepRunning)
	states(s, sample.Web, "- R P")
	skipped(s, sample.Web, v1alpha1.ReasonBeforeStartAt, sample.Fetch)
	inProgress(s, sample.Web, sample.Build, "1/3")
	s.Restart()
	s.Complete(sample.Web, sample.Build, sample.Ship)
	endedFrom(s, sample.Web, "- S S", sample.Build, sample.Ship)

	s.Complete(last, sample.Ship)
	endedFrom(s, last, "- - S", sample.Ship)
	skipped(s, last, v1alpha1.ReasonBeforeStartAt, sample.Fetch, sample.Build)
	s.Complete(first, sample.Fetch, sample.Build, sample.Ship)
	endedFrom(s, first, "S S S", sample.Fetch, sample.Build, sample.Ship)
	s.Complete(prefix, build, sample.Ship)
	endedFrom(s, prefix, "- S S", build, sample.Ship)

	s.Fail(fails, sample.Build)
	s.ConditionIs(fails, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonStepFailed)
	states(s, fails, "- F -")
	skipped(s, fails, v1alpha1.ReasonBeforeStartAt, sample.Fetch)
	skipped(s, fails, v1alpha1.ReasonRunFailed, sample.Ship)
	inProgress(s, fails, "", "2/3") // what is skipped because of the failure is not done
	s.OnlyJobsOf(fails, "step build had failed", sample.Build)

	s.ConditionIs(waits, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.Settle()
	skipped(s, waits, v1alpha1.ReasonBeforeStartAt, sample.Fetch) // from the first status on, and not from the start of the run
	inProgress(s, waits, sample.Build, "1/3")
	s.OnlyJobsOf(waits, "it was suspended")
	s.Resume(waits)
	s.Complete(waits, sample.Build, sample.Ship)
	endedFrom(s, waits, "- S S", sample.Build, sample.Ship)
	s.ConditionIs(waits, v1alpha1.ConditionAccepted, metav1.ConditionTrue)
}

// endedFrom waits until a run has succeeded, with the steps in these states, and checks that it had the Jobs of these steps only.
func endedFrom(s *scene.Scene, name, want string, steps ...string) {
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionTrue, v1alpha1.ReasonAllStepsSucceeded)
	states(s, name, want)
	s.OnlyJobsOf(name, fmt.Sprintf("the run of %s had finished", name), steps...)
	inProgress(s, name, "", fmt.Sprintf("%d/%[1]d", len(strings.Fields(want))))
}

// inProgress checks which step the status calls the current one, and how many it calls done.
func inProgress(s *scene.Scene, name, current, progress string) {
	s.Await(name, func(w stage.World) string {
		if w.Object == nil {
			return fmt.Sprintf("SequentialJob %s is gone", name)
		}
		status := w.Object.Status
		if status.CurrentStep != current || status.Progress != progress {
			return fmt.Sprintf("status.currentStep of %s should be %q and status.progress %q, but they are %q and %q; the steps before startAt are done",
				name, current, progress, status.CurrentStep, status.Progress)
		}
		return ""
	})
}
