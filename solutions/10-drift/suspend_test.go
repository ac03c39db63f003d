package main

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestSuspended(t *testing.T) {
	for name, test := range map[string]struct {
		object     *v1alpha1.SequentialJob
		job        *batchv1.Job // of the step build
		want       metav1.ConditionStatus
		wantReason string
		started    bool // the run has a startTime
		reason     string
	}{
		"not suspended": {
			object: makeObject(v1alpha1.StepRunning), job: makeJob("build"),
			want: metav1.ConditionFalse, wantReason: "NotSuspended", started: true,
			reason: "nobody has requested it",
		},
		"before it starts": {
			object: suspended(makeObject()),
			want:   metav1.ConditionTrue, wantReason: "Suspended", started: false,
			reason: "there is nothing to wait for, and the run has not started",
		},
		"asked for": {
			object: suspended(makeObject(v1alpha1.StepRunning)), job: asked(makeJob("build"), true),
			want: metav1.ConditionFalse, wantReason: "Suspending",
			reason: "its pod still runs",
		},
		"a pod takes its time to end": {
			object: suspended(makeObject(v1alpha1.StepRunning)), job: terminating(makeJob("build", batchv1.JobSuspended)),
			want: metav1.ConditionFalse, wantReason: "Suspending",
			reason: "it may still do something",
		},
		"confirmed": {
			object: suspended(makeObject(v1alpha1.StepRunning)), job: makeJob("build", batchv1.JobSuspended),
			want: metav1.ConditionTrue, wantReason: "Suspended",
			reason: "nothing runs any more",
		},
		"complete after all": {
			object: suspended(makeObject(v1alpha1.StepRunning)), job: makeJob("build", batchv1.JobComplete),
			want: metav1.ConditionTrue, wantReason: "Suspended",
			reason: "nothing runs, and the next step does not start",
		},
		"still to be resumed": {
			object: makeObject(v1alpha1.StepRunning), job: makeJob("build", batchv1.JobSuspended),
			want: metav1.ConditionTrue, wantReason: "Suspended", started: true,
			reason: "as long as the Job is suspended, so is the run",
		},
		"just resumed": {
			object: makeObject(v1alpha1.StepRunning), job: asked(makeJob("build", batchv1.JobSuspended), false),
			want: metav1.ConditionFalse, wantReason: "NotSuspended", started: true,
			reason: "its pod may start any moment",
		},
		"failed": {
			object: suspended(makeObject(v1alpha1.StepRunning)), job: makeJob("build", batchv1.JobFailed),
			want: metav1.ConditionFalse, wantReason: "Finished",
			reason: "nothing is left to suspend",
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen := facts{now: noon, object: test.object, jobs: map[string]*batchv1.Job{}}
			if test.job != nil {
				seen.jobs["build"] = test.job
			}
			status := assess(seen)
			condition := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSuspended)
			if condition == nil {
				t.Fatal("there is no condition Suspended")
			}
			if condition.Status != test.want || condition.Reason != test.wantReason {
				t.Errorf("Suspended is %s, %s; want %s, %s: %s", condition.Status, condition.Reason, test.want, test.wantReason, test.reason)
			}
			if started := status.StartTime != nil; started != test.started {
				t.Errorf("startTime is %v, and the run has started: %t: %s", status.StartTime, test.started, test.reason)
			}
		})
	}
}

func TestGenerations(t *testing.T) {
	for name, object := range map[string]*v1alpha1.SequentialJob{
		"running":  makeObject(v1alpha1.StepSucceeded),
		"finished": makeObject(v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepSucceeded),
	} {
		t.Run(name, func(t *testing.T) {
			for generation := int64(1); generation <= 2; generation++ {
				object.Generation = generation
				object.Status = assess(facts{now: noon, object: object})
				if object.Status.ObservedGeneration != generation {
					t.Errorf("the status speaks of generation %d, want %d", object.Status.ObservedGeneration, generation)
				}
				if len(object.Status.Conditions) != 3 {
					t.Fatalf("there are %d conditions, want 3", len(object.Status.Conditions))
				}
				for _, condition := range object.Status.Conditions {
					if condition.ObservedGeneration != generation {
						t.Errorf("%s speaks of generation %d, want %d", condition.Type, condition.ObservedGeneration, generation)
					}
				}
			}
		})
	}
}

// terminating gives a Job a pod that is about to end.
func terminating(job *batchv1.Job) *batchv1.Job {
	one := int32(1)
	job.Status.Terminating = &one
	return job
}
