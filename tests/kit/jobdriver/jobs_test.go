package jobdriver_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
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

func TestAJobIsStartedAndCompletes(t *testing.T) {
	w := newWorld(t)
	job := w.createJob("web-build", w.createOwner("web"))

	w.yes(w.React(w.ctx))
	if now := w.get(job); now.Status.StartTime == nil || now.Status.Active != 1 || len(now.Status.Conditions) != 0 {
		t.Errorf("the status of a Job that has started is %+v", now.Status)
	}
	w.no(w.React(w.ctx)) // how it ends is for the scenario to say

	w.do(w.Announce(w.ctx, job))
	if now := w.get(job); !cmp.Equal(conditions(now), []batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet}) {
		t.Errorf("a Job of which success is announced has the conditions %v", conditions(now))
	}
	w.no(w.React(w.ctx))
	w.do(w.Complete(w.ctx, job))
	if now := w.get(job); !cmp.Equal(conditions(now), []batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet, batchv1.JobComplete}) {
		t.Errorf("a complete Job has the conditions %v", conditions(now))
	}
	w.no(w.React(w.ctx))

	var told []string
	for _, stimulus := range w.log.Run().Stimuli {
		told = append(told, stimulus.Who+" "+stimulus.What)
	}
	want := []string{
		"job controller starts Job web-build",
		"job controller announces that Job web-build will be complete",
		"job controller completes Job web-build",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("what the history tells (-want +got):\n%s", diff)
	}
}

func TestAJobFails(t *testing.T) {
	w := newWorld(t)
	job := w.createJob("web-build", nil)
	w.do(w.Start(w.ctx, job))
	w.do(w.Fail(w.ctx, job, batchv1.JobReasonDeadlineExceeded, "too late"))
	now := w.get(job)
	if !cmp.Equal(conditions(now), []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobFailed}) {
		t.Errorf("a failed Job has the conditions %v", conditions(now))
	}
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
	now := w.get(job)
	if now.Status.Active != 0 || now.Status.StartTime != nil || !cmp.Equal(conditions(now), []batchv1.JobConditionType{batchv1.JobSuspended}) {
		t.Errorf("the status of a suspended Job is %+v", now.Status)
	}
	w.no(w.React(w.ctx))

	w.setSuspend(job, false)
	w.yes(w.React(w.ctx))
	now = w.get(job)
	if now.Status.Active != 1 || now.Status.StartTime == nil || len(conditions(now)) != 0 {
		t.Errorf("the status of a resumed Job is %+v", now.Status)
	}
	w.no(w.React(w.ctx))
}

func TestAJobThatIsGoneIsLeftAlone(t *testing.T) {
	w := newWorld(t)
	job := w.createJob("web-build", nil)
	w.do(w.Vanish(w.ctx, job))
	if !w.isGone(job) {
		t.Fatal("a Job that somebody deleted is still there")
	}
	another := w.createJob("web-build", nil)

	w.do(w.Start(w.ctx, job))
	w.do(w.Complete(w.ctx, job))
	w.do(w.Vanish(w.ctx, job))
	if diff := cmp.Diff(another, w.get(another)); diff != "" {
		t.Errorf("the Job of the same name that replaced it (-before +after):\n%s", diff)
	}
}

func TestADecoyIsNobodysBusiness(t *testing.T) {
	w := newWorld(t)
	owner := w.createOwner("web")
	job := w.createJob("web-build", owner)
	decoy, err := w.Decoy(w.ctx, job)
	w.do(err)
	for key, value := range job.Labels {
		if decoy.Labels[key] != value {
			t.Errorf("the decoy's label %s is %q, the Job's %q", key, decoy.Labels[key], value)
		}
	}

	w.yes(w.React(w.ctx)) // the Job starts
	w.no(w.React(w.ctx))
	w.do(w.client.Delete(w.ctx, owner))
	w.yes(w.CollectGarbage(w.ctx))
	w.no(w.CollectGarbage(w.ctx))
	if diff := cmp.Diff(decoy, w.get(decoy)); diff != "" {
		t.Errorf("the decoy (-before +after):\n%s", diff)
	}
}
