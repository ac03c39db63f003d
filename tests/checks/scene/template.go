package scene

import (
	batchv1 "k8s.io/api/batch/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// isOurs says whether a label is one of the two that a Job gets besides those of its template.
func isOurs(label string) bool {
	return label == v1alpha1.LabelSequentialJob || label == v1alpha1.LabelStep
}

// LabelledByOwner checks that a Job has the labels of its own step, whatever its template says, and none that only its
// SequentialJob has.
func (s *Scene) LabelledByOwner(job *batchv1.Job, owner *v1alpha1.SequentialJob, template *batchv1.JobTemplateSpec) {
	for key, value := range template.Labels {
		if isOurs(key) && job.Labels[key] == value {
			s.Find("The template was copied from another Job, and has its label %s=%s. Job %s of %s has the same one, and should have its own.",
				key, value, job.Name, owner.Name)
		}
	}
	for key, value := range owner.Labels {
		if _, is := template.Labels[key]; !is && !isOurs(key) && job.Labels[key] == value {
			s.Find("SequentialJob %s has the label %s=%s, and the template has not. Job %s has it, and should not: programs that select "+
				"objects by it did not mean the Job.", owner.Name, key, value, job.Name)
		}
	}
}
