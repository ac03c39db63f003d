package invariants_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
)

func TestInOrder(t *testing.T) {
	notBuild := func(job *batchv1.Job) { job.Spec.Template.Spec.Containers[0].Name = "main" }
	runTests(t, "I2", map[string]test{
		"one after another": {
			story: newStory().runs("build", "test", "deploy"),
		},
		"the one before was tidied away": {
			story:  newStory().runs("build").removeJob("web-build").creates("test"),
			reason: "that it completed stands in the history",
		},
		"the one before failed, and may": {
			story: mayFail("build").creates("build").shows("web-build", batchv1.JobFailed).creates("test"),
		},
		"the one before vanished, and may fail": {
			story:  mayFail("build").creates("build").removeJob("web-build").says("build Failed").creates("test"),
			reason: "the status recorded it as failed",
		},
		"the one before was refused, and may fail": {
			story: mayFail("build").asks(history.Request{Call: call("create", "jobs", "web/build"), Code: 422}).says("build Failed").creates("test"),
		},
		"a start in the middle": {
			story: startAt("test").runs("test", "deploy"),
		},
		"somebody else completed the step in the controller's place": {
			story: func() *story {
				s := newStory()
				s.appears("build")
				return s.shows("web-build", batchv1.JobComplete).creates("test")
			}(),
			reason: "it looks like the step's Job",
		},
		"too early, by somebody else": {
			story: func() *story {
				s := newStory()
				s.appears("deploy")
				return s
			}(),
		},
		"the one before runs": {
			story: newStory().creates("build").creates("test"),
			want:  []string{"Job web-build of step \"build\" before it had not finished"},
		},
		"the one before has only met its success criteria": {
			story: newStory().creates("build").shows("web-build", batchv1.JobSuccessCriteriaMet).creates("test"),
			want:  []string{"not Complete yet, only SuccessCriteriaMet"},
		},
		"the one before completed later": {
			story: newStory().creates("build").creates("test").shows("web-build", batchv1.JobComplete),
			want:  []string{"had not finished"},
		},
		"the one before failed": {
			story: newStory().creates("build").shows("web-build", batchv1.JobFailed).creates("test"),
			want:  []string{"its onFailure is not Continue"},
		},
		"the one before failed, and the status says that it succeeded": {
			story: newStory().creates("build").shows("web-build", batchv1.JobFailed).says("build Succeeded").creates("test"),
			want:  []string{"its onFailure is not Continue"},
		},
		"the one before vanished": {
			story: newStory().creates("build").removeJob("web-build").says("build Failed").creates("test"),
			want:  []string{"Job web-build of step \"build\" before it had been deleted without having finished"},
		},
		"the one before vanished, and may fail, which the status says too late": {
			story: mayFail("build").creates("build").removeJob("web-build").creates("test").says("build Failed"),
			want:  []string{"had been deleted without having finished"},
		},
		"one left out": {
			story: newStory().runs("build").creates("deploy"),
			want:  []string{"step \"test\" before it had had no Job"},
		},
		"the other way round": {
			story: newStory().runs("test").creates("build"),
			want:  []string{"step \"build\" before it had had no Job"},
		},
		"before startAt": {
			story: startAt("test").creates("build"),
			want:  []string{"lies before startAt"},
		},
		"no step at all": {
			story: newStory().creates("build", notBuild),
			want:  []string{"\"main\", is not in spec.steps of web"},
		},
	})
}

func mayFail(step string) *story {
	s := newStory()
	for i := range s.objects["web"].Spec.Steps {
		if entry := &s.objects["web"].Spec.Steps[i]; entry.Name == step {
			entry.OnFailure = v1alpha1.FailurePolicyContinue
		}
	}
	return s.begin()
}

func startAt(step string) *story {
	s := newStory()
	s.objects["web"].Spec.StartAt = new(step)
	return s.begin()
}

// begin tells web's beginning anew, as it is now.
func (s *story) begin() *story {
	s.run.Changes = nil
	return s.change("ADDED", "sequentialjobs", s.objects["web"])
}
