package scene

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/sample"
)

// User records what a user does.
func (s *Scene) User(format string, args ...any) {
	s.Log.Stimulate("user", fmt.Sprintf(format, args...))
}

// Begin starts the controller, and creates web with three steps.
func (s *Scene) Begin() {
	s.Start()
	s.Create(sample.Web, sample.ThreeSteps())
}

// Create creates a SequentialJob with these steps. Change may change it before.
func (s *Scene) Create(name string, steps []v1alpha1.Step, change ...func(*v1alpha1.SequentialJob)) {
	object := &v1alpha1.SequentialJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: name},
		Spec:       v1alpha1.SequentialJobSpec{Steps: steps},
	}
	for _, one := range change {
		one(object)
	}
	s.User("creates %s", name)
	s.Must(s.Client.Create(s.Context(), object))
}

// Underway creates a SequentialJob with these steps, and waits until the first one runs, and the status shows it from lesson 4
// on. It returns the step's Job.
func (s *Scene) Underway(name string, steps ...string) *batchv1.Job {
	s.Create(name, sample.Steps(steps...))
	job := s.Running(name, steps[0])
	if s.reports {
		s.StepIs(name, steps[0], v1alpha1.StepRunning)
	}
	return job
}

// Change changes the spec of a SequentialJob.
func (s *Scene) Change(name, what string, change func(*v1alpha1.SequentialJobSpec)) {
	current := &v1alpha1.SequentialJob{}
	s.Must(s.Client.Get(s.Context(), client.ObjectKey{Namespace: s.Namespace, Name: name}, current))
	changed := current.DeepCopy()
	change(&changed.Spec)
	s.User("%s", what)
	s.Must(s.Client.Patch(s.Context(), changed, client.MergeFrom(current)))
}

// Suspend sets suspend of a SequentialJob.
func (s *Scene) Suspend(name string) {
	s.Change(name, "suspends "+name, func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = new(true) })
}

// Resume unsets suspend of a SequentialJob.
func (s *Scene) Resume(name string) {
	s.Change(name, "resumes "+name, func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = new(false) })
}

// Limit sets activeDeadlineSeconds of a SequentialJob.
func (s *Scene) Limit(name string, seconds int64) {
	what := fmt.Sprintf("sets activeDeadlineSeconds of %s to %d", name, seconds)
	s.Change(name, what, func(spec *v1alpha1.SequentialJobSpec) { spec.ActiveDeadlineSeconds = &seconds })
}

// Unlimit removes activeDeadlineSeconds of a SequentialJob.
func (s *Scene) Unlimit(name string) {
	s.Change(name, "removes activeDeadlineSeconds of "+name, func(spec *v1alpha1.SequentialJobSpec) { spec.ActiveDeadlineSeconds = nil })
}

// Delete deletes a SequentialJob.
func (s *Scene) Delete(name string, policy metav1.DeletionPropagation) {
	s.User("deletes %s (%s)", name, policy)
	object := &v1alpha1.SequentialJob{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: name}}
	s.Must(s.Client.Delete(s.Context(), object, client.PropagationPolicy(policy)))
}

// Keep has a user set how long an object is kept after its end; nil for no limit.
func (s *Scene) Keep(name string, seconds *int32) {
	what := "removes ttlSecondsAfterFinished of " + name
	if seconds != nil {
		what = fmt.Sprintf("sets ttlSecondsAfterFinished of %s to %d", name, *seconds)
	}
	s.Change(name, what, func(spec *v1alpha1.SequentialJobSpec) { spec.TTLSecondsAfterFinished = seconds })
}
