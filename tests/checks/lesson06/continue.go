package lesson06

import (
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/sample"
)

// mayFail has steps fail that may: in each place, all of them, and before one that may not.
func mayFail(s *scene.Scene) {
	const (
		first, last = "first", "last"
		all, then   = "all", "then"
		removed     = "removed"
		usual, own  = "usual", "own"
	)
	s.Start()
	s.Create(first, optional(sample.ThreeSteps(), sample.Fetch))
	s.Create(last, optional(sample.ThreeSteps(), sample.Ship))
	s.Create(all, optional(sample.ThreeSteps(), sample.Fetch, sample.Build, sample.Ship))
	s.Create(then, optional(sample.ThreeSteps(), sample.Fetch))
	s.Create(removed, optional(sample.ThreeSteps(), sample.Build))
	s.Create(own, optional(sample.ThreeSteps(), sample.Fetch))
	s.Create(usual, optional(sample.ThreeSteps(), sample.Build))

	s.Fail(first, sample.Fetch)
	tidyUp(s, first, sample.Fetch)
	s.Complete(first, sample.Build, sample.Ship)
	completed(s, first, "F S S", sample.Fetch)

	s.Complete(last, sample.Fetch, sample.Build)
	s.Fail(last, sample.Ship)
	completed(s, last, "S S F", sample.Ship)

	for _, step := range []string{sample.Fetch, sample.Build, sample.Ship} {
		s.Fail(all, step)
	}
	completed(s, all, "F F F", sample.Ship)

	// Only the second failure ends the run.
	s.Fail(then, sample.Fetch)
	s.Fail(then, sample.Build)
	s.ConditionIs(then, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonStepFailed)
	states(s, then, "F F -")
	names(s, then, sample.Build)

	// A Job that is removed while it runs is a failure like others.
	s.Complete(removed, sample.Fetch)
	job := s.Running(removed, sample.Build)
	s.StepIs(removed, sample.Build, v1alpha1.StepRunning)
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Complete(removed, sample.Ship)
	completed(s, removed, "S F S", sample.Build)

	// A Job has exceeded a deadline of its own, which is not that of the run.
	job = s.Running(own, sample.Fetch)
	s.Must(s.Driver.Fail(s.Context(), job, batchv1.JobReasonDeadlineExceeded, scene.JobsDeadline))
	s.Complete(own, sample.Build)
	job = s.Running(own, sample.Ship)
	s.Must(s.Driver.Fail(s.Context(), job, batchv1.JobReasonDeadlineExceeded, scene.JobsDeadline))
	s.ConditionIs(own, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonStepFailed)
	states(s, own, "F S F")

	// Nothing fails, so there is nothing to say about failures.
	s.Complete(usual, sample.Fetch, sample.Build, sample.Ship)
	s.ConditionIs(usual, v1alpha1.ConditionSucceeded, metav1.ConditionTrue, v1alpha1.ReasonAllStepsSucceeded)

	s.Restart()
	s.Settle()
	completed(s, first, "F S S", sample.Fetch)
	completed(s, all, "F F F", sample.Ship)
	s.OnlyJobsOf(then, "step build had failed", sample.Fetch, sample.Build)
}

// optional sets onFailure: Continue of some of the steps.
func optional(steps []v1alpha1.Step, which ...string) []v1alpha1.Step {
	for i := range steps {
		for _, name := range which {
			if steps[i].Name == name {
				steps[i].OnFailure = v1alpha1.FailurePolicyContinue
			}
		}
	}
	return steps
}

// tidyUp has a user delete the finished Job of a step, as soon as the status says that it has finished.
func tidyUp(s *scene.Scene, name, step string) {
	s.AwaitStatus(name, func(status *v1alpha1.SequentialJobStatus) string {
		if entry := scene.StepIn(status, step); entry == nil || entry.State == v1alpha1.StepPending || entry.State == v1alpha1.StepRunning {
			return fmt.Sprintf("the status of %s does not say that step %s has finished", name, step)
		}
		return ""
	})
	s.Must(s.Driver.Vanish(s.Context(), s.JobOf(name, step)))
}

// completed waits until a run has succeeded although steps have failed, and the status says which: states as in
// states. One of the failed steps is named.
func completed(s *scene.Scene, name, want, failed string) {
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionTrue, v1alpha1.ReasonStepsFailed)
	states(s, name, want)
	entry := scene.StepIn(&s.Now(name).Object.Status, failed)
	if entry.Reason == "" || entry.Message == "" {
		s.Find("Step %s of %s failed, and the run continued. Its entry in the status has the reason %q and the message %q: nobody can find out why it failed.",
			failed, name, entry.Reason, entry.Message)
	}
}

// letters stand for the states of steps.
var letters = map[v1alpha1.StepState]string{
	v1alpha1.StepPending: "P", v1alpha1.StepRunning: "R", v1alpha1.StepSucceeded: "S", v1alpha1.StepFailed: "F", v1alpha1.StepSkipped: "-",
}

// states waits until the steps have these states, in the order of the spec: "S F -" for Succeeded, Failed, Skipped.
func states(s *scene.Scene, name, want string) {
	s.AwaitStatus(name, func(status *v1alpha1.SequentialJobStatus) string {
		var got []string
		for _, step := range status.Steps {
			got = append(got, letters[step.State])
		}
		if strings.Join(got, " ") == want {
			return ""
		}
		return fmt.Sprintf("the steps of %s should be %s", name, spelled(want))
	})
}

// spelled is a list of states in words.
func spelled(states string) string {
	words := map[string]string{}
	for state, letter := range letters {
		words[letter] = string(state)
	}
	var all []string
	for letter := range strings.FieldsSeq(states) {
		all = append(all, words[letter])
	}
	return strings.Join(all, ", ")
}

// names checks that the summary names a step.
func names(s *scene.Scene, name, step string) {
	status := s.Now(name).Object.Status
	summary := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded)
	if !strings.Contains(summary.Message, step) {
		s.Find("Step %s of %s ended the run, but the message of the condition Succeeded does not name it: %q.", step, name, summary.Message)
	}
}

// skipped checks that each skipped step of a run has a reason.
func skipped(s *scene.Scene, name, reason string, steps ...string) {
	status := s.Now(name).Object.Status
	for _, step := range steps {
		if entry := scene.StepIn(&status, step); entry == nil || entry.State != v1alpha1.StepSkipped || entry.Reason != reason {
			s.Find("Step %s of %s should be Skipped with the reason %s. The status says: %s.", step, name, reason, described(entry))
		}
	}
}

// described is an entry of the status in words.
func described(entry *v1alpha1.StepStatus) string {
	if entry == nil {
		return "nothing about it"
	}
	return fmt.Sprintf("%s, reason %q, message %q", entry.State, entry.Reason, entry.Message)
}
