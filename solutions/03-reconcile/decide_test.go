package main

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestDecide(t *testing.T) {
	for name, test := range map[string]struct {
		spec     v1alpha1.SequentialJobSpec // without the steps
		jobs     map[string]*batchv1.Job
		want     action
		wantStep string
		reason   string
	}{
		"nothing yet": {
			want: createJob, wantStep: "build",
			reason: "the first step comes first",
		},
		"first is running": {
			jobs: map[string]*batchv1.Job{"build": makeJob()},
			want: doNothing, wantStep: "build",
			reason: "steps run one after another",
		},
		"first announces its success": {
			jobs: map[string]*batchv1.Job{"build": makeJob(batchv1.JobSuccessCriteriaMet)},
			want: doNothing, wantStep: "build",
			reason: "its pods may still be running",
		},
		"first is complete": {
			jobs: map[string]*batchv1.Job{"build": makeJob(batchv1.JobSuccessCriteriaMet, batchv1.JobComplete)},
			want: createJob, wantStep: "test",
			reason: "it is the second one's turn",
		},
		"second has failed": {
			jobs: map[string]*batchv1.Job{"build": makeJob(batchv1.JobComplete), "test": makeJob(batchv1.JobFailed)},
			want: doNothing, wantStep: "test",
			reason: "a failed step ends the run",
		},
		"all are complete": {
			jobs: map[string]*batchv1.Job{
				"build": makeJob(batchv1.JobComplete), "test": makeJob(batchv1.JobComplete), "release": makeJob(batchv1.JobComplete),
			},
			want:   doNothing,
			reason: "there is nothing left to do",
		},
		"only a Job of a step that the spec does not have": {
			jobs: map[string]*batchv1.Job{"": makeJob(batchv1.JobComplete)},
			want: createJob, wantStep: "build",
			reason: "it says nothing about any step",
		},
		"another controller's": {
			spec:   v1alpha1.SequentialJobSpec{ManagedBy: ptr.To("example.com/other")},
			want:   doNothing,
			reason: "that controller runs it",
		},
		"ours by name": {
			spec: v1alpha1.SequentialJobSpec{ManagedBy: ptr.To(v1alpha1.ControllerName)},
			want: createJob, wantStep: "build",
			reason: "managedBy names this controller",
		},
		"a retry from the second step": {
			spec:   v1alpha1.SequentialJobSpec{StartAt: ptr.To("test")},
			want:   refuseObject,
			reason: "the first step has run before and must not run again",
		},
	} {
		t.Run(name, func(t *testing.T) {
			object := &v1alpha1.SequentialJob{Spec: test.spec}
			object.Spec.Steps = []v1alpha1.Step{{Name: "build"}, {Name: "test"}, {Name: "release"}}
			next, step := decide(facts{object: object, jobs: test.jobs})
			stepName := ""
			if step != nil {
				stepName = step.Name
			}
			if next != test.want || stepName != test.wantStep {
				t.Errorf("decided to do %q for step %q, want %q for step %q: %s", next, stepName, test.want, test.wantStep, test.reason)
			}
		})
	}
}

// makeJob makes a Job of which these conditions are True.
func makeJob(conditions ...batchv1.JobConditionType) *batchv1.Job {
	job := &batchv1.Job{}
	for _, conditionType := range conditions {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{Type: conditionType, Status: corev1.ConditionTrue})
	}
	return job
}
