package lesson07

import (
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// othersStayOut has other people's Jobs come and go, before the controller starts and afterwards.
func othersStayOut(s *scene.Scene) {
	var foreign []*batchv1.Job
	add := func(name string, labels map[string]string) {
		job := &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: name, Labels: labels}, Spec: sample.Step(name).JobTemplate.Spec,
		}
		s.User("creates Job %s, which belongs to no SequentialJob", name)
		s.Must(s.Client.Create(s.Context(), job))
		foreign = append(foreign, job)
	}
	add("backup", nil)
	s.Begin()
	s.Running(sample.Web, sample.Fetch)
	add("report", map[string]string{"app": "report", "app.kubernetes.io/managed-by": "cron"})
	s.Must(s.Driver.Start(s.Context(), foreign[1]))
	s.Must(s.Driver.Complete(s.Context(), foreign[1]))
	s.Must(s.Driver.Vanish(s.Context(), foreign[0]))
	s.Complete(sample.Web, sample.Fetch, sample.Build, sample.Ship)
	s.Succeeded(sample.Web)
	s.Settle()

	run := s.Log.Run()
	for _, frame := range run.Frames {
		job := slices.IndexFunc(foreign, func(job *batchv1.Job) bool { return frame.Delivered > 0 && frame.UID == string(job.UID) })
		if job >= 0 {
			s.FindAt(finding.Finding{At: frame.Delivered, What: fmt.Sprintf("Job %s belongs to no SequentialJob, and has none of your labels. An event of it reached your controller (%s), "+
				"because your controller watches the Jobs %s.", foreign[job].Name, frame.Type, run.Streams[frame.Stream-1].Scope)})
		}
	}
}

// unlabelled has users remove and change the labels of Jobs that run, and complete later. That must still count.
func unlabelled(s *scene.Scene) {
	const back, touched, second, unread, mixed, moved = "back", "touched", "second", "unread", "mixed", "moved"
	s.Start()

	// It gets its labels back, and has completed meanwhile.
	job := s.Underway(back, sample.Fetch, sample.Build)
	labels := s.Unlabel(job)
	stillRuns(s, back, job)
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Relabel(job, labels)
	s.Complete(back, sample.Build)
	s.Succeeded(back)

	// It has run for two hours, and completes without labels. Another event has the controller look.
	job = s.Underway(touched, sample.Fetch, sample.Build)
	s.Unlabel(job)
	stillRuns(s, touched, job)
	s.Stop()
	s.Elapse(2*time.Hour, touched)
	s.Start()
	stillRuns(s, touched, job)
	s.Must(s.Driver.Complete(s.Context(), job))
	touch(s, touched)
	s.Complete(touched, sample.Build)
	s.Succeeded(touched)

	// The Job of the step before is still there, and in the cache.
	s.Underway(second, sample.Fetch, sample.Build)
	s.Complete(second, sample.Fetch)
	job = s.Running(second, sample.Build)
	s.StepIs(second, sample.Build, v1alpha1.StepRunning)
	s.Unlabel(job)
	stillRuns(s, second, job)
	s.Must(s.Driver.Complete(s.Context(), job))
	touch(s, second)
	s.Succeeded(second)

	// The first live reads of it fail.
	job = s.Underway(unread, sample.Fetch)
	s.OnReads(kinds.Job.Resource, unread+"/"+sample.Fetch, proxy.Answer500, 2)
	labels = s.Unlabel(job)
	stillRuns(s, unread, job)
	s.Disarm()
	s.Relabel(job, labels)
	s.Complete(unread, sample.Fetch)
	s.Succeeded(unread)

	// It has a later step's label, and completes.
	job = s.Underway(mixed, sample.Fetch, sample.Build)
	s.Mislabel(job, v1alpha1.LabelStep, sample.Build)
	s.Settle()
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Complete(mixed, sample.Build)
	s.Succeeded(mixed)

	// It has another SequentialJob's label, and completes. Whose Job it is, its controller reference says.
	job = s.Underway(moved, sample.Fetch, sample.Build)
	s.Mislabel(job, v1alpha1.LabelSequentialJob, mixed)
	s.Settle()
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Complete(moved, sample.Build)
	s.Succeeded(moved)
	writesRefused(s)
}

// writesRefused has a webhook refuse each change of a Job that has lost its labels, so nobody can give them back. It completes all the same.
func writesRefused(s *scene.Scene) {
	const guarded = "guarded"
	job := s.Underway(guarded, sample.Fetch, sample.Build)
	s.Inject(proxy.Fault{Action: proxy.AnswerDenied, Next: history.Next{Resource: kinds.Job.Resource, Object: guarded + "/" + sample.Fetch, Times: scene.Many}})
	s.Unlabel(job)
	stillRuns(s, guarded, job)
	s.Must(s.Driver.Complete(s.Context(), job))
	touch(s, guarded)
	s.Tell("A webhook refuses each change of Job " + job.Name + ", which has lost its labels. It may complete all the same.")
	s.StepIs(guarded, sample.Fetch, v1alpha1.StepSucceeded)
	s.Tell("")
	s.Stage.Disarm()
	s.Complete(guarded, sample.Build)
	s.Succeeded(guarded)
}

// unlabelledAndStopped has users remove the labels of Jobs that are to be suspended, are suspended, or are to be stopped at a deadline.
func unlabelledAndStopped(s *scene.Scene) {
	const paused, asleep, limited = "paused", "asleep", "limited"
	s.Start()

	// It is to be suspended. Its labels are back before the Job controller has done that.
	job := s.Underway(paused, sample.Fetch, sample.Build)
	labels := s.Unlabel(job)
	stillRuns(s, paused, job)
	s.Suspend(paused)
	s.Await(paused, func(w stage.World) string {
		if now := w.Job(sample.Fetch); now == nil || !jobdriver.IsSuspended(now) {
			return fmt.Sprintf("%s is suspended, but its Job %s, which has lost its labels, is not", paused, job.Name)
		}
		return ""
	})
	s.Relabel(job, labels)
	s.ConditionIs(paused, v1alpha1.ConditionSuspended, metav1.ConditionTrue)

	// It is suspended already.
	job = s.Underway(asleep, sample.Fetch)
	s.Suspend(asleep)
	s.ConditionIs(asleep, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	labels = s.Unlabel(job)
	s.LeftCache(job)
	touch(s, asleep)
	s.Settle()
	if status := s.Now(asleep).Object.Status; scene.HasEnded(&status) {
		s.Find("Job %s is suspended, as its run is, and has lost its labels. It still exists, but the status says that the run has ended: %s.", job.Name, scene.Says(&status))
	}
	s.Relabel(job, labels)
	s.Resume(asleep)
	s.Complete(asleep, sample.Fetch)
	s.Succeeded(asleep)

	// Its run reaches the deadline.
	job = s.Underway(limited, sample.Fetch, sample.Build)
	s.Unlabel(job)
	stillRuns(s, limited, job)
	s.Limit(limited, 1)
	s.Await(limited, func(w stage.World) string {
		switch there := w.Job(sample.Fetch); {
		case there == nil:
			return ""
		case w.Object != nil && scene.HasEnded(&w.Object.Status):
			s.Find("Job %s has lost its labels, and then its run reached the deadline. The Job still exists and runs, but the status says that "+
				"the run has ended: %s.", job.Name, scene.Says(&w.Object.Status))
		}
		return fmt.Sprintf("the deadline of %s has passed, but its Job %s, which has lost its labels, still runs", limited, job.Name)
	})
	touch(s, limited)
	s.ConditionIs(limited, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded)
}

// unlabelledAndGone has users remove the labels of Jobs, and then delete, replace or lose them.
func unlabelledAndGone(s *scene.Scene) {
	const gone, replaced, ending, unrecorded = "gone", "replaced", "ending", "unrecorded"
	s.Start()

	// It is really deleted.
	job := s.Underway(gone, sample.Fetch, sample.Build)
	s.Unlabel(job)
	stillRuns(s, gone, job)
	s.Must(s.Driver.Vanish(s.Context(), job))
	touch(s, gone)
	s.ConditionIs(gone, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonJobDeleted)

	isReplaced(s, replaced)
	endsWithoutLabels(s, ending)
	completesUnrecorded(s, unrecorded)
}

// isReplaced has a user replace a Job that has lost its labels by another one of its name, as kubectl replace --force does. Only the UID tells.
func isReplaced(s *scene.Scene, name string) {
	job := s.Underway(name, sample.Fetch, sample.Build)
	s.Unlabel(job)
	stillRuns(s, name, job)
	s.User("deletes Job %s, and creates another one of that name with the same controller reference", job.Name)
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Needs("Job "+job.Name+" to be gone", func() bool { return s.Now(name).Job(sample.Fetch) == nil })
	s.Must(s.Client.Create(s.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: job.Name, OwnerReferences: job.OwnerReferences},
		Spec:       sample.Step(sample.Fetch).JobTemplate.Spec,
	}))
	touch(s, name)
	s.Tell("A user had replaced Job " + job.Name + " of step fetch, which had lost its labels, by another one of that name. The status names the UID of the first one: if " +
		"that is gone, no other Job counts.")
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonJobDeleted)
	s.Tell("")
}

// completesUnrecorded has a process end before the status names the Job that it has created. The Job completes before the next one starts, which
// has only what it keeps of a finished Job to know the step from.
func completesUnrecorded(s *scene.Scene, name string) {
	s.CrashAt(name + "/" + sample.Fetch)
	s.Create(name, sample.Steps(sample.Fetch, sample.Build))
	s.Crashed(name + "/" + sample.Fetch)
	s.Sync()
	job := s.JobOf(name, sample.Fetch)
	asleep := ptr.Deref(job.Spec.Suspend, false) // a controller may create it suspended, and record it first
	if !asleep {
		s.Must(s.Driver.Start(s.Context(), job))
		s.Must(s.Driver.Complete(s.Context(), job))
	}
	s.Start()
	if asleep {
		s.Complete(name, sample.Fetch)
	}
	s.Complete(name, sample.Build)
	s.Succeeded(name)
}

// endsWithoutLabels has a user delete a Job without labels, whose step may fail. Its pods take their time to end, so it still exists.
func endsWithoutLabels(s *scene.Scene, name string) {
	steps := sample.Steps(sample.Fetch, sample.Build)
	steps[0].OnFailure = v1alpha1.FailurePolicyContinue
	s.Create(name, steps)
	job := s.Running(name, sample.Fetch)
	s.StepIs(name, sample.Fetch, v1alpha1.StepRunning)
	s.Unlabel(job)
	stillRuns(s, name, job)
	s.Retain(job)
	untilHere := s.FromHere()
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Annotate(s.Now(name).Object)
	s.Settle()
	untilHere()
	s.Release(job)
	s.Annotate(s.Now(name).Object)
	s.Complete(name, sample.Build)
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionTrue, v1alpha1.ReasonStepsFailed)
}

// touch has a user change a SequentialJob in a way that changes nothing for its Jobs.
func touch(s *scene.Scene, name string) {
	s.Keep(name, new(int32(86400)))
}

// stillRuns waits until the controller knows nothing of a Job any more but what it reads, and checks that the step still counts
// as running.
func stillRuns(s *scene.Scene, name string, job *batchv1.Job) {
	s.LeftCache(job)
	s.Settle()
	step := stage.StepOf(job)
	entry := scene.StepIn(&s.Now(name).Object.Status, step)
	if entry == nil || entry.State != v1alpha1.StepRunning {
		state := "nothing about it"
		if entry != nil {
			state = fmt.Sprintf("%s, %s: %q", entry.State, entry.Reason, entry.Message)
		}
		s.Find("Job %s has lost its labels. It still exists and runs, but the status says of step %s of %s: %s.", job.Name, step, name, state)
	}
}
