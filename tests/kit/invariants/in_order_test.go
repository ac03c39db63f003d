package invariants_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestInOrder(t *testing.T) {
	notBuild := func(job *batchv1.Job) { job.Spec.Template.Spec.Containers[0].Name = "main" }
	runTests(t, "I2", map[string]test{
		"one after another": holds(newStory().runs("build", "test", "deploy")),
		"the one before was tidied away": holds(newStory().runs("build").removeJob("web-build").creates("test"),
			"the history shows that it completed"),
		"the one before failed, and may": holds(mayFail("build").fails("build").creates("test")),
		"the one before vanished, and may fail": holds(mayFail("build").loses("build").
			says("build Failed").creates("test"), "the status recorded it as failed"),
		"the one before was refused, and may fail": holds(mayFail("build").
			asks(request("create", "jobs", "web/build", 422)).says("build Failed").creates("test")),
		"a start in the middle": holds(startAt("test").runs("test", "deploy")),
		"another client's Job completed the step": holds(newStory().appears("build").
			shows("web-build", complete).creates("test"), "it looks like the step's Job"),
		"too early, by another client": holds(newStory().appears("deploy")),
		"the one before runs": breaks(newStory().creates("build").creates("test"),
			"Job web-build of step \"build\" before it had not finished"),
		"the one before has only met its success criteria": breaks(newStory().creates("build").shows("web-build", criteriaMet).
			creates("test"), "was not Complete, only SuccessCriteriaMet"),
		"the one before completed later": breaks(newStory().creates("build").creates("test").shows("web-build", complete),
			"had not finished"),
		"the one before failed": breaks(newStory().fails("build").creates("test"), "its onFailure is not Continue"),
		"the one before failed, and the status says that it succeeded": breaks(newStory().fails("build").says("build Succeeded").
			creates("test"), "its onFailure is not Continue"),
		"the one before vanished": breaks(newStory().loses("build").says("build Failed").creates("test"),
			"Job web-build of step \"build\" before it had been deleted without having finished"),
		"the one before vanished, and may fail, which the status says too late": breaks(mayFail("build").loses("build").
			creates("test").says("build Failed"), "had been deleted without having finished"),
		"one left out":        breaks(newStory().runs("build").creates("deploy"), "step \"test\" before it had no Job"),
		"the other way round": breaks(newStory().runs("test").creates("build"), "step \"build\" before it had no Job"),
		"before startAt":      breaks(startAt("test").creates("build"), "is before startAt"),
		"no step at all":      breaks(newStory().creates("build", notBuild), "\"main\", is not in spec.steps of web"),
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

// begin starts the history again with web as it is now.
func (s *story) begin() *story {
	s.run.Changes = nil
	return s.change("ADDED", "sequentialjobs", s.objects["web"])
}
