package lesson04

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// camelCase is what reasons look like, so that programs can compare them.
var camelCase = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)

func fromTheFirst(s *play) {
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps())
	s.Running(sample.Web, sample.Fetch)
	s.Await(sample.Web, func(w stage.World) string {
		if w.Object == nil || scene.IsEmpty(&w.Object.Status) {
			return "web had no status although step fetch ran"
		}
		return ""
	})
	s.Complete(sample.Web, sample.Fetch)
	s.Running(sample.Web, sample.Build)
	s.Settle()

	for i, v := range s.Versions(sample.Web) {
		for _, conditionType := range []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionSucceeded} {
			condition := meta.FindStatusCondition(v.Status.Conditions, conditionType)
			switch {
			case condition == nil && i == 0:
				s.FindIn(v, "The first status of web had no condition %s.", conditionType)
			case condition == nil:
				s.FindIn(v, "The status of web had no condition %s any more.", conditionType)
			case !camelCase.MatchString(condition.Reason):
				s.FindIn(v, "The reason of the condition %s was %q; it should be one word in CamelCase, for programs.", conditionType, condition.Reason)
			}
		}
		accepted := meta.FindStatusCondition(v.Status.Conditions, v1alpha1.ConditionAccepted)
		if accepted.Status == metav1.ConditionFalse {
			s.FindIn(v, "Accepted was False, though nothing was wrong with the spec of web.")
		}
		succeeded := meta.FindStatusCondition(v.Status.Conditions, v1alpha1.ConditionSucceeded)
		switch {
		case succeeded.Status != metav1.ConditionUnknown:
			s.FindIn(v, "While the run went on, Succeeded was %s; it should be Unknown.", succeeded.Status)
		case succeeded.Message == "":
			s.FindIn(v, "The message of the condition Succeeded was empty; it should tell people what the run is at.")
		}
	}
	s.ConditionIs(sample.Web, v1alpha1.ConditionAccepted, metav1.ConditionTrue)
}

func howItEnded(s *play) {
	const other = "other"
	s.Start()
	s.Create(other, sample.Steps(sample.Fetch))
	s.Complete(other, sample.Fetch)
	s.Because(other, v1alpha1.ConditionSucceeded, metav1.ConditionTrue, v1alpha1.ReasonAllStepsSucceeded)

	s.Create(sample.Web, sample.ThreeSteps())
	s.Complete(sample.Web, sample.Fetch)
	const why = "Job has reached the specified backoff limit"
	job := s.Running(sample.Web, sample.Build)
	s.Must(s.Driver.AnnounceFailure(s.Context(), job, batchv1.JobReasonBackoffLimitExceeded, why))
	s.Settle() // it has not failed yet: I6
	s.Must(s.Driver.Fail(s.Context(), job, batchv1.JobReasonBackoffLimitExceeded, why))
	s.Because(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonStepFailed)
	s.StepIs(sample.Web, sample.Build, v1alpha1.StepFailed)
	s.StepIs(sample.Web, sample.Ship, v1alpha1.StepSkipped)
	s.AwaitStatus(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
		switch entry := scene.StepIn(status, sample.Build); {
		case entry.CompletionTime == nil:
			return "step build had failed, and its entry in the status of web had no completionTime"
		case entry.Message == "":
			return "step build had failed, and its entry in the status of web had no message"
		case status.CompletionTime == nil:
			return "the run had failed, and status.completionTime of web was not set"
		case status.CurrentStep != "":
			return fmt.Sprintf("the run had failed, and status.currentStep of web was %q; it should be empty", status.CurrentStep)
		}
		return ""
	})
	says := meta.FindStatusCondition(s.Now(sample.Web).Object.Status.Conditions, v1alpha1.ConditionSucceeded).Message
	if !strings.Contains(says, sample.Build) {
		s.Find("Step build had failed, and the message of Succeeded=False does not name it: %q.", says)
	}
	if !strings.Contains(says, batchv1.JobReasonBackoffLimitExceeded) && !strings.Contains(says, why) {
		s.Find("The Job of step build had failed with the reason %s (%q), and the message of Succeeded=False tells neither: %q.",
			batchv1.JobReasonBackoffLimitExceeded, why, says)
	}
	if entry := scene.StepIn(&s.Now(sample.Web).Object.Status, sample.Build); entry.Reason != batchv1.JobReasonBackoffLimitExceeded {
		s.Find("The Job of step build had failed with the reason %s; in status.steps the reason of build is %q.",
			batchv1.JobReasonBackoffLimitExceeded, entry.Reason)
	}

	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Settle()
	s.Restart()
	s.Settle()
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
	s.ConditionIs(other, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
}

func onlyOnTransitions(s *play) {
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps())
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionUnknown)
	s.NextSecond()
	s.Complete(sample.Web, sample.Fetch)
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepSucceeded)
	s.NextSecond()
	s.Complete(sample.Web, sample.Build)
	s.Complete(sample.Web, sample.Ship)
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)

	// Another one of the controller's own may turn more than once in a second.
	slow := []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionSucceeded, v1alpha1.ConditionSuspended}
	before := map[string]metav1.Condition{}
	for _, v := range s.Versions(sample.Web) {
		for _, now := range v.Status.Conditions {
			was, known := before[now.Type]
			before[now.Type] = now
			kept := now.LastTransitionTime.Equal(&was.LastTransitionTime)
			switch {
			case !known:
			case now.Status == was.Status && !kept:
				s.FindIn(v, "The condition %s was %s before and after, and its lastTransitionTime went from %s to %s.",
					now.Type, now.Status, scene.Clock(was.LastTransitionTime), scene.Clock(now.LastTransitionTime))
			case now.Status != was.Status && kept && slices.Contains(slow, now.Type):
				s.FindIn(v, "The condition %s went from %s to %s, and its lastTransitionTime stayed %s.",
					now.Type, was.Status, now.Status, scene.Clock(now.LastTransitionTime))
			}
		}
	}
}
