package controller

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestNewJob(t *testing.T) {
	object := makeObject("web").steps("build").obj()
	step := &object.Spec.Steps[0]
	step.JobTemplate = batchv1.JobTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{
			Labels:      map[string]string{"team": "a", "batch.example.com/step": "mine"},
			Annotations: map[string]string{"note": "b"},
		},
		Spec: batchv1.JobSpec{
			BackoffLimit: new(int32(3)),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"tier": "c", "batch.example.com/sequentialjob": "mine"}},
				Spec:       corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever},
			},
		},
	}
	spec := object.DeepCopy().Spec

	job := newJob(object, step, nil)
	want := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: "web-build",
			Labels: map[string]string{
				"team":                            "a",
				"batch.example.com/sequentialjob": "web",
				"batch.example.com/step":          "build", // ours win: the cache selects by them
			},
			Annotations: map[string]string{"note": "b"},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "batch.example.com/v1alpha1", Kind: "SequentialJob", Name: "web", UID: "uid-of-web",
				Controller: new(true), BlockOwnerDeletion: new(true),
			}},
		},
		Spec: batchv1.JobSpec{
			BackoffLimit: new(int32(3)),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{
					"tier": "c", "batch.example.com/sequentialjob": "web", "batch.example.com/step": "build",
				}},
				Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever},
			},
		},
	}
	if diff := cmp.Diff(want, job); diff != "" {
		t.Errorf("newJob() (-want +got):\n%s", diff)
	}

	job.Labels["team"], job.Annotations["note"], job.Spec.Template.Labels["tier"] = "x", "x", "x"
	*job.Spec.BackoffLimit = 9
	if diff := cmp.Diff(spec, object.Spec); diff != "" {
		t.Errorf("the Job shares memory with the cached object (-before +after):\n%s", diff)
	}
}

func TestNewJobWithoutLabels(t *testing.T) {
	object := makeObject("web").steps("build").obj()
	job := newJob(object, &object.Spec.Steps[0], nil)
	want := map[string]string{"batch.example.com/sequentialjob": "web", "batch.example.com/step": "build"}
	if diff := cmp.Diff(want, job.Labels); diff != "" {
		t.Errorf("labels of the Job (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, job.Spec.Template.Labels); diff != "" {
		t.Errorf("labels of its pods (-want +got):\n%s", diff)
	}
}

func TestJobPredicates(t *testing.T) {
	for name, test := range map[string]struct {
		job           *jobBuilder
		wantFinished  bool
		wantSuspended bool
		reason        string
	}{
		"new":                 {job: makeJob("build"), reason: "a Job without conditions runs"},
		"complete":            {job: makeJob("build").complete(), wantFinished: true, reason: "Complete is one of the two ends"},
		"failed":              {job: makeJob("build").failed("", ""), wantFinished: true, reason: "Failed is the other"},
		"Complete is False":   {job: makeJob("build").condition(batchv1.JobComplete, corev1.ConditionFalse), reason: "a condition counts when it is True"},
		"Failed is Unknown":   {job: makeJob("build").condition(batchv1.JobFailed, corev1.ConditionUnknown), reason: "a condition counts when it is True"},
		"success announced":   {job: makeJob("build").condition(batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue), reason: "pods may still run"},
		"failure announced":   {job: makeJob("build").condition(batchv1.JobFailureTarget, corev1.ConditionTrue), reason: "pods may still run"},
		"suspended":           {job: makeJob("build").confirmSuspended(), wantSuspended: true, reason: "asked for, confirmed and without pods"},
		"suspend requested":   {job: makeJob("build").suspendWanted().pods(0, 0), reason: "its controller may not have seen it, and create pods yet"},
		"suspended, resuming": {job: makeJob("build").confirmSuspended().resume(), reason: "its controller is about to create pods"},
		"suspended, a pod":    {job: makeJob("build").confirmSuspended().pods(1, 0), reason: "what runs is not suspended"},
		"suspended, a pod terminating": {
			job: makeJob("build").confirmSuspended().pods(0, 1), reason: "a terminating pod still works",
		},
		"resumed": {
			job: makeJob("build").suspendWanted().pods(0, 0).condition(batchv1.JobSuspended, corev1.ConditionFalse), reason: "False is what a resumed Job's condition says",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := jobFinished(test.job.obj()); got != test.wantFinished {
				t.Errorf("jobFinished() = %t, want %t: %s", got, test.wantFinished, test.reason)
			}
			if got := jobSuspended(test.job.obj()); got != test.wantSuspended {
				t.Errorf("jobSuspended() = %t, want %t: %s", got, test.wantSuspended, test.reason)
			}
		})
	}
}
