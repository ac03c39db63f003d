package invariants_test

import "testing"

func TestOneAtATime(t *testing.T) {
	runTests(t, "I1", map[string]test{
		"one after another":                    holds(newStory().runs("build", "test", "deploy")),
		"the next one after a failure":         holds(newStory().fails("build").creates("test")),
		"the next one after the first is gone": holds(newStory().loses("build").creates("test")),
		"the next one while the one before, which has completed, is being deleted": holds(newStory().creates("build").
			shows("web-build", complete).markJob("web-build").creates("test"), "what has finished runs no longer"),
		"the same name again, for another SequentialJob": holds(newStory().creates("build").remove("web").sequence("web", nil).
			creates("build web-build-2"), "the garbage collector has not removed it yet"),
		"another client's Job with the owner reference": holds(newStory().loses("build").
			appears("build").creates("test"), "no controller can keep others from creating Jobs"),
		"another client's Job next to one that runs": holds(newStory().creates("build").appears("test")),
		"two that run": breaks(newStory().creates("build").creates("test"),
			"Job web-test was created while Job web-build had not finished."),
		"three that run": breaks(newStory().creates("build").creates("test").creates("deploy"),

			"Job web-test was created while Job web-build had not finished.",
			"Job web-deploy was created while Job web-build had not finished and Job web-test had not finished.",
		),
		"the next one while the one before is being deleted": breaks(newStory().creates("build").markJob("web-build").
			creates("test"), "Job web-build was being deleted and not gone yet."),
		"the next one when the one before has only announced its end": breaks(newStory().creates("build").
			shows("web-build", criteriaMet).creates("test"), "Job web-build had not finished."),
		"the next one while the one before is suspended": breaks(newStory().creates("build").job("web-build", suspendJob).
			creates("test"), "Job web-build had not finished."),
	})
}
