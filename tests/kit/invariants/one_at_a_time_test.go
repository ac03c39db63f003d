package invariants_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
)

func TestOneAtATime(t *testing.T) {
	runTests(t, "I1", map[string]test{
		"one after another": {
			story: newStory().runs("build", "test", "deploy"),
		},
		"the next one after a failure": {
			story: newStory().creates("build").shows("web-build", batchv1.JobFailed).creates("test"),
		},
		"the next one after the first is gone": {
			story: newStory().creates("build").removeJob("web-build").creates("test"),
		},
		"the next one while the one before, which has completed, is being deleted": {
			story:  newStory().creates("build").shows("web-build", batchv1.JobComplete).markJob("web-build").creates("test"),
			reason: "what has finished runs no longer",
		},
		"the same name again, for another SequentialJob": {
			story:  newStory().creates("build").remove("web").sequence("web", nil).creates("build web-build-2"),
			reason: "the garbage collector has not come by yet",
		},
		"somebody else's Job with the owner reference": {
			story: func() *story {
				s := newStory().creates("build").removeJob("web-build")
				s.appears("build")
				return s.creates("test")
			}(),
			reason: "no controller can keep others from creating Jobs",
		},
		"somebody else's Job beside one that runs": {
			story: func() *story {
				s := newStory().creates("build")
				s.appears("test")
				return s
			}(),
		},
		"two that run": {
			story: newStory().creates("build").creates("test"),
			want:  []string{"Job web-test was created while Job web-build had not finished."},
		},
		"three that run": {
			story: newStory().creates("build").creates("test").creates("deploy"),
			want: []string{
				"Job web-test was created while Job web-build had not finished.",
				"Job web-deploy was created while Job web-build had not finished and Job web-test had not finished.",
			},
		},
		"the next one while the one before is being deleted": {
			story: newStory().creates("build").markJob("web-build").creates("test"),
			want:  []string{"Job web-build was being deleted and not gone yet."},
		},
		"the next one when the one before has only announced its end": {
			story: newStory().creates("build").shows("web-build", batchv1.JobSuccessCriteriaMet).creates("test"),
			want:  []string{"Job web-build had not finished."},
		},
		"the next one while the one before is suspended": {
			story: newStory().creates("build").job("web-build", suspendJob).creates("test"),
			want:  []string{"Job web-build had not finished."},
		},
	})
}
