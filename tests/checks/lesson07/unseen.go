package lesson07

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// unlabelledMeanwhile has users remove the labels of Jobs to which something happens at the same time: they are being deleted, complete just
// before they would be suspended, or are suspended while the API server does not respond, or while their run reaches the deadline.
func unlabelledMeanwhile(s *scene.Scene) {
	s.Start()
	losesLabelsWhileItEnds(s, "dying")
	completesBeforeItIsSuspended(s, "quick")
	staysSuspendedUnread(s, "silent")
	reachesTheDeadlineAsleep(s, "dozing")
}

// losesLabelsWhileItEnds has a user delete a Job whose step may fail, and then remove its labels. Its pods take their time to end, so it still exists.
func losesLabelsWhileItEnds(s *scene.Scene, name string) {
	steps := sample.Steps(sample.Fetch, sample.Build)
	steps[0].OnFailure = v1alpha1.FailurePolicyContinue
	s.Create(name, steps)
	job := s.Running(name, sample.Fetch)
	s.StepIs(name, sample.Fetch, v1alpha1.StepRunning)
	s.Retain(job)
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Settle()
	s.Unlabel(job)
	s.Tell("A user had deleted Job " + job.Name + ", and then removed its labels. It still exists until its pods have ended: its deletionTimestamp says that it is to go, " +
		"and not that it is gone.")
	stillRuns(s, name, job)
	s.Tell("")
	s.Release(job)
	s.Annotate(s.Now(name).Object)
	s.Complete(name, sample.Build)
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionTrue, v1alpha1.ReasonStepsFailed)
}

// completesBeforeItIsSuspended has a Job without labels complete while the request to suspend it is on its way.
func completesBeforeItIsSuspended(s *scene.Scene, name string) {
	job := s.Underway(name, sample.Fetch, sample.Build)
	s.Unlabel(job)
	stillRuns(s, name, job)
	s.OnWrites(kinds.Job.Resource, name+"/"+sample.Fetch, proxy.ArriveLate, 1)
	s.Suspend(name)
	s.Struck(fmt.Sprintf("%s is suspended, but your controller has not tried to suspend its Job %s, which has lost its labels", name, job.Name))
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Heal()
	touch(s, name)
	s.StepIs(name, sample.Fetch, v1alpha1.StepSucceeded)
	if now := s.Reread(job); ptr.Deref(now.Spec.Suspend, false) {
		s.Find("Job %s has lost its labels. It had completed when your controller's request to suspend it arrived, and the request has changed it. A live read is old by the time "+
			"you act on it: the write has to hold only for the Job as you have read it.", job.Name)
	}
	s.Resume(name)
	s.Complete(name, sample.Build)
	s.Succeeded(name)
}

// staysSuspendedUnread has the API server fail the reads of a suspended Job without labels. Nothing says that it runs again.
func staysSuspendedUnread(s *scene.Scene, name string) {
	job := s.Underway(name, sample.Fetch)
	s.Suspend(name)
	s.ConditionIs(name, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.Settle()
	from := s.Log.Now()
	s.OnReads(kinds.Job.Resource, name+"/"+sample.Fetch, proxy.Answer500, 3)
	labels := s.Unlabel(job)
	s.LeftCache(job)
	touch(s, name)
	s.Settle()
	for _, v := range s.Versions(name) {
		if v.Change.Seen >= from && !meta.IsStatusConditionTrue(v.Status.Conditions, v1alpha1.ConditionSuspended) {
			s.FindIn(v, "%s and its Job %s were suspended when the Job lost its labels. The API server did not respond to reads of that Job, and nobody had resumed anything.", name, job.Name)
		}
	}
	s.Stage.Disarm()
	s.Relabel(job, labels)
	s.Resume(name)
	s.Complete(name, sample.Fetch)
	s.Succeeded(name)
}

// reachesTheDeadlineAsleep has a user lower the limit of a suspended run to what it has already used. Its Job has no labels.
func reachesTheDeadlineAsleep(s *scene.Scene, name string) {
	job := s.Underway(name, sample.Fetch, sample.Build)
	s.Stop()
	s.Elapse(2*time.Hour, name)
	s.Start()
	s.Suspend(name)
	s.ConditionIs(name, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.Unlabel(job)
	s.LeftCache(job)
	touch(s, name)
	s.Settle()
	s.Limit(name, 1)
	s.Await(name, func(w stage.World) string {
		if w.Job(sample.Fetch) != nil {
			return fmt.Sprintf("a user has lowered the limit of %s, which is suspended, to less than it has used, but its Job %s, which has lost its labels, is still there", name, job.Name)
		}
		return ""
	})
	touch(s, name)
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded)
}

// unlabelledUnrecorded has a process end before the status names the Job that it has created. Meanwhile something happens to that Job.
func unlabelledUnrecorded(s *scene.Scene) {
	s.Start()
	isDeletedUnrecorded(s, "doomed")
	comesBackAfterTheEnd(s, "stray")
}

// isDeletedUnrecorded has a user delete that Job. Its pods take their time to end, so no other one may run.
func isDeletedUnrecorded(s *scene.Scene, name string) {
	s.CrashAt(name + "/" + sample.Fetch)
	s.Create(name, sample.Steps(sample.Fetch, sample.Build))
	s.Crashed(name + "/" + sample.Fetch)
	s.Sync()
	job := s.JobOf(name, sample.Fetch)
	s.Retain(job)
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Start()
	touch(s, name)
	s.Settle()
	s.OnlyJobsOf(name, "the pods of the deleted Job of step fetch could still run", sample.Fetch)
	s.Release(job)
}

// comesBackAfterTheEnd has a user remove that Job's labels, and the deadline pass, before the next process starts. So the run may end. Then the Job is
// back, and still runs.
func comesBackAfterTheEnd(s *scene.Scene, name string) {
	s.Create(name, sample.Steps(sample.Fetch, sample.Build))
	s.Running(name, sample.Fetch)
	s.StepIs(name, sample.Fetch, v1alpha1.StepRunning)
	s.CrashAt(name + "/" + sample.Build)
	s.Complete(name, sample.Fetch)
	s.Crashed(name + "/" + sample.Build)
	s.Sync()
	job := s.JobOf(name, sample.Build)
	if jobdriver.IsSuspended(job) { // one that was created suspended never runs, and a controller may leave it or not
		s.Start()
		return
	}
	labels := s.Unlabel(job)
	s.Elapse(2*time.Hour, name)
	s.Limit(name, 1)
	s.Start()
	s.Settle()
	runs := func(w stage.World) bool {
		there := jobWith(w, job)
		return there != nil && there.DeletionTimestamp == nil
	}
	if runs(s.Now(name)) { // a controller that reads it by its name has stopped it already
		s.Relabel(job, labels)
	}
	s.Await(name, func(w stage.World) string {
		if runs(w) {
			return fmt.Sprintf("the deadline of %s has passed. Job %s of step build had lost its labels then, and has them again. It still runs", name, job.Name)
		}
		return ""
	})
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded)
}

// jobWith is a Job as it is now; nil if it is gone.
func jobWith(w stage.World, job *batchv1.Job) *batchv1.Job {
	for i := range w.Jobs {
		if w.Jobs[i].UID == job.UID {
			return w.Jobs[i]
		}
	}
	return nil
}
