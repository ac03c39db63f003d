package scene

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/stage"
)

// LeftAlone checks that the controller has not touched a SequentialJob that belongs to another controller.
func (s *Scene) LeftAlone(name string) {
	now := s.Now(name)
	theirs := *now.Object.Spec.ManagedBy
	s.NothingOf(now, "has spec.managedBy: "+theirs+", so another controller runs it")
	writes := s.Requests(func(r history.Request) bool {
		return r.Write() && r.Object.Name == name && r.UID == string(now.Object.UID)
	})
	if len(writes) > 0 {
		s.FindRequests(writes, "SequentialJob %s has spec.managedBy: %s, so another controller runs it. Your controller wrote to it (%s %s).",
			name, theirs, writes[0].Call.Verb, writes[0].Call.Resource)
	}
}

// NothingOf checks that a SequentialJob controls no Jobs, and says why it must not.
func (s *Scene) NothingOf(now stage.World, why string) {
	now.Jobs = slices.DeleteFunc(slices.Clone(now.Jobs), func(job *batchv1.Job) bool {
		return !metav1.IsControlledBy(job, now.Object) || isAmong(job, s.around.theirs)
	})
	if len(now.Jobs) > 0 {
		s.Find("SequentialJob %s %s. Your controller created Jobs for it: %s.", now.Object.Name, why, JobsOf(now))
	}
}
