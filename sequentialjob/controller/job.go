package controller

import (
	"maps"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// newJob builds the Job that runs a step of the object. The Workspace, which the object uses, is ready; nil for none.
func newJob(object *v1alpha1.SequentialJob, step *v1alpha1.Step, workspace *v1alpha1.Workspace) *batchv1.Job {
	template := step.JobTemplate.DeepCopy()
	ours := map[string]string{
		v1alpha1.LabelSequentialJob: object.Name,
		v1alpha1.LabelStep:          step.Name,
	}
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:   object.Namespace,
			Name:        v1alpha1.JobName(object.Name, step.Name),
			Labels:      merged(template.Labels, ours),
			Annotations: template.Annotations,
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(object, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind)),
			},
		},
		Spec: template.Spec,
	}
	job.Spec.Template.Labels = merged(job.Spec.Template.Labels, ours)
	if workspace != nil {
		bind(&job.Spec.Template.Spec, workspace)
	}
	return job
}

func merged(labels, over map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, labels)
	maps.Copy(all, over)
	return all
}

// jobFinished says whether the Job has finished. The conditions SuccessCriteriaMet and FailureTarget
// only announce that, while pods may still run.
func jobFinished(job *batchv1.Job) bool {
	return jobCondition(job, batchv1.JobComplete) != nil || jobCondition(job, batchv1.JobFailed) != nil
}

// jobSuspended says whether nothing of a Job runs because it is suspended: its controller has
// confirmed that, and its pods are gone.
func jobSuspended(job *batchv1.Job) bool {
	return jobSuspendWanted(job) && jobCondition(job, batchv1.JobSuspended) != nil &&
		job.Status.Active == 0 && (job.Status.Terminating == nil || *job.Status.Terminating == 0)
}

func jobSuspendWanted(job *batchv1.Job) bool {
	return job.Spec.Suspend != nil && *job.Spec.Suspend
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
