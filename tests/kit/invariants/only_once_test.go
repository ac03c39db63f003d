package invariants_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/tests/kit/history"
)

func TestOnlyOnce(t *testing.T) {
	runTests(t, "I3", map[string]test{
		"each step once": holds(newStory().runs("build", "test", "deploy")),
		"the same step of another SequentialJob of that name": holds(newStory().runs("build").removeJob("web-build").
			remove("web").sequence("web", nil).runs("build")),
		"a second attempt, answered AlreadyExists": holds(newStory().creates("build").
			asks(request("create", "jobs", "web/build", 409))),
		"a dry run": holds(newStory().asks(request("create", "jobs", "web/build", 201)).
			lastRequest(func(r *history.Request) { r.UID = "made-up" }).creates("build"), "it creates nothing"),
		"applied again":              holds(newStory().creates("build").touches("patch", "jobs", "web/build")),
		"replaced by another client": holds(newStory().loses("build").appears("build")),
		"two names":                  breaks(newStory().creates("build web-build-x7k2p").creates("build web-build-9c4tq"), "Job web-build-9c4tq"),
		"two, of which the first had completed": breaks(newStory().runs("build").creates("build web-build-2"),
			"which already had Job web-build"),
		"the same name again, after the first was deleted": breaks(newStory().loses("build").
			creates("build"), "Job web-build (UID"),
		"again, after the controller deleted the first": breaks(newStory().creates("build").
			touches("delete", "jobs", "web/build").removeJob("web-build").creates("build web-build-2"),
			"The controller had deleted web-build itself."),
		"a second one whose response was lost": breaks(newStory().creates("build web-build-1").
			lastRequest(func(r *history.Request) { r.Returned, r.Answered = 0, 0 }).creates("build web-build-2"), "Job web-build-2"),
		"a second one without controller: true": breaks(newStory().creates("build web-build-1").
			creates("build web-build-2", func(job *batchv1.Job) { job.OwnerReferences[0].Controller = nil }), "Job web-build-2"),
		"a second one that names another owner first": breaks(newStory().creates("build web-build-1").
			creates("build web-build-2", func(job *batchv1.Job) {
				other := job.OwnerReferences[0]
				other.Kind, other.APIVersion, other.UID, other.Controller = "Pod", "v1", types.UID("pod"), nil
				job.OwnerReferences = append(job.OwnerReferences, other)
				job.OwnerReferences[0], job.OwnerReferences[1] = job.OwnerReferences[1], job.OwnerReferences[0]
			}), "Job web-build-2"),
	})
}
