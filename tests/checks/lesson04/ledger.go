package lesson04

import (
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

func whereEachStepStands(s *play) {
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps())
	for i, step := range []string{sample.Fetch, sample.Build, sample.Ship} {
		job := s.Running(sample.Web, step)
		s.stands(i, job)
		if step == sample.Build {
			s.copied(sample.Web, job)
			s.stands(i, job)
		}
		if step != sample.Ship { // what comes after it is written in no later pass
			s.NextSecond()
		}
		s.Must(s.Driver.Complete(s.Context(), job))
	}
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
	s.stands(3, nil)
	s.DatesStay()
}

// copied has somebody make copies of a Job, with all that says whose it is, which complete.
func (s *play) copied(name string, job *batchv1.Job) {
	s.User("makes copies of Job %s, for another try of what it does", job.Name)
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

// stands waits until the status of web tells that so many of its three steps are done, and that the Job of
// the next one runs.
func (s *play) stands(done int, job *batchv1.Job) {
	names := []string{sample.Fetch, sample.Build, sample.Ship}
	s.AwaitStatus(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
		if len(status.Steps) != len(names) {
			return fmt.Sprintf("status.steps of web had %d entries; it should have one for each of spec.steps", len(status.Steps))
		}
		for i, name := range names {
			if what := entryIs(&status.Steps[i], name, i-done, job); what != "" {
				return what
			}
		}
		current := ""
		if done < len(names) {
			current = names[done]
		}
		switch progress := fmt.Sprintf("%d/%d", done, len(names)); {
		case status.CurrentStep != current:
			return fmt.Sprintf("status.currentStep of web was %q; it should be %q", status.CurrentStep, current)
		case status.Progress != progress:
			return fmt.Sprintf("status.progress of web was %q; it should be %q", status.Progress, progress)
		case status.StartTime == nil:
			return "status.startTime of web was not set"
		case (status.CompletionTime != nil) != (job == nil):
			return fmt.Sprintf("status.completionTime of web was set: %t; it should be set when the run has ended", status.CompletionTime != nil)
		}
		return ""
	})
}

// entryIs says what is wrong with the entry of a step in the status: one that is over (its turn lies before
// now), that runs as that Job (its turn is now), or that is still to come.
func entryIs(entry *v1alpha1.StepStatus, name string, turn int, job *batchv1.Job) string {
	want := v1alpha1.StepPending
	switch {
	case turn < 0:
		want = v1alpha1.StepSucceeded
	case turn == 0:
		want = v1alpha1.StepRunning
	}
	is := "the entry of step " + name + " in the status of web"
	switch {
	case entry.Name != name:
		return fmt.Sprintf("in status.steps of web, %s stood in the place of %s", entry.Name, name)
	case entry.State != want:
		return fmt.Sprintf("%s had the state %s; it should be %s", is, entry.State, want)
	case turn > 0:
		return ""
	case entry.JobName == "" || entry.JobUID == "":
		return is + " had no jobName or no jobUID"
	case entry.StartTime == nil:
		return is + " had no startTime"
	case turn == 0 && (entry.JobName != job.Name || entry.JobUID != job.UID):
		return fmt.Sprintf("%s named Job %s (UID %s); its Job is %s (UID %s)", is, entry.JobName, entry.JobUID, job.Name, job.UID)
	case turn == 0 && entry.CompletionTime != nil:
		return is + " had a completionTime although it ran"
	case turn < 0 && entry.CompletionTime == nil:
		return is + " had no completionTime although it had succeeded"
	case turn < 0 && entry.CompletionTime.Before(entry.StartTime):
		return is + " had a completionTime before its startTime"
	}
	return ""
}

func neverAgain(s *play) {
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps())
	first := s.Running(sample.Web, sample.Fetch)
	s.Must(s.Driver.Complete(s.Context(), first))
	second := s.Running(sample.Web, sample.Build)
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepSucceeded)
	s.Must(s.Driver.Vanish(s.Context(), first))
	s.Settle()
	s.OnlyJobsOf(sample.Web, "step fetch had succeeded and its Job had been deleted", sample.Build)
	s.Restart()
	s.Settle()
	s.OnlyJobsOf(sample.Web, "step fetch had succeeded, its Job had been deleted, and your controller had been restarted", sample.Build)

	s.Must(s.Driver.Complete(s.Context(), second))
	third := s.Running(sample.Web, sample.Ship)
	s.Must(s.Driver.Complete(s.Context(), third))
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
	s.Must(s.Driver.Vanish(s.Context(), second))
	s.Must(s.Driver.Vanish(s.Context(), third))
	s.Settle()
	s.Restart()
	s.Settle()
	s.OnlyJobsOf(sample.Web, "all steps had succeeded and their Jobs had been deleted")
}

func vanished(s *play) {
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps())
	s.Complete(sample.Web, sample.Fetch)
	job := s.Running(sample.Web, sample.Build)
	s.StepIs(sample.Web, sample.Build, v1alpha1.StepRunning)
	s.Settle()
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.AwaitStatus(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
		entry := scene.StepIn(status, sample.Build)
		if entry == nil || entry.State != v1alpha1.StepFailed || entry.Reason != v1alpha1.ReasonJobDeleted {
			return fmt.Sprintf("the Job of step build had been deleted while it ran, and the status of web did not say that the step "+
				"has failed, with the reason %s; it said %s", v1alpha1.ReasonJobDeleted, scene.Says(status))
		}
		return ""
	})
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
	s.Settle()
	s.Restart()
	s.Settle()
	s.OnlyJobsOf(sample.Web, "the Job of step build had been deleted while it ran, and your controller had been restarted", sample.Fetch)
	unseenIsNotGone(s)
}

// unseenIsNotGone has the controller be told late of a Job that it has created and recorded.
func unseenIsNotGone(s *play) {
	const other = "other"
	s.Fault("hold: ADDED jobs other/build #1")
	s.Create(other, sample.Steps(sample.Fetch, sample.Build))
	s.Complete(other, sample.Fetch)
	s.Struck("the Job of step build had not been created")
	s.Settle()
	if entry := scene.StepIn(&s.Now(other).Object.Status, sample.Build); entry != nil && entry.State == v1alpha1.StepFailed {
		s.Find("The Job of step build was there and ran, and your controller had not been told of it yet: its watch was late. "+
			"It took the Job for deleted: the status of other said %s.", scene.Says(&s.Now(other).Object.Status))
	}
	s.Proxy.Heal()
	s.StepIs(other, sample.Build, v1alpha1.StepRunning)
}

func recordedFirst(s *play) {
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps())
	first := s.Running(sample.Web, sample.Fetch)
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepRunning)
	s.CrashAt("web/build")
	s.Must(s.Driver.Complete(s.Context(), first))
	s.Crashed("web/build")
	s.Must(s.Driver.Vanish(s.Context(), first))
	s.Start()
	s.AwaitStatus(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
		if entry := scene.StepIn(status, sample.Fetch); entry == nil || entry.State != v1alpha1.StepSucceeded {
			return "step fetch had succeeded and your controller had created the Job of step build. Then its process died, and the Job " +
				"of step fetch was deleted. The next process knew nothing of that success: the status of web said " + scene.Says(status)
		}
		return ""
	})
	s.Complete(sample.Web, sample.Build)
	s.Complete(sample.Web, sample.Ship)
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
}

func whyItWaits(s *play) {
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps())
	job := s.Running(sample.Web, sample.Fetch)
	quota := s.allowOneJob()
	s.Must(s.Driver.Complete(s.Context(), job))
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepSucceeded)
	s.Await(sample.Web, func(w stage.World) string {
		if n := s.forbidden("web/build"); n > scene.Many {
			s.Find("A quota kept step build from starting, and your controller tried again %d times without waiting longer each time. "+
				"Its status said %s.", n, scene.Says(&w.Object.Status))
		}
		switch {
		case !speaksOf(&w.Object.Status, "quota"):
			return "the status of web did not tell that a quota kept step build from starting; it said " + scene.Says(&w.Object.Status)
		case !s.IsQuiet(stage.Still):
			return "your controller was still at work"
		}
		return ""
	})
	s.raise(quota)
	s.Complete(sample.Web, sample.Build)
	s.Running(sample.Web, sample.Ship)
	s.AwaitStatus(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
		if speaksOf(status, "quota") {
			return "the status of web still told of a quota although step ship ran"
		}
		return ""
	})
}

// allowOneJob gives the namespace a quota that is used up by one Job, and waits until it is in force.
func (s *play) allowOneJob() *corev1.ResourceQuota {
	s.User("allows one Job in the namespace, by a ResourceQuota")
	one := corev1.ResourceList{"count/jobs.batch": resource.MustParse("1")}
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "one-job"},
		Spec:       corev1.ResourceQuotaSpec{Hard: one},
	}
	s.Must(s.Client.Create(s.Context(), quota))
	quota.Status = corev1.ResourceQuotaStatus{Hard: one, Used: one} // nobody else counts on a bare API server
	s.Must(s.Client.Status().Update(s.Context(), quota))
	s.Until(func() string {
		template := sample.Step("probe").JobTemplate
		probe := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "probe"}, Spec: template.Spec}
		err := s.Client.Create(s.Context(), probe, client.DryRunAll)
		if err == nil {
			return "the quota was not in force"
		}
		if !apierrors.IsForbidden(err) {
			s.Must(err)
		}
		return ""
	})
	return quota
}

// raise lets there be many Jobs.
func (s *play) raise(quota *corev1.ResourceQuota) {
	s.User("raises the quota")
	s.Must(s.Client.Get(s.Context(), client.ObjectKeyFromObject(quota), quota))
	enough := corev1.ResourceList{"count/jobs.batch": resource.MustParse("100")}
	quota.Spec.Hard = enough
	s.Must(s.Client.Update(s.Context(), quota))
	quota.Status.Hard = enough
	s.Must(s.Client.Status().Update(s.Context(), quota))
}

// forbidden is how many writes about a Job the API server has refused because of a quota.
func (s *play) forbidden(job string) int {
	n := 0
	for _, request := range s.Log.Run().Requests {
		if string(request.Call.Object) == job && request.Write() && strings.Contains(request.Message, "exceeded quota") {
			n++
		}
	}
	return n
}

// speaksOf says whether a message in a status contains a word.
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
