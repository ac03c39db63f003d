package invariants_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/tests/kit/history"
)

func TestOnlyOnce(t *testing.T) {
	runTests(t, "I3", map[string]test{
		"each step once": {
			story: newStory().runs("build", "test", "deploy"),
		},
		"the same step of another SequentialJob of that name": {
			story: newStory().runs("build").removeJob("web-build").remove("web").sequence("web", nil).runs("build"),
		},
		"a second attempt, answered AlreadyExists": {
			story: newStory().creates("build").asks(history.Request{Call: call("create", "jobs", "web/build"), Code: 409, Reason: "AlreadyExists"}),
		},
		"a trial, with dry run": {
			story:  newStory().asks(history.Request{Call: call("create", "jobs", "web/build"), Code: 201, UID: "made-up"}).creates("build"),
			reason: "it creates nothing",
		},
		"applied again": {
			story: func() *story {
				s := newStory().creates("build")
				job := s.jobs["web-build"]
				return s.asks(history.Request{Call: call("patch", "jobs", "web/build"), Code: 200, UID: string(job.UID), ResourceVersion: s.version})
			}(),
		},
		"replaced by somebody else": {
			story: func() *story {
				s := newStory().creates("build").removeJob("web-build")
				s.appears("build")
				return s
			}(),
		},
		"two names": {
			story: newStory().creates("build web-build-x7k2p").creates("build web-build-9c4tq"),
			want:  []string{"Job web-build-9c4tq"},
		},
		"two, of which the first had completed": {
			story: newStory().runs("build").creates("build web-build-2"),
			want:  []string{"which had had Job web-build"},
		},
		"the same name again, after the first was deleted": {
			story: newStory().creates("build").removeJob("web-build").creates("build"),
			want:  []string{"Job web-build (UID"},
		},
		"a second one whose answer was lost": {
			story: newStory().creates("build web-build-1").lastRequest(func(r *history.Request) { r.Told, r.Answered = 0, 0 }).creates("build web-build-2"),
			want:  []string{"Job web-build-2"},
		},
		"a second one without controller: true": {
			story: newStory().creates("build web-build-1").creates("build web-build-2", func(job *batchv1.Job) { job.OwnerReferences[0].Controller = nil }),
			want:  []string{"Job web-build-2"},
		},
		"a second one that names another owner first": {
			story: newStory().creates("build web-build-1").creates("build web-build-2", func(job *batchv1.Job) {
				other := job.OwnerReferences[0]
				other.Kind, other.APIVersion, other.UID, other.Controller = "Pod", "v1", types.UID("pod"), nil
				job.OwnerReferences = append(job.OwnerReferences, other)
				job.OwnerReferences[0], job.OwnerReferences[1] = job.OwnerReferences[1], job.OwnerReferences[0]
			}),
			want: []string{"Job web-build-2"},
		},
	})
}
