package invariants_test

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"

	"example.com/controller-course/tests/kit/history"
)

func TestOwned(t *testing.T) {
	orphan := func(job *batchv1.Job) { job.OwnerReferences = nil }
	missing := request("get", "sequentialjobs", "web", 404)
	deliversMark := func(s *story) *story { return s.mark("web").delivers(s.objects["web"]) }
	deliversBuild := func(s *story) *story { return s.shows("web-build", complete).delivers(s.jobs["web-build"]) }

	runTests(t, "I4", map[string]test{
		"controlled": holds(newStory().runs("build", "test")),
		"released by the garbage collector, which the user's --cascade=orphan asked for": holds(newStory().creates("build").
			job("web-build", orphan)),
		"marked for deletion, without an event": holds(newStory().runs("build").mark("web").creates("test"),
			"no controller can exclude that"),
		"gone, without an event": holds(newStory().runs("build").remove("web").creates("test")),
		"marked, known from a watch at the last moment": holds(deliversMark(newStory().runs("build")).creates("test"),
			"the event may have crossed the request"),
		"marked, in the queue of a watch that is held": holds(func() *story {
			s := deliversMark(newStory().creates("build"))
			s.run.Frames[0].Delivered = 0
			return deliversBuild(s).creates("test")
		}()),
		"marked, held back together with the event after it": holds(func() *story {
			s := deliversBuild(deliversMark(newStory().creates("build")))
			marked, behind := &s.run.Frames[len(s.run.Frames)-2], &s.run.Frames[len(s.run.Frames)-1]
			released := s.tick()
			marked.Delivered, behind.Delivered = released, released+1
			return s.creates("test")
		}(), "the request may have crossed both"),
		"marked, then an event of another object": holds(func() *story {
			s := deliversMark(newStory().runs("build"))
			return s.sequence("other", nil).delivers(s.objects["other"]).creates("test")
		}()),
		"marked, known to a process that has ended since": holds(deliversBuild(deliversMark(newStory().creates("build"))).
			crash().start().creates("test"), "its successor's watch lags"),
		"marked, while a request was on the way": holds(func() *story {
			s := newStory().runs("build")
			sent := s.tick()
			deliversBuild(deliversMark(s))
			return s.creates("test").lastRequest(func(r *history.Request) { r.Received = sent })
		}()),
		"marked, in a response that was lost": holds(newStory().runs("build").mark("web").reads().
			lastRequest(func(r *history.Request) { r.Returned = 0 }).creates("test")),
		"marked, in a response that came later": holds(newStory().runs("build").mark("web").reads().
			lastRequest(func(r *history.Request) { r.Answered += time.Minute }).creates("test")),
		"marked, in a response to a process that has ended since": holds(newStory().runs("build").mark("web").reads().
			crash().start().creates("test")),
		"NotFound, before it was there": holds(func() *story {
			s := newStory().asks(missing)
			s.run.Requests[0].Received = 1
			return s.runs("build").remove("web").creates("test")
		}()),
		"a conflict": holds(newStory().runs("build").mark("web").
			asks(request("update", "sequentialjobs/status", "web", 409)).creates("test"),
			"it says that something has changed, not what"),

		"no owner": breaks(newStory().creates("build", orphan), "it has no metadata.ownerReferences"),
		"no controller": breaks(newStory().
			creates("build", func(job *batchv1.Job) { job.OwnerReferences[0].Controller = new(false) }),
			"does not say controller: true"),
		"another kind": breaks(newStory().creates("build", func(job *batchv1.Job) { job.OwnerReferences[0].Kind = "CronJob" }),
			"kind CronJob"),
		"without the API group": breaks(newStory().creates("build", func(job *batchv1.Job) { job.OwnerReferences[0].APIVersion = "v1alpha1" }),
			"names apiVersion v1alpha1, kind SequentialJob"),
		"another's UID": breaks(newStory().creates("build", func(job *batchv1.Job) { job.OwnerReferences[0].UID = "nobody" }),
			"no SequentialJob had that name and UID"),
		"another's name": breaks(newStory().creates("build", func(job *batchv1.Job) { job.OwnerReferences[0].Name = "other" }),
			"no SequentialJob had that name and UID"),
		"released by the controller": breaks(newStory().creates("build").patchesJob("web/build", orphan),
			"took Job web-build from SequentialJob web"),
		"marked, known from a response to a read": breaks(newStory().runs("build").mark("web").reads().creates("test"),
			"knew this from the response to get sequentialjobs web"),
		"marked, known from the response to a write": breaks(newStory().runs("build").mark("web").says("build Succeeded").
			creates("test"), "knew this from the response to update sequentialjobs/status web"),
		"gone, known from a response": breaks(newStory().runs("build").remove("web").asks(missing).creates("test"),
			"knew this from the response to get"),
		"deleted by the controller": breaks(newStory().runs("build").remove("web").touches("delete", "sequentialjobs", "web").creates("test"),
			"knew this from the response to delete"),
		"marked, known from a watch, then another event": breaks(deliversBuild(deliversMark(newStory().creates("build"))).creates("test"),
			"knew this from its watch"),
	})
}
