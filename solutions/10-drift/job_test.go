package main

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestNewJobHasTheClaimedName(t *testing.T) {
	object := claimed(makeObject(v1alpha1.StepSucceeded))
	step := currentStep(ledger(object))
	job := newJob(object, specOf(object, step), nil)
	if job.Name != step.JobName || job.GenerateName != "" {
		t.Errorf("the Job's name is %q, generated from %q, want %q: a second request must fail", job.Name, job.GenerateName, step.JobName)
	}
	if job.Namespace != object.Namespace || !metav1.IsControlledBy(job, object) {
		t.Errorf("the Job is in namespace %q with owners %v, want those of web: adoptJob must recognize it", job.Namespace, job.OwnerReferences)
	}
}
