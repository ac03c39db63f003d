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
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

func whereEachStepStands(s *scene.Scene) {
	s.Begin()
	for i, step := range []string{sample.Fetch, sample.Build, sample.Ship} {
		if step == sample.Ship {
			startsLate(s, step)
		}
		job := s.Running(sample.Web, step)
		shows(s, i, job)
		if step == sample.Build {
			copied(s, job)
			shows(s, i, job)
		}
		if step != sample.Ship { // no later reconcile records it
			s.NextSecond()
		}
		if step == sample.Build {
			s.Driver.Delay()
		}
		s.Complete(sample.Web, step)
	}
	s.Succeeded(sample.Web)
	shows(s, 3, nil)
	s.DatesStay()
	mislabelled(s)
}

// mislabelled has a user give a Job the label of a later step. The status has recorded whose Job it is.
func mislabelled(s *scene.Scene) {
	const mixed = "mixed"
	job := s.Underway(mixed, sample.Fetch, sample.Build)
	s.Tell(fmt.Sprintf("A user had given Job %s of step fetch the label of step build. A label can be changed: the UID in the status says which step a Job "+
		"belongs to.", job.Name))
	s.Mislabel(job, v1alpha1.LabelStep, sample.Build)
	s.Settle()
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Complete(mixed, sample.Build)
	s.Succeeded(mixed)
	s.Tell("")
}

// startsLate has the Job controller start the Job of a step a second after it has been created.
func startsLate(s *scene.Scene, step string) {
	s.Await(sample.Web, func(w stage.World) string {
		if w.Job(step) == nil {
			return s.NotRunning(w, sample.Web, step)
		}
		return ""
	})
	s.NextSecond()
	s.Must(s.Driver.CatchUp(s.Context()))
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
	case job != nil && turn == 0 && !entry.StartTime.Equal(&job.CreationTimestamp):
		return fmt.Sprintf("%s has the startTime %s; its Job was created at %s", is, scene.Clock(*entry.StartTime), scene.Clock(job.CreationTimestamp))
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
	staleMemory(s)
}

// staleMemory has a user delete a finished Job before the controller has received the event of its own write, which says that the
// step has succeeded.
func staleMemory(s *scene.Scene) {
	const stale = "stale"
	job := s.Underway(stale, sample.Fetch, sample.Build)
	s.Settle()
	writes := len(s.StatusWrites(stale))
	s.HoldBack(stale)
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Until(func() string {
		if len(s.StatusWrites(stale)) == writes {
			return "the Job of step fetch of stale is Complete, but your controller has not written that to the status"
		}
		return ""
	})
	s.Struck("your controller does not watch SequentialJobs")
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Settle()
	s.Proxy.Heal()
	s.StepIs(stale, sample.Fetch, v1alpha1.StepSucceeded)
	s.Complete(stale, sample.Build)
	s.Succeeded(stale)
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
	goingIsNotGone(s)
	replacedJob(s)
	unrecorded(s)
}

// goingIsNotGone deletes a Job whose pods take their time to end, and succeed. Until the Job is gone, nobody knows its outcome.
func goingIsNotGone(s *scene.Scene) {
	const going = "going"
	job := s.Underway(going, sample.Fetch)
	s.Retain(job)
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Settle()
	status := s.Now(going).Object.Status
	if entry := scene.StepIn(&status, sample.Fetch); entry != nil && entry.State == v1alpha1.StepFailed {
		s.Find("The Job of step fetch was being deleted, but still existed, and its pods still ran: they may yet succeed. The status of going "+
			"already said: %s.", scene.Says(&status))
	}
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Succeeded(going)
	failedAndGoing(s)
}

// failedAndGoing has a Job fail and then be deleted while the controller is down. The Job still exists, and says why it failed.
func failedAndGoing(s *scene.Scene) {
	const failed = "failed"
	job := s.Underway(failed, sample.Fetch)
	s.Settle()
	s.Stop()
	s.Must(s.Driver.Fail(s.Context(), job, batchv1.JobReasonBackoffLimitExceeded, scene.BackoffLimitExceeded))
	s.Retain(job)
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Start()
	s.AwaitStatus(failed, func(status *v1alpha1.SequentialJobStatus) string {
		entry := scene.StepIn(status, sample.Fetch)
		switch {
		case entry == nil || entry.State != v1alpha1.StepFailed:
			return "the Job of step fetch has failed and is being deleted, but the status of failed does not say that the step has failed"
		case entry.Reason != batchv1.JobReasonBackoffLimitExceeded:
			return fmt.Sprintf("the Job of step fetch is being deleted, but still exists, and failed with the reason %s. In the status of failed, the reason of "+
				"fetch is %q", batchv1.JobReasonBackoffLimitExceeded, entry.Reason)
		}
		return ""
	})
}

// replacedJob has a user replace the Job of a step that runs by a copy of the same name, owner reference included: kubectl get
// -o yaml, kubectl replace --force. The copy does the step's work a second time, and nobody knows how far the first one got.
func replacedJob(s *scene.Scene) {
	const swapped = "swapped"
	job := s.Underway(swapped, sample.Fetch)
	s.Settle()
	s.HoldNext("DELETED", "jobs", swapped+"/fetch") // both events arrive at the same time
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Await(swapped, func(w stage.World) string { // a finalizer of the controller may keep it for a moment
		if w.Job(sample.Fetch) != nil {
			return fmt.Sprintf("Job %s, which a user has deleted, is still there", job.Name)
		}
		return ""
	})
	s.User("creates another Job %s, a copy of the one that was deleted", job.Name)
	s.Must(s.Client.Create(s.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: job.Name, Labels: scene.OwnLabels(job), OwnerReferences: job.OwnerReferences},
		Spec:       sample.Step(sample.Fetch).JobTemplate.Spec,
	}))
	s.Struck("your controller does not watch Jobs")
	s.Proxy.Heal()
	s.ConditionIs(swapped, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
}

// unrecorded has the controller crash after it has created a Job. Before the next process starts, the Job is deleted, but its
// pods take their time to end. No second one may be created beside it.
func unrecorded(s *scene.Scene) {
	const unrecorded = "unrecorded"
	s.CrashAt(unrecorded + "/fetch")
	s.Create(unrecorded, sample.Steps(sample.Fetch))
	s.Crashed(unrecorded + "/fetch")
	job := s.Now(unrecorded).Job(sample.Fetch)
	s.Retain(job)
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Start()
	s.OnlyJobsOf(unrecorded, "the Job of step fetch was being deleted, and still existed", sample.Fetch)
}

// unseenIsNotGone delays the event of a Job that the controller has created and recorded.
func unseenIsNotGone(s *scene.Scene) {
	const other = "other"
	s.Fault("hold, cut, 410: ADDED jobs other/build #1")
	s.Fault("answer 500: next 1 reads jobs other/build") // which says nothing of whether it exists
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
	entry, job := scene.StepIn(&status, sample.Build), s.Now(other).Running(sample.Build)
	if job != nil && entry != nil && entry.JobUID != "" {
		// What completes now, the next list shows for the first time. A controller that has not recorded the Job may not know it.
		s.Must(s.Driver.Complete(s.Context(), job))
		s.Proxy.Heal()
		s.Succeeded(other)
		return
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
	finishedUnseen(s)
}

// finishedUnseen has the controller crash after it has created a Job, which is Complete when the next process starts: the status
// says nothing of either. The success still has to be recorded first.
func finishedUnseen(s *scene.Scene) {
	const unseen = "unseen"
	s.CrashAt(unseen + "/fetch")
	s.Create(unseen, sample.Steps(sample.Fetch, sample.Build))
	s.Crashed(unseen + "/fetch")
	job := s.Reread(s.Now(unseen).Job(sample.Fetch))
	if jobdriver.IsSuspended(job) { // as a controller may create it, so that nothing runs that it has not recorded
		s.Start()
		s.Complete(unseen, sample.Fetch)
		return
	}
	if job.Status.StartTime == nil { // the Job controller may have been quicker than the crash
		s.Must(s.Driver.Start(s.Context(), job))
	}
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Start()
	next := s.Running(unseen, sample.Build)
	for change, created := range scene.Seen[batchv1.Job](s, kinds.Job.Resource) {
		if created.UID != next.UID {
			continue
		}
		var before v1alpha1.SequentialJobStatus
		for _, v := range s.Versions(unseen) {
			if v.Change.ResourceVersion < change.ResourceVersion {
				before = v.Status
			}
		}
		if entry := scene.StepIn(&before, sample.Fetch); entry == nil || entry.State != v1alpha1.StepSucceeded {
			s.FindChange(change, "Your controller created the Job of step build when the status did not say yet that step fetch had succeeded. "+
				"The status of %s said: %s.", unseen, scene.Says(&before))
		}
		break
	}
}

func whyItWaits(s *scene.Scene) {
	s.Begin()
	s.Running(sample.Web, sample.Fetch)
	s.LimitJobs()
	s.Complete(sample.Web, sample.Fetch)
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepSucceeded)
	s.AwaitStatus(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
		if n := forbidden(s, "web/build"); n > scene.Many {
			s.Find("A quota keeps step build from starting. Your controller has retried %d times, without growing pauses. "+
				"The status of web says: %s.", n, scene.Says(status))
		}
		if !scene.SpeaksOf(status, "quota") {
			return "the status of web does not say that a quota keeps step build from starting"
		}
		return s.AtWork()
	})
	s.AllowJobs()
	s.Complete(sample.Web, sample.Build)
	s.Running(sample.Web, sample.Ship)
	s.AwaitStatus(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
		if scene.SpeaksOf(status, "quota") {
			return "the status of web still speaks of a quota, although step ship runs"
		}
		return ""
	})
	invalidTemplate(s)
	twoReasons(s)
}

// twoReasons has a quota refuse a Job, and then a webhook, which gives its reason in several lines.
func twoReasons(s *scene.Scene) {
	const twice = "twice"
	s.Refused(twice)
	s.OnWrites("jobs", twice+"/fetch", proxy.AnswerDenied, 2*scene.Many)
	s.AllowJobs()
	s.Struck("your controller has not tried again to create the Job of step fetch of twice")
	s.AwaitStatusMeanwhile(twice, func(status *v1alpha1.SequentialJobStatus) string {
		if !scene.SpeaksOf(status, proxy.Policy) {
			return fmt.Sprintf("a quota had refused the Job of step fetch of twice, and now a webhook denies it because of the policy %s, but the status does not "+
				"give the API server's reason", proxy.Policy)
		}
		return ""
	})
	s.Disarm()
	s.Complete(twice, sample.Fetch)
	s.Succeeded(twice)
}

// invalidTemplate has a step whose Job is refused for another reason than a quota: the Job API finds it invalid. Its reason
// repeats what the user has written, a percent sign included.
func invalidTemplate(s *scene.Scene) {
	const invalid = "invalid"
	step := sample.Step(sample.Fetch)
	step.JobTemplate.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
	step.JobTemplate.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{}} // takes restartPolicy Never
	step.JobTemplate.Spec.Template.Spec.Containers[0].ImagePullPolicy = "always%20d"
	s.Create(invalid, []v1alpha1.Step{step})
	s.AwaitStatus(invalid, func(status *v1alpha1.SequentialJobStatus) string {
		if !scene.SpeaksOf(status, "restartpolicy") {
			return "the Job API finds the template of step fetch invalid (podFailurePolicy takes restartPolicy Never), but the status of invalid does " +
				"not give the API server's reason"
		}
		if !scene.SpeaksOf(status, "always%20d") {
			return `the Job API finds imagePullPolicy "always%20d" invalid, but the status of invalid does not name that as the API server does`
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
