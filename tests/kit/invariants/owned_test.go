package invariants_test

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"

	"example.com/controller-course/tests/kit/history"
)

func TestOwned(t *testing.T) {
	// The controller's patch of web-build, by which it has the change that came last.
	patches := func(s *story) *story {
		received := s.now()
		s.job("web-build", func(job *batchv1.Job) { job.OwnerReferences = nil })
		return s.answer(history.Request{Call: call("patch", "jobs", "web/build"), UID: string(s.jobs["web-build"].UID), Received: received, Code: 200, ResourceVersion: s.version})
	}
	get := func(s *story, code int) *story {
		request := history.Request{Call: call("get", "sequentialjobs", "web"), Code: code}
		if code == 200 {
			request.UID, request.ResourceVersion = string(s.objects["web"].UID), s.version
		}
		return s.asks(request)
	}
	tellsOfMark := func(s *story) *story { return s.mark("web").tells(s.objects["web"]) }
	tellsOfBuild := func(s *story) *story {
		return s.shows("web-build", batchv1.JobComplete).tells(s.jobs["web-build"])
	}

	runTests(t, "I4", map[string]test{
		"controlled": {
			story: newStory().runs("build", "test"),
		},
		"released by the garbage collector, which the user's --cascade=orphan asked for": {
			story: newStory().creates("build").job("web-build", func(job *batchv1.Job) { job.OwnerReferences = nil }),
		},
		"marked for deletion, and not told": {
			story:  newStory().runs("build").mark("web").creates("test"),
			reason: "no controller can exclude that",
		},
		"gone, and not told": {
			story: newStory().runs("build").remove("web").creates("test"),
		},
		"marked, told by a watch at the last moment": {
			story:  tellsOfMark(newStory().runs("build")).creates("test"),
			reason: "the event may have crossed the request",
		},
		"marked, told by a watch that is held": {
			story: func() *story {
				s := tellsOfMark(newStory().creates("build"))
				s.run.Frames[0].Delivered = 0
				return tellsOfBuild(s).creates("test")
			}(),
		},
		"marked, told of another object since": {
			story: func() *story {
				s := tellsOfMark(newStory().runs("build"))
				return s.sequence("other", nil).tells(s.objects["other"]).creates("test")
			}(),
		},
		"marked, told to a process that has ended since": {
			story: func() *story {
				s := tellsOfMark(newStory().creates("build"))
				return tellsOfBuild(s).crash().start().creates("test")
			}(),
			reason: "its successor's watch is behind",
		},
		"marked, while a request was on the way": {
			story: func() *story {
				s := newStory().runs("build")
				sent := s.tick()
				tellsOfBuild(tellsOfMark(s))
				return s.creates("test").lastRequest(func(r *history.Request) { r.Received = sent })
			}(),
		},
		"marked, told by an answer that was lost": {
			story: get(newStory().runs("build").mark("web"), 200).lastRequest(func(r *history.Request) { r.Told = 0 }).creates("test"),
		},
		"marked, told by an answer that came later": {
			story: get(newStory().runs("build").mark("web"), 200).lastRequest(func(r *history.Request) { r.Answered += time.Minute }).creates("test"),
		},
		"marked, told by an answer to a process that has ended since": {
			story: get(newStory().runs("build").mark("web"), 200).crash().start().creates("test"),
		},
		"NotFound, before it was there": {
			story: func() *story {
				s := get(newStory(), 404)
				s.run.Requests[0].Received = 1
				return s.runs("build").remove("web").creates("test")
			}(),
		},
		"a conflict": {
			story: newStory().runs("build").mark("web").
				asks(history.Request{Call: call("update", "sequentialjobs/status", "web"), Code: 409, Reason: "Conflict"}).creates("test"),
			reason: "it says that something has changed, not what",
		},

		"no owner": {
			story: newStory().creates("build", func(job *batchv1.Job) { job.OwnerReferences = nil }),
			want:  []string{"without an owner reference"},
		},
		"no controller": {
			story: newStory().creates("build", func(job *batchv1.Job) { job.OwnerReferences[0].Controller = new(false) }),
			want:  []string{"without an owner reference"},
		},
		"another kind": {
			story: newStory().creates("build", func(job *batchv1.Job) { job.OwnerReferences[0].Kind = "CronJob" }),
			want:  []string{"without an owner reference"},
		},
		"another's UID": {
			story: newStory().creates("build", func(job *batchv1.Job) { job.OwnerReferences[0].UID = "nobody" }),
			want:  []string{"there was none"},
		},
		"another's name": {
			story: newStory().creates("build", func(job *batchv1.Job) { job.OwnerReferences[0].Name = "other" }),
			want:  []string{"there was none"},
		},
		"released by the controller": {
			story: patches(newStory().creates("build")),
			want:  []string{"took Job web-build from SequentialJob web"},
		},
		"marked, told by an answer": {
			story: get(newStory().runs("build").mark("web"), 200).creates("test"),
			want:  []string{"told so by the answer to get sequentialjobs web"},
		},
		"marked, told by the answer to a write": {
			story: newStory().runs("build").mark("web").says("build Succeeded").creates("test"),
			want:  []string{"told so by the answer to update sequentialjobs/status web"},
		},
		"gone, told by an answer": {
			story: get(newStory().runs("build").remove("web"), 404).creates("test"),
			want:  []string{"told so by the answer to get"},
		},
		"deleted by the controller": {
			story: func() *story {
				s := newStory().runs("build").remove("web")
				return s.asks(history.Request{Call: call("delete", "sequentialjobs", "web"), UID: string(s.objects["web"].UID), Code: 200}).creates("test")
			}(),
			want: []string{"told so by the answer to delete"},
		},
		"marked, told by a watch, then told more": {
			story: tellsOfBuild(tellsOfMark(newStory().creates("build"))).creates("test"),
			want:  []string{"told so by its watch"},
		},
	})
}
