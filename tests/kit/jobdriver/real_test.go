package jobdriver_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/must"
)

// managedBy keeps the Job controller away from a Job.
const managedBy = "example.com/jobdriver"

// isSet is what is compared of a time.
var isSet = cmp.Options{
	cmp.Transformer("isSet", func(t metav1.Time) bool { return !t.IsZero() }),
	cmp.Transformer("isSet", func(t *metav1.Time) bool { return !t.IsZero() }),
}

// TestAsTheRealJobController has the Job controller and the driver do the same with two equal Jobs.
func TestAsTheRealJobController(t *testing.T) {
	full, err := cluster.Start(t.Context(), cluster.Options{Full: true, CRDs: []string{crds}})
	must.Succeed(t, err)
	defer full.Stop()
	on, err := kinds.NewClient(full.Config())
	must.Succeed(t, err)

	tests := map[string]struct {
		args    []string
		suspend bool
		stages  []stage
	}{
		"completes": {stages: []stage{{nil, starts, batchv1.JobComplete}}},
		"fails":     {args: []string{"--exit-code=1"}, stages: []stage{{nil, starts, batchv1.JobFailed}}},
		"is suspended from the start, then resumed": {
			suspend: true,
			stages: []stage{
				{nil, (*world).suspends, batchv1.JobSuspended},
				{(*world).resume, starts, batchv1.JobComplete},
			},
		},
		"is suspended while it runs": {
			args:   []string{"--sleep=1h"},
			stages: []stage{{(*world).run, (*world).suspends, batchv1.JobSuspended}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorldOn(t, on)
			var genuine, played *batchv1.Job
			for _, job := range []**batchv1.Job{&genuine, &played} {
				*job = newJob("genuine")
				(*job).Spec.Suspend = new(test.suspend)
				(*job).Spec.BackoffLimit = new(int32(0))
				(*job).Spec.Template.Spec.Containers[0].Args = test.args
			}
			played.Name, played.Spec.ManagedBy = "played", new(managedBy)
			w.createJobOf(genuine, nil)
			w.createJobOf(played, nil)
			for _, stage := range test.stages {
				if stage.user != nil {
					stage.user(w, genuine)
					stage.user(w, played)
				}
				stage.driver(w, played, stage.shows)
				w.await(genuine, stage.shows)
				if diff := cmp.Diff(w.get(genuine).Status, w.get(played).Status, isSet); diff != "" {
					t.Errorf("status once the Job shows %s (-genuine +played):\n%s", stage.shows, diff)
				}
			}
		})
	}
}

// stage is what a user does to a Job, what the driver then does, and what the Job shows afterwards.
type stage struct {
	user   func(*world, *batchv1.Job)
	driver func(*world, *batchv1.Job, batchv1.JobConditionType)
	shows  batchv1.JobConditionType
}

func starts(w *world, job *batchv1.Job, end batchv1.JobConditionType) {
	w.do(w.Start(w.ctx, job))
	if end == batchv1.JobFailed {
		w.do(w.Fail(w.ctx, job, batchv1.JobReasonBackoffLimitExceeded, "Job has reached the specified backoff limit"))
		return
	}
	w.do(w.Complete(w.ctx, job))
}

func (w *world) suspends(job *batchv1.Job, _ batchv1.JobConditionType) { w.do(w.Suspend(w.ctx, job)) }

// run lets a Job's pod start, and suspends the Job then.
func (w *world) run(job *batchv1.Job) {
	w.Helper()
	if job.Spec.ManagedBy != nil {
		w.do(w.Start(w.ctx, job))
	}
	w.until(job, func(now *batchv1.Job) bool { return now.Status.Active == 1 })
	w.setSuspend(job, true)
}

func (w *world) resume(job *batchv1.Job) { w.setSuspend(job, false) }

// await waits until a Job shows a condition and nothing of it runs.
func (w *world) await(job *batchv1.Job, condition batchv1.JobConditionType) {
	w.Helper()
	w.until(job, func(now *batchv1.Job) bool {
		return slices.Contains(conditions(now), condition) && now.Status.Active == 0 && ptr.Deref(now.Status.Terminating, 0) == 0
	})
}

func (w *world) until(job *batchv1.Job, done func(*batchv1.Job) bool) {
	w.Helper()
	for !done(w.get(job)) {
		select {
		case <-w.ctx.Done():
			w.Fatalf("Job %s does not come as far as it has to; its status is %+v", job.Name, w.get(job).Status)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
