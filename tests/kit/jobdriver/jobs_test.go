package jobdriver_test

import (
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"example.com/controller-course/tests/kit/assert"
)

// conditions are those of a Job that are True.
func conditions(job *batchv1.Job) []batchv1.JobConditionType {
	var are []batchv1.JobConditionType
	for _, condition := range job.Status.Conditions {
		if condition.Status == corev1.ConditionTrue {
			are = append(are, condition.Type)
		}
	}
	return are
}

// shows returns a Job as it is now, of which these conditions have to be True.
func (w *world) shows(job *batchv1.Job, want ...batchv1.JobConditionType) *batchv1.Job {
	w.Helper()
	now := w.get(job)
	if got := conditions(now); !slices.Equal(got, want) {
		w.Fatalf("Job %s has the conditions %v, want %v", job.Name, got, want)
	}
	return now
}

func TestAJobIsStartedAndCompletes(t *testing.T) {
	w := newWorld(t)
	job := w.createJob("web-build", w.createOwner("web"))

	w.yes(w.React(w.ctx))
	if now := w.get(job); now.Status.StartTime == nil || now.Status.Active != 1 || len(now.Status.Conditions) != 0 {
		t.Errorf("the status of a Job that has started is %+v", now.Status)
	}
	w.no(w.React(w.ctx)) // the scenario decides how it ends

	w.do(w.Announce(w.ctx, job))
	w.shows(job, batchv1.JobSuccessCriteriaMet)
	w.no(w.React(w.ctx))
	w.do(w.Complete(w.ctx, job))
	w.shows(job, batchv1.JobSuccessCriteriaMet, batchv1.JobComplete)
	w.no(w.React(w.ctx))

	var recorded []string
	for _, stimulus := range w.log.Run().Stimuli {
		recorded = append(recorded, stimulus.Actor+" "+stimulus.What)
	}
	want := []string{
		"job controller starts Job web-build",
		"job controller announces that Job web-build will be complete",
		"job controller completes Job web-build",
	}
	assert.Equal(t, "what the history records", recorded, want)
}

func TestAJobFails(t *testing.T) {
	w := newWorld(t)
	job := w.createJob("web-build", nil)
	w.do(w.Start(w.ctx, job))
	w.do(w.Fail(w.ctx, job, batchv1.JobReasonDeadlineExceeded, "too late"))
	now := w.shows(job, batchv1.JobFailureTarget, batchv1.JobFailed)
	if failed := now.Status.Conditions[1]; failed.Reason != batchv1.JobReasonDeadlineExceeded || failed.Message != "too late" {
		t.Errorf("the Job failed with %s: %s", failed.Reason, failed.Message)
	}
}

func TestAJobIsSuspendedAndResumed(t *testing.T) {
	w := newWorld(t)
	job := w.createJob("web-build", w.createOwner("web"))
	w.yes(w.React(w.ctx))

	w.setSuspend(job, true)
	w.yes(w.React(w.ctx))
	if now := w.shows(job, batchv1.JobSuspended); now.Status.Active != 0 || now.Status.StartTime != nil {
		t.Errorf("the status of a suspended Job is %+v", now.Status)
	}
	w.no(w.React(w.ctx))

	w.setSuspend(job, false)
	w.yes(w.React(w.ctx))
	if now := w.shows(job); now.Status.Active != 1 || now.Status.StartTime == nil {
		t.Errorf("the status of a resumed Job is %+v", now.Status)
	}
	w.no(w.React(w.ctx))
}

func TestALateJobControllerCatchesUp(t *testing.T) {
	w := newWorld(t)
	job := w.createJob("web-build", w.createOwner("web"))
	w.Delay()
	w.no(w.React(w.ctx))
	w.setSuspend(job, true)
	w.no(w.React(w.ctx))
	w.do(w.CatchUp(w.ctx))
	w.shows(job, batchv1.JobSuspended)
}

func TestAJobThatIsAboutToEndCanNotBeSuspended(t *testing.T) {
	w := newWorld(t)
	owner := w.createOwner("web")
	build, test := w.createJob("web-build", owner), w.createJob("web-test", owner)
	w.do(w.Start(w.ctx, build))
	w.do(w.Start(w.ctx, test))
	w.do(w.Announce(w.ctx, build))
	w.do(w.AnnounceFailure(w.ctx, test, batchv1.JobReasonDeadlineExceeded, "too late"))
	w.no(w.React(w.ctx))

	w.setSuspend(build, true)
	w.setSuspend(test, true)
	w.yes(w.React(w.ctx))
	w.yes(w.React(w.ctx))
	w.no(w.React(w.ctx))
	w.shows(build, batchv1.JobSuccessCriteriaMet, batchv1.JobComplete)
	if failed := w.shows(test, batchv1.JobFailureTarget, batchv1.JobFailed).Status.Conditions[1]; failed.Message != "too late" {
		t.Errorf("the Job failed with %s: %s", failed.Reason, failed.Message)
	}
}

func TestAJobThatIsGoneIsLeftAlone(t *testing.T) {
	w := newWorld(t)
	job := w.createJob("web-build", nil)
	w.do(w.Vanish(w.ctx, job))
	w.gone(job)
	another := w.createJob("web-build", nil)

	w.do(w.Start(w.ctx, job))
	w.do(w.Complete(w.ctx, job))
	w.do(w.Vanish(w.ctx, job))
	assert.Equal(t, "the Job of the same name that replaced it, compared with how it was", w.get(another), another)
}

func TestADecoyIsNobodysBusiness(t *testing.T) {
	w := newWorld(t)
	owner := w.createOwner("web")
	job := w.createJob("web-build", owner)
	decoy, err := w.Decoy(w.ctx, job)
	w.do(err)
	for key, value := range job.Labels {
		assert.Equal(t, "the decoy's label "+key, decoy.Labels[key], value)
	}

	w.yes(w.React(w.ctx)) // the Job starts
	w.no(w.React(w.ctx))
	w.do(w.client.Delete(w.ctx, owner))
	w.yes(w.CollectGarbage(w.ctx))
	w.no(w.CollectGarbage(w.ctx))
	assert.Equal(t, "the decoy, compared with how it was", w.get(decoy), decoy)
}
