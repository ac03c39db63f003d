package lesson04

import (
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

func whereEachStepStands(s *scene.Scene) {
	s.Begin()
	for i, step := range []string{sample.Fetch, sample.Build, sample.Ship} {
		job := s.Running(sample.Web, step)
		shows(s, i, job)
		if step == sample.Build {
			copied(s, job)
			shows(s, i, job)
		}
		if step != sample.Ship { // no later reconcile records it
			s.NextSecond()
		}
		s.Complete(sample.Web, step)
	}
	s.Succeeded(sample.Web)
	shows(s, 3, nil)
	s.DatesStay()
}

// copied has a user make copies of a Job, labels and owner references included, which complete.
func copied(s *scene.Scene, job *batchv1.Job) {
	s.User("makes copies of Job %s, to run its work once more", job.Name)
	for range 2 { // a controller that takes any Job of the step is sure to take one of them
		other := &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: s.Namespace, GenerateName: "copy-", Labels: scene.OwnLabels(job), OwnerReferences: job.OwnerReferences,
			},
			Spec: sample.Step("copy").JobTemplate.Spec,
		}
		s.Must(s.Client.Create(s.Context(), other))
		s.Must(s.Driver.Start(s.Context(), other))
		s.Must(s.Driver.Complete(s.Context(), other))
	}
	s.Settle()
}

// shows waits until the status of web shows that so many of its three steps are done, and that the next one runs as
// this Job.
func shows(s *scene.Scene, done int, job *batchv1.Job) {
	names := []string{sample.Fetch, sample.Build, sample.Ship}
	current := append(names, "")[done]
	s.AwaitStatus(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
		if len(status.Steps) != len(names) {
			return fmt.Sprintf("status.steps of web has %d entries; it should have one for each step of the spec", len(status.Steps))
		}
		for i, name := range names {
			if what := entryIs(&status.Steps[i], name, i-done, job); what != "" {
				return what
			}
		}
		switch progress := fmt.Sprintf("%d/%d", done, len(names)); {
		case status.CurrentStep != current:
			return fmt.Sprintf("status.currentStep of web is %q; it should be %q", status.CurrentStep, current)
		case status.Progress != progress:
			return fmt.Sprintf("status.progress of web is %q; it should be %q", status.Progress, progress)
		case status.StartTime == nil:
			return "status.startTime of web is not set"
		case status.CompletionTime == nil && job == nil:
			return "the run has finished, but status.completionTime of web is not set"
		case status.CompletionTime != nil && job != nil:
			return "the run has not finished, but status.completionTime of web is set"
		}
		return ""
	})
}

// entryIs says what is wrong with the entry of a step in the status: a finished step (turn is negative), the one that
// runs as this Job (0), or a later one.
func entryIs(entry *v1alpha1.StepStatus, name string, turn int, job *batchv1.Job) string {
	want := v1alpha1.StepPending
	switch {
	case turn < 0:
		want = v1alpha1.StepSucceeded
	case turn == 0:
		want = v1alpha1.StepRunning
	}
	is := "in status.steps of web, the entry of " + name
	switch {
	case entry.Name != name:
		return fmt.Sprintf("in status.steps of web, %s is in the place of %s", entry.Name, name)
	case entry.State != want:
		return fmt.Sprintf("%s has the state %s; it should be %s", is, entry.State, want)
	case turn > 0:
		return ""
	case entry.JobName == "" || entry.JobUID == "":
		return is + " has no jobName or no jobUID"
	case entry.StartTime == nil:
		return is + " has no startTime"
	case turn == 0 && (entry.JobName != job.Name || entry.JobUID != job.UID):
		return fmt.Sprintf("%s names Job %s (UID %s); its Job is %s (UID %s)", is, entry.JobName, entry.JobUID, job.Name, job.UID)
	case turn == 0 && entry.CompletionTime != nil:
		return is + " has a completionTime, although the step runs"
	case turn < 0 && entry.CompletionTime == nil:
		return is + " has no completionTime, although the step has succeeded"
	case turn < 0 && entry.CompletionTime.Before(entry.StartTime):
		return is + " has a completionTime before its startTime"
	}
	return ""
}

func neverAgain(s *scene.Scene) {
	s.Begin()
	first := s.Running(sample.Web, sample.Fetch)
	s.Complete(sample.Web, sample.Fetch)
	second := s.Running(sample.Web, sample.Build)
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepSucceeded)
	s.Must(s.Driver.Vanish(s.Context(), first))
	s.OnlyJobsOf(sample.Web, "step fetch had succeeded and its Job had been deleted", sample.Build)
	s.Restart()
	s.OnlyJobsOf(sample.Web, "step fetch had succeeded, its Job had been deleted, and your controller had been restarted", sample.Build)

	s.Complete(sample.Web, sample.Build)
	third := s.Running(sample.Web, sample.Ship)
	s.Complete(sample.Web, sample.Ship)
	s.Succeeded(sample.Web)
	s.Must(s.Driver.Vanish(s.Context(), second))
	s.Must(s.Driver.Vanish(s.Context(), third))
	s.Settle()
	s.Restart()
	s.OnlyJobsOf(sample.Web, "all steps had succeeded and their Jobs had been deleted")
}

func vanished(s *scene.Scene) {
	s.Begin()
	s.Complete(sample.Web, sample.Fetch)
	job := s.Running(sample.Web, sample.Build)
	s.StepIs(sample.Web, sample.Build, v1alpha1.StepRunning)
	s.Settle()
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.AwaitStatus(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
		entry := scene.StepIn(status, sample.Build)
		if entry == nil || entry.State != v1alpha1.StepFailed || entry.Reason != v1alpha1.ReasonJobDeleted {
			return fmt.Sprintf("the Job of step build was deleted while it ran, but the status of web does not say that the step "+
				"has Failed with the reason %s", v1alpha1.ReasonJobDeleted)
		}
		return ""
	})
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
	s.Settle()
	s.Restart()
	s.OnlyJobsOf(sample.Web, "the Job of step build had been deleted while it ran, and your controller had been restarted", sample.Fetch)
	unseenIsNotGone(s)
}

// unseenIsNotGone delays the event of a Job that the controller has created and recorded.
func unseenIsNotGone(s *scene.Scene) {
	const other = "other"
	s.Fault("hold: ADDED jobs other/build #1")
	s.Create(other, sample.Steps(sample.Fetch, sample.Build))
	s.Complete(other, sample.Fetch)
	s.Await(other, func(w stage.World) string {
		if w.Job(sample.Build) == nil {
			return "the Job of step build has not been created"
		}
		return ""
	})
	s.Struck("your controller does not watch Jobs")
	s.Settle()
	status := s.Now(other).Object.Status
	if entry := scene.StepIn(&status, sample.Build); entry != nil && entry.State == v1alpha1.StepFailed {
		s.Find("The Job of step build existed and ran, but its watch event had not reached your controller yet. "+
			"Your controller mistook the Job for deleted. The status of other said: %s.", scene.Says(&status))
	}
	s.Proxy.Heal()
	s.StepIs(other, sample.Build, v1alpha1.StepRunning)
}

func recordedFirst(s *scene.Scene) {
	s.Begin()
	first := s.Running(sample.Web, sample.Fetch)
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepRunning)
	s.CrashAt("web/build")
	s.Complete(sample.Web, sample.Fetch)
	s.Crashed("web/build")
	s.Must(s.Driver.Vanish(s.Context(), first))
	s.Start()
	s.AwaitStatus(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
		if entry := scene.StepIn(status, sample.Fetch); entry == nil || entry.State != v1alpha1.StepSucceeded {
			return "step fetch succeeded, and your controller created the Job of step build. Then its process died, and the Job " +
				"of step fetch was deleted. The next process knows nothing of that success"
		}
		return ""
	})
	s.Complete(sample.Web, sample.Build, sample.Ship)
	s.Succeeded(sample.Web)
}

func whyItWaits(s *scene.Scene) {
	s.Begin()
	s.Running(sample.Web, sample.Fetch)
	s.SetQuota("1")
	s.AwaitQuota()
	s.Complete(sample.Web, sample.Fetch)
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepSucceeded)
	s.AwaitStatus(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
		if n := forbidden(s, "web/build"); n > scene.Many {
			s.Find("A quota keeps step build from starting. Your controller has retried %d times, without growing pauses. "+
				"The status of web says: %s.", n, scene.Says(status))
		}
		if !speaksOf(status, "quota") {
			return "the status of web does not say that a quota keeps step build from starting"
		}
		return s.AtWork()
	})
	s.SetQuota("100")
	s.Complete(sample.Web, sample.Build)
	s.Running(sample.Web, sample.Ship)
	s.AwaitStatus(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
		if speaksOf(status, "quota") {
			return "the status of web still speaks of a quota, although step ship runs"
		}
		return ""
	})
	invalidTemplate(s)
}

// invalidTemplate has a step whose Job is refused for another reason than a quota: the Job API finds it invalid.
func invalidTemplate(s *scene.Scene) {
	const invalid = "invalid"
	step := sample.Step(sample.Fetch)
	step.JobTemplate.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
	step.JobTemplate.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{}} // takes restartPolicy Never
	s.Create(invalid, []v1alpha1.Step{step})
	s.AwaitStatus(invalid, func(status *v1alpha1.SequentialJobStatus) string {
		if !speaksOf(status, "restartpolicy") {
			return "the Job API finds the template of step fetch invalid (podFailurePolicy takes restartPolicy Never), but the status of invalid does " +
				"not give the API server's reason"
		}
		return ""
	})
}

// forbidden is how many writes of a Job the API server has refused because of a quota.
func forbidden(s *scene.Scene, job string) int {
	return len(s.Requests(func(r history.Request) bool {
		return string(r.Call.Object) == job && r.Write() && strings.Contains(r.Message, "exceeded quota")
	}))
}

// speaksOf says whether a message of a condition or step contains a word.
func speaksOf(status *v1alpha1.SequentialJobStatus, word string) bool {
	for _, condition := range status.Conditions {
		if strings.Contains(strings.ToLower(condition.Message), word) {
			return true
		}
	}
	for _, step := range status.Steps {
		if strings.Contains(strings.ToLower(step.Message), word) {
			return true
		}
	}
	return false
}
