package main

import (
	"maps"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// newJob builds the Job that runs a step of the object. Workspace is the one that the object uses; nil for none.
func newJob(object *v1alpha1.SequentialJob, step *v1alpha1.Step, workspace *v1alpha1.Workspace) *batchv1.Job {
	job := &batchv1.Job{}
	job.Namespace = object.Namespace
	job.Name = v1alpha1.JobName(object.Name, step.Name)
	template := step.JobTemplate.DeepCopy()
	job.Spec = template.Spec
	job.Annotations = template.Annotations
	job.Labels = map[string]string{}
	maps.Copy(job.Labels, template.Labels)
	job.Labels[v1alpha1.LabelSequentialJob] = object.Name
	job.Labels[v1alpha1.LabelStep] = step.Name
	if secret := bindingOf(workspace); secret != "" {
		bind(&job.Spec.Template.Spec, secret)
	}

	job.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(object, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind)),
	}
	return job
}

// jobComplete says whether the Job has completed. SuccessCriteriaMet only announces that, while pods may
// still be running.
func jobComplete(job *batchv1.Job) bool {
	return jobCondition(job, batchv1.JobComplete) != nil
}

// jobFinished says whether the Job has ended, successfully or not.
func jobFinished(job *batchv1.Job) bool {
	return jobComplete(job) || jobCondition(job, batchv1.JobFailed) != nil
}

// jobCondition returns the Job's condition of that type if it is True, or nil.
func jobCondition(job *batchv1.Job, conditionType batchv1.JobConditionType) *batchv1.JobCondition {
	for i := range job.Status.Conditions {
		if condition := &job.Status.Conditions[i]; condition.Type == conditionType && condition.Status == corev1.ConditionTrue {
			return condition
		}
	}
	return nil
}
