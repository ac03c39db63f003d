package invariants_test

import (
	"testing"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
)

func TestFinalizersLast(t *testing.T) {
	held := func(finalizers ...string) *story {
		s := newStory()
		s.objects["web"].Finalizers = finalizers
		return s.begin()
	}
	// The controller takes the last finalizer away, upon which the object is gone.
	frees := func(s *story) *story {
		before := s.lastVersion("web")
		return s.writes("update", "sequentialjobs", "web", 200, func() { s.remove("web") }).
			lastRequest(func(r *history.Request) { r.ResourceVersion = before })
	}
	// The controller leaves one finalizer, so that the object stays.
	freesAllBut := func(s *story, finalizer string) *story {
		return s.patches(func(o *v1alpha1.SequentialJob) { o.Finalizers = []string{finalizer} })
	}

	const ours, other = "example.com/ours", "example.com/other"
	runTests(t, "I5", map[string]test{
		"when nothing is left":           holds(frees(held(ours).creates("build").mark("web").removeJob("web-build"))),
		"when what is left has finished": holds(frees(held(ours).runs("build").mark("web"))),
		"by a user":                      holds(held(ours).creates("build").mark("web").remove("web"), "kubectl patch can do that"),
		"Kubernetes' own": holds(frees(held("foregroundDeletion", "orphan").creates("build").mark("web")),
			"they guard what the garbage collector sees to"),
		"none": holds(frees(held().creates("build").remove("web"))),
		"while it is not being deleted": holds(freesAllBut(held(ours, other).creates("build"), other),
			"it may not be needed any more"),
		"while a creation of a process that has ended was on its way": holds(func() *story {
			s := held(ours).mark("web")
			s.creates("build").crash().start()
			s.run.Requests[0].Committed = s.tick()
			return frees(s)
		}(), "no look at what is there can find it"),
		"before such a creation commits": holds(func() *story {
			s := held(ours).mark("web")
			sent := s.tick()
			s.crash().start()
			frees(s)
			return s.creates("build").lastRequest(func(r *history.Request) { r.Received, r.Instance = sent, 1 })
		}()),
		"while a Job runs": breaks(frees(held(ours).creates("build").mark("web")), "while its Job web-build had not finished"),
		"while a Job is being deleted": breaks(frees(held(ours).creates("build").mark("web").markJob("web-build")),
			"while its Job web-build was being deleted"),
		"one of two while a Job runs": breaks(freesAllBut(held(ours, other).creates("build").mark("web"), other),
			"The finalizer example.com/ours was removed"),
		"while the second of two Jobs runs": breaks(frees(held(ours).creates("build").shows("web-build", complete).creates("test").mark("web")),
			"while its Job web-test had not finished"),
		"before a Job is created": breaks(frees(held(ours).mark("web")).creates("build"),
			"Job web-build was created after the finalizer"),
	})
}

// lastVersion is the resourceVersion that a SequentialJob has.
func (s *story) lastVersion(name string) uint64 {
	for i := len(s.run.Changes) - 1; ; i-- {
		if change := s.run.Changes[i]; change.Resource == "sequentialjobs" && change.Object.GetName() == name {
			return change.ResourceVersion
		}
	}
}
