package campaign

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// world is what is there at a moment.
type world struct {
	object *v1alpha1.SequentialJob // nil when it is gone
	jobs   []*batchv1.Job          // those of SequentialJobs, of earlier ones of the name too
}

func newWorld(objects []*unstructured.Unstructured) (world, error) {
	var w world
	for _, one := range objects {
		switch one.GetKind() {
		case v1alpha1.Kind:
			w.object = &v1alpha1.SequentialJob{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(one.Object, w.object); err != nil {
				return world{}, fmt.Errorf("read SequentialJob %s: %w", one.GetName(), err)
			}
		case "Job":
			job := &batchv1.Job{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(one.Object, job); err != nil {
				return world{}, fmt.Errorf("read Job %s: %w", one.GetName(), err)
			}
			if owner := metav1.GetControllerOf(job); owner != nil && owner.Kind == v1alpha1.Kind {
				w.jobs = append(w.jobs, job)
			}
		}
	}
	return w, nil
}

// job is the Job of a step of the object that is there now.
func (w world) job(step string) *batchv1.Job {
	for _, job := range w.jobs {
		if w.object != nil && metav1.IsControlledBy(job, w.object) && stepOf(job) == step {
			return job
		}
	}
	return nil
}

// running is the step's Job if it has started and may go on.
func (w world) running(step string) *batchv1.Job {
	job := w.job(step)
	if job == nil || ended(job) || job.DeletionTimestamp != nil || job.Status.StartTime == nil || suspended(job) {
		return nil
	}
	return job
}

// suspended says whether a Job of the object has been suspended, and has stopped.
func (w world) suspended() bool {
	for _, job := range w.jobs {
		if suspended(job) && holds(job, batchv1.JobSuspended) {
			return true
		}
	}
	return false
}

// waits says that the second step could begin if nothing stood in its way.
func (w world) waits() bool {
	job := w.job(fetch)
	return job != nil && holds(job, batchv1.JobComplete)
}

func stepOf(job *batchv1.Job) string {
	if len(job.Spec.Template.Spec.Containers) == 0 {
		return "?"
	}
	return job.Spec.Template.Spec.Containers[0].Name
}

func suspended(job *batchv1.Job) bool { return job.Spec.Suspend != nil && *job.Spec.Suspend }

func ended(job *batchv1.Job) bool {
	return holds(job, batchv1.JobComplete) || holds(job, batchv1.JobFailed)
}

func holds(job *batchv1.Job, condition batchv1.JobConditionType) bool {
	for _, one := range job.Status.Conditions {
		if one.Type == condition {
			return one.Status == corev1.ConditionTrue
		}
	}
	return false
}
