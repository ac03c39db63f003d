package main

import (
	"maps"

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
	//exercise:begin template Make this the Job that step.jobTemplate describes.
	//exercise:task Everything that the template sets is in the Job. The Job itself also has our two labels, by
	//exercise:task which observe and users know its step: v1alpha1.LabelSequentialJob with the object's name,
	//exercise:task and v1alpha1.LabelStep with the step's. The object stays unchanged, its maps included: the
	//exercise:task rest of the reconcile reads it too.
	template := step.JobTemplate.DeepCopy()
	job.Spec = template.Spec
	job.Annotations = template.Annotations
	job.Labels = map[string]string{}
	maps.Copy(job.Labels, template.Labels)
	job.Labels[v1alpha1.LabelSequentialJob] = object.Name
	job.Labels[v1alpha1.LabelStep] = step.Name
	//exercise:end

	//exercise:begin owner Record in the Job that this SequentialJob controls it.
	//exercise:task The garbage collector, the watch on Jobs and observe rely on that. The Job of an object that was
	//exercise:task deleted and created again under the same name must not be mistaken for one of the new object.
	job.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(object, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind)),
	}
	//exercise:end
	return job
}

// jobComplete says whether the Job has completed. SuccessCriteriaMet only announces that, while pods may
// still be running.
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
