package stage

import (
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/kinds"
)

// World is a SequentialJob, its Jobs and its Workspace at a moment.
type World struct {
	Object    *v1alpha1.SequentialJob // nil when it is gone
	Jobs      []*batchv1.Job          // of SequentialJobs of the name, of earlier ones too
	Workspace *v1alpha1.Workspace     // of the name; nil when it is gone
}

// World returns what the observer has last seen of a SequentialJob. Callers must not change it.
func (s *Stage) World(name string) (World, error) {
	changed := s.Observer.Changed()
	if s.worldOf != name || s.worldUntil != changed {
		world, err := s.read(name)
		if err != nil {
			return World{}, err
		}
		s.world, s.worldOf, s.worldUntil = world, name, changed
	}
	return s.world, nil
}

func (s *Stage) read(name string) (World, error) {
	var w World
	objects := s.Observer.Objects()
	if object := objects[kinds.SequentialJob.Resource][name]; object != nil {
		w.Object = &v1alpha1.SequentialJob{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, w.Object); err != nil {
			return World{}, fmt.Errorf("read SequentialJob %s: %w", name, err)
		}
	}
	for _, object := range objects[kinds.Job.Resource] {
		if owner := metav1.GetControllerOf(object); owner == nil || owner.Kind != v1alpha1.Kind || owner.Name != name {
			continue
		}
		job := &batchv1.Job{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, job); err != nil {
			return World{}, fmt.Errorf("read Job %s: %w", object.GetName(), err)
		}
		w.Jobs = append(w.Jobs, job)
	}
	if object := objects[kinds.Workspace.Resource][name]; object != nil {
		w.Workspace = &v1alpha1.Workspace{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, w.Workspace); err != nil {
			return World{}, fmt.Errorf("read Workspace %s: %w", name, err)
		}
	}
	return w, nil
}

// Job is the Job of a step of the current object.
func (w World) Job(step string) *batchv1.Job {
	for _, job := range w.Jobs {
		if w.Object != nil && metav1.IsControlledBy(job, w.Object) && StepOf(job) == step {
			return job
		}
	}
	return nil
}

// Running is the step's Job if it has started and may continue.
func (w World) Running(step string) *batchv1.Job {
	job := w.Job(step)
	if job == nil || jobdriver.Ended(job) || job.DeletionTimestamp != nil || job.Status.StartTime == nil || jobdriver.IsSuspended(job) {
		return nil
	}
	return job
}

// HasStopped says whether a Job of the object has been suspended, and has stopped.
func (w World) HasStopped() bool {
	return slices.ContainsFunc(w.Jobs, func(job *batchv1.Job) bool {
		return jobdriver.IsSuspended(job) && jobdriver.Holds(job, batchv1.JobSuspended)
	})
}

// Step is what the object's status says of a step; nil when it says nothing.
func (w World) Step(name string) *v1alpha1.StepStatus {
	if w.Object == nil {
		return nil
	}
	for i := range w.Object.Status.Steps {
		if w.Object.Status.Steps[i].Name == name {
			return &w.Object.Status.Steps[i]
		}
	}
	return nil
}

// StepOf returns the step that a Job belongs to; "" if the Job does not show it.
func StepOf(job *batchv1.Job) string {
	if len(job.Spec.Template.Spec.Containers) == 0 {
		return ""
	}
	return job.Spec.Template.Spec.Containers[0].Name
}
