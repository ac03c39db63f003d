package lesson03

import (
	"slices"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/sample"
)

// leftAlone says nothing about what becomes of an object with startAt: a controller may refuse it, or support it.
func leftAlone(s *scene.Scene) {
	const theirs, retry = "theirs", "retry"
	s.About(func(f *finding.Finding) bool {
		return slices.ContainsFunc(s.Log.Run().Requests, func(r history.Request) bool {
			return slices.Contains(f.Requests, r.ID) && (r.Call.Object.Family() == theirs || r.Call.Object.Family() == retry)
		})
	})
	s.Start()
	s.Create(theirs, sample.ThreeSteps(), func(object *v1alpha1.SequentialJob) { object.Spec.ManagedBy = new("example.com/other") })
	s.Create(retry, sample.ThreeSteps(), func(object *v1alpha1.SequentialJob) { object.Spec.StartAt = new(sample.Build) })
	s.Create(sample.Web, sample.ThreeSteps())
	s.Running(sample.Web, sample.Fetch) // so the events of the others have come too
	for _, restart := range []bool{true, false} {
		s.Settle()
		s.LeftAlone(theirs)
		if job := s.Now(retry).Job(sample.Fetch); job != nil {
			s.Find("SequentialJob %s has spec.startAt: %s, because step %s finished in an earlier run. Your controller created "+
				"Job %s, which runs step %s again.", retry, sample.Build, sample.Fetch, job.Name, sample.Fetch)
		}
		if restart {
			s.Restart()
		}
	}
}
