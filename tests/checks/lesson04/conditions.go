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
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// camelCase is the form of reasons, so that programs can compare them.
var camelCase = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)

func fromTheFirst(s *scene.Scene) {
	s.Begin()
	s.Running(sample.Web, sample.Fetch)
	s.Await(sample.Web, func(w stage.World) string {
		if w.Object == nil || scene.IsEmpty(&w.Object.Status) {
			return "web has no status, although step fetch runs"
		}
		return ""
	})
	s.Complete(sample.Web, sample.Fetch)
	s.Running(sample.Web, sample.Build)
	s.Settle()

	underway(s, sample.Web)
	s.ConditionIs(sample.Web, v1alpha1.ConditionAccepted, metav1.ConditionTrue)

	// The same when nothing can start, and the first status has to tell that.
	const waiting = "waiting"
	s.Refused(waiting)
	underway(s, waiting)
	s.AwaitStatusMeanwhile(waiting, func(status *v1alpha1.SequentialJobStatus) string {
		if status.StartTime == nil {
			return "the status of waiting has no startTime. It is not suspended, so it started when your controller first saw it, whatever a quota says"
		}
		return ""
	})
	s.AllowJobs()
	s.Complete(waiting, sample.Fetch)
	s.Succeeded(waiting)
	declined(s)
}

// declined creates an object with startAt. A controller may support that, or decline it and say so.
func declined(s *scene.Scene) {
	const retry = "retry"
	s.Create(retry, sample.ThreeSteps(), func(object *v1alpha1.SequentialJob) { object.Spec.StartAt = new(sample.Build) })
	s.AwaitStatus(retry, func(status *v1alpha1.SequentialJobStatus) string {
		if s.Now(retry).Job(sample.Build) == nil && !meta.IsStatusConditionFalse(status.Conditions, v1alpha1.ConditionAccepted) {
			return fmt.Sprintf("retry has spec.startAt: %s, and your controller runs no step of it. Then the condition Accepted should be False, and say why", sample.Build)
		}
		return ""
	})
}

// underway checks that each status of a run that has not ended had all conditions, with what people and programs need.
func underway(s *scene.Scene, name string) {
	for i, v := range s.Versions(name) {
		for _, conditionType := range []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionSucceeded} {
			condition := meta.FindStatusCondition(v.Status.Conditions, conditionType)
			switch {
			case condition == nil && i == 0:
				s.FindIn(v, "The first status of %s had no condition %s.", name, conditionType)
			case condition == nil:
				s.FindIn(v, "The status of %s no longer had the condition %s.", name, conditionType)
			case !camelCase.MatchString(condition.Reason):
				s.FindIn(v, "The reason of the condition %s was %q. It should be one word in CamelCase, so that programs can compare it.",
					conditionType, condition.Reason)
			}
		}
		accepted := meta.FindStatusCondition(v.Status.Conditions, v1alpha1.ConditionAccepted)
		if accepted.Status == metav1.ConditionFalse {
			s.FindIn(v, "Accepted was False, although the spec of %s is valid.", name)
		}
		succeeded := meta.FindStatusCondition(v.Status.Conditions, v1alpha1.ConditionSucceeded)
		switch {
		case succeeded.Status != metav1.ConditionUnknown:
			s.FindIn(v, "Succeeded was %s during the run. It should be Unknown.", succeeded.Status)
		case succeeded.Message == "":
			s.FindIn(v, "The message of the condition Succeeded was empty. It should tell people how far the run is.")
		}
	}
}

func howItEnded(s *scene.Scene) {
	const other = "other"
	s.Start()
	s.Create(other, sample.Steps(sample.Fetch))
	s.Complete(other, sample.Fetch)
	s.ConditionIs(other, v1alpha1.ConditionSucceeded, metav1.ConditionTrue, v1alpha1.ReasonAllStepsSucceeded)

	s.Create(sample.Web, sample.ThreeSteps())
	s.Complete(sample.Web, sample.Fetch)
	const reason, why = batchv1.JobReasonBackoffLimitExceeded, scene.BackoffLimitExceeded
	job := s.Running(sample.Web, sample.Build)
	s.Must(s.Driver.AnnounceFailure(s.Context(), job, reason, why))
	s.Settle() // it has not failed yet: I6
	s.NextSecond()
	s.Fail(sample.Web, sample.Build)
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonStepFailed)
	s.StepIs(sample.Web, sample.Build, v1alpha1.StepFailed)
	s.StepIs(sample.Web, sample.Ship, v1alpha1.StepSkipped)
	failed := jobdriver.ConditionOf(&s.JobOf(sample.Web, sample.Build).Status, batchv1.JobFailed)
	s.AwaitStatus(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
		switch entry := scene.StepIn(status, sample.Build); {
		case entry.CompletionTime == nil:
			return "step build has failed, but its entry in status.steps of web has no completionTime"
		case !entry.CompletionTime.Equal(&failed.LastTransitionTime):
			return fmt.Sprintf("the Job of step build failed at %s, but the completionTime of build in status.steps of web is %s",
				scene.Clock(failed.LastTransitionTime), scene.Clock(*entry.CompletionTime))
		case entry.Message == "":
			return "step build has failed, but its entry in status.steps of web has no message"
		case status.CompletionTime == nil:
			return "the run has failed, but status.completionTime of web is not set"
		case status.CurrentStep != "":
			return fmt.Sprintf("the run has failed, but status.currentStep of web is %q; it should be empty", status.CurrentStep)
		}
		return ""
	})
	says := meta.FindStatusCondition(s.Now(sample.Web).Object.Status.Conditions, v1alpha1.ConditionSucceeded).Message
	if !strings.Contains(says, sample.Build) {
		s.Find("Step build failed, but the message of Succeeded=False does not name it: %q.", says)
	}
	if !strings.Contains(says, reason) && !strings.Contains(says, why) {
		s.Find("The Job of step build failed with the reason %s (%q), but the message of Succeeded=False contains neither: %q.", reason, why, says)
	}
	if entry := scene.StepIn(&s.Now(sample.Web).Object.Status, sample.Build); entry.Reason != reason {
		s.Find("The Job of step build failed with the reason %s, but in status.steps the reason of build is %q.", reason, entry.Reason)
	}

	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Settle()
	s.Restart()
	s.Settle()
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
	s.Succeeded(other)
	deadline(s)
}

// deadline has a Job exceed its own deadline, which its template sets. The run has none.
func deadline(s *scene.Scene) {
	const late = "too-late"
	job := s.Underway(late, sample.Fetch)
	s.Must(s.Driver.Fail(s.Context(), job, batchv1.JobReasonDeadlineExceeded, "Job was active longer than specified deadline"))
	s.ConditionIs(late, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonStepFailed)
}

func onlyOnTransitions(s *scene.Scene) {
	s.Begin()
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionUnknown)
	s.NextSecond()
	s.Complete(sample.Web, sample.Fetch)
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepSucceeded)
	s.NextSecond()
	s.Complete(sample.Web, sample.Build, sample.Ship)
	s.Succeeded(sample.Web)

	// Other conditions of the controller may change more than once in a second.
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
				s.FindIn(v, "The condition %s was %s before and after a write, but its lastTransitionTime changed from %s to %s.",
					now.Type, now.Status, scene.Clock(was.LastTransitionTime), scene.Clock(now.LastTransitionTime))
			case now.Status != was.Status && kept && slices.Contains(slow, now.Type):
				s.FindIn(v, "The condition %s changed from %s to %s, but its lastTransitionTime stayed %s.",
					now.Type, was.Status, now.Status, scene.Clock(now.LastTransitionTime))
			}
		}
	}
}
