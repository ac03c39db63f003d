package main

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// newJob builds the Job that runs a step of the object. The API server completes its name.
func newJob(object *v1alpha1.SequentialJob, step *v1alpha1.Step) *batchv1.Job {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		Namespace:    object.Namespace,
		GenerateName: object.Name + "-" + step.Name + "-",
	}}
	// TODO(template): Make it the Job that step.jobTemplate describes.
	// All that is in the template is to be in the Job, and with it two labels of ours, by which
	// observe and people find out of which step it is: v1alpha1.LabelSequentialJob with the
	// object's name and v1alpha1.LabelStep with the step's, on the Job itself for now.
	// The rest of this pass still reads the object, so change none of it: copy what you take
	// (step.JobTemplate.DeepCopy()), as its maps would be shared otherwise.

	// TODO(owner): Say in the Job whose it is.
	// The garbage collector goes by that, and so do Owns and other controllers. It has to be a
	// controller reference: metav1.NewControllerRef makes one, for the kind that
	// v1alpha1.GroupVersion and v1alpha1.Kind name together (GroupVersion.WithKind).
	return job
}

// jobComplete says whether the Job has done its work. SuccessCriteriaMet only announces that, while pods
// may still run.
func jobComplete(job *batchv1.Job) bool {
	return jobCondition(job, batchv1.JobComplete) != nil
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
