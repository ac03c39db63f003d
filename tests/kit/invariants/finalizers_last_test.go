package invariants_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"

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
		received, before := s.tick(), s.lastVersion("web")
		s.remove("web")
		return s.answer(history.Request{
			Call: call("update", "sequentialjobs", "web"), UID: string(s.objects["web"].UID), Received: received, Code: 200, ResourceVersion: before,
		})
	}
	// The controller leaves one finalizer, so that the object stays.
	freesAllBut := func(s *story, finalizer string) *story {
		received := s.tick()
		s.write("web", func(o *v1alpha1.SequentialJob) { o.Finalizers = []string{finalizer} })
		return s.answer(history.Request{
			Call: call("patch", "sequentialjobs", "web"), UID: string(s.objects["web"].UID), Received: received, Code: 200, ResourceVersion: s.version,
		})
	}

	const ours = "example.com/ours"
	runTests(t, "I5", map[string]test{
		"when nothing is left": {
			story: frees(held(ours).creates("build").mark("web").removeJob("web-build")),
		},
		"when what is left has finished": {
			story: frees(held(ours).runs("build").mark("web")),
		},
		"by a user": {
			story:  held(ours).creates("build").mark("web").remove("web"),
			reason: "kubectl patch can do that",
		},
		"Kubernetes' own": {
			story:  frees(held("foregroundDeletion", "orphan").creates("build").mark("web")),
			reason: "they guard what the garbage collector sees to",
		},
		"none": {
			story: frees(held().creates("build").remove("web")),
		},
		"while it is not being deleted": {
			story:  freesAllBut(held(ours, "example.com/other").creates("build"), "example.com/other"),
			reason: "it may not be needed any more",
		},
		"while a creation of a process that has ended was on its way": {
			story: func() *story {
				s := held(ours).mark("web")
				s.creates("build").crash().start()
				s.run.Requests[0].Committed = s.tick()
				return frees(s)
			}(),
			reason: "no look at what is there can find it",
		},
		"before such a creation commits": {
			story: func() *story {
				s := held(ours).mark("web")
				sent := s.tick()
				s.crash().start()
				frees(s)
				return s.creates("build").lastRequest(func(r *history.Request) { r.Received, r.Instance = sent, 1 })
			}(),
		},
		"while a Job runs": {
			story: frees(held(ours).creates("build").mark("web")),
			want:  []string{"while its Job web-build had not finished"},
		},
		"while a Job is being deleted": {
			story: frees(held(ours).creates("build").mark("web").markJob("web-build")),
			want:  []string{"while its Job web-build was being deleted"},
		},
		"one of two while a Job runs": {
			story: freesAllBut(held(ours, "example.com/other").creates("build").mark("web"), "example.com/other"),
			want:  []string{"The finalizer example.com/ours was removed"},
		},
		"while the second of two Jobs runs": {
			story: frees(held(ours).creates("build").shows("web-build", batchv1.JobComplete).creates("test").mark("web")),
			want:  []string{"while its Job web-test had not finished"},
		},
		"before a Job is created": {
			story: frees(held(ours).mark("web")).creates("build"),
			want:  []string{"Job web-build was created after the finalizer"},
		},
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
