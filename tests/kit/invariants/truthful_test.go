package invariants_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func suspendJob(job *batchv1.Job) { job.Spec.Suspend = new(true) }

func TestTruthfulAboutSteps(t *testing.T) {
	deadline := func(s *story) *story {
		return s.edit(func(spec *v1alpha1.SequentialJobSpec) { spec.ActiveDeadlineSeconds = new(int64(60)) })
	}
	refused := func(s *story, code int) *story { return s.asks(request("create", "jobs", "web/build", code)) }
	forget := func(status *v1alpha1.SequentialJobStatus) { status.Steps = nil }

	runTests(t, "I6", map[string]test{
		"every step on its way": holds(newStory().says("build Pending", "test Pending").creates("build").says("build Running").
			shows("web-build", complete).says("build Succeeded").runs("test").says("test Succeeded"),
			"what lasted too short to be seen is passed over"),
		"an empty status": holds(newStory().runs("build", "test", "deploy").status(func(*v1alpha1.SequentialJobStatus) {})),
		"Pending entries come and go": holds(newStory().says("build Pending", "test Pending").status(forget),
			"Pending claims nothing"),
		"Running when the Job is gone already":   holds(newStory().loses("build").says("build Running")),
		"Succeeded when the Job was tidied away": holds(newStory().runs("build").removeJob("web-build").says("build Succeeded")),
		"Failed with its Job":                    holds(newStory().fails("build").says("build Failed")),
		"Failed because its Job vanished":        holds(newStory().loses("build").says("build Failed")),
		"Failed because its Job is going":        holds(newStory().creates("build").markJob("web-build").says("build Failed")),
		"Failed because it was refused":          holds(refused(newStory(), 422).says("build Failed")),
		"Failed because of the deadline":         holds(deadline(newStory()).creates("build").says("build Failed")),
		"Failed, the deadline since taken": holds(deadline(newStory()).
			edit(func(spec *v1alpha1.SequentialJobSpec) { spec.ActiveDeadlineSeconds = nil }).says("build Failed")),
		"Failed because its Job was released": holds(newStory().creates("build").
			job("web-build", func(job *batchv1.Job) { job.OwnerReferences = nil }).says("build Failed")),
		"Failed because its Job completed and was tidied away before that was seen": holds(newStory().runs("build").
			removeJob("web-build").says("build Failed")),
		"Skipped before startAt": holds(startAt("deploy").says("build Skipped", "test Skipped")),
		"Skipped after a failure, in the same write": holds(newStory().fails("build").
			says("test Skipped", "deploy Skipped", "build Failed")),
		"Skipped after a failure that only the condition shows": holds(newStory().fails("build").
			says("Succeeded=False").says("test Skipped")),
		"Skipped at the deadline": holds(deadline(newStory()).says("build Skipped", "Succeeded=False")),
		"said by what it came with": holds(func() *story {
			s := newStory()
			say(&s.objects["web"].Status, "build Succeeded")
			return s.begin().says("test Pending")
		}(), "that is from before the run"),
		"said by the controller that manages it": holds(func() *story {
			s := newStory()
			s.objects["web"].Spec.ManagedBy = new("example.com/another")
			return s.begin().says("build Running")
		}(), "its Jobs are elsewhere"),

		"Running without a Job": breaks(newStory().says("build Running").creates("build"),
			"step \"build\" is Running, but no Job of it had been there"),
		"Running by another SequentialJob's Job": breaks(newStory().creates("build").remove("web").sequence("web", nil).
			says("build Running"), "no Job of it had been there"),
		"Succeeded when success was only announced": breaks(newStory().creates("build").shows("web-build", criteriaMet).
			says("build Succeeded"), "no Job of it had shown Complete"),
		"Succeeded too early": breaks(newStory().creates("build").says("build Succeeded").shows("web-build", complete),
			"no Job of it had shown Complete"),
		"Succeeded though it failed": breaks(newStory().fails("build").says("build Succeeded"), "no Job of it had shown Complete"),
		"Failed while it runs": breaks(newStory().creates("build").says("build Failed"),
			"no Job of it had failed, vanished, or been refused"),
		"Failed when failure was only announced": breaks(newStory().creates("build").shows("web-build", failureTarget).
			says("build Failed"), "no Job of it had failed"),
		"Failed because the API server was not well": breaks(refused(newStory(), 500).says("build Failed"),
			"no Job of it had failed"),
		"Failed because it was refused, and created at the second attempt": breaks(refused(newStory(), 422).creates("build").
			says("build Failed"), "no Job of it had failed"),
		"Skipped for no reason": breaks(newStory().runs("build").says("build Succeeded", "test Skipped"),
			"it does not lie before startAt, and nothing had failed"),
		"Skipped after a failure that does not matter": breaks(mayFail("build").fails("build").
			says("build Failed", "test Skipped"), "nothing had failed"),
		"Skipped after a failure of a later step": breaks(newStory().runs("build").fails("deploy").
			says("build Succeeded", "test Skipped"), "step \"test\" is Skipped, but it does not lie before startAt"),
		"Skipped because of a false claim, which is reported on its own": breaks(newStory().creates("build").says("Succeeded=False").
			says("test Skipped"), "says Succeeded=False, but no step had failed that must not fail"),
		"a step that is not in the spec": breaks(newStory().says("other Running"), "spec.steps has no such step"),
		"Running, then Pending": breaks(newStory().creates("build").says("build Running").says("build Pending"),
			"step \"build\" is Pending; before, it was Running"),
		"Succeeded, then Running": breaks(newStory().runs("build").says("build Succeeded").says("build Running"),
			"is Running; before, it was Succeeded"),
		"Failed, then Succeeded": breaks(newStory().runs("build").removeJob("web-build").says("build Failed").
			says("build Succeeded"), "is Succeeded; before, it was Failed"),
		"forgotten": breaks(newStory().runs("build").says("build Succeeded", "test Pending").status(forget),
			"no longer mentions step \"build\", which was Succeeded"),
	})
}

func TestTruthfulAboutTheRun(t *testing.T) {
	suspend := func(s *story) *story {
		return s.edit(func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = new(true) })
	}
	active := func(job *batchv1.Job) { job.Status.Active = 1 }
	terminating := func(job *batchv1.Job) { job.Status.Terminating = new(int32(1)) }
	run := func() *story { return newStory().runs("build", "test", "deploy") }
	done := func() *story {
		return run().says("build Succeeded", "test Succeeded", "deploy Succeeded", "Succeeded=True")
	}

	runTests(t, "I6", map[string]test{
		"True":                       holds(done()),
		"True without entries":       holds(run().says("Succeeded=True")),
		"True from startAt":          holds(startAt("deploy").runs("deploy").says("build Skipped", "deploy Succeeded", "Succeeded=True")),
		"True after Unknown":         holds(newStory().says("Succeeded=Unknown").runs("build", "test", "deploy").says("Succeeded=True")),
		"True, then spoken of again": holds(done().edit(func(*v1alpha1.SequentialJobSpec) {}).says("Succeeded=True")),
		"True, with a failure that does not matter": holds(mayFail("build").fails("build").
			runs("test", "deploy").says("build Failed", "test Succeeded", "deploy Succeeded", "Succeeded=True")),
		"True, with a failure that does not matter, without entries": holds(mayFail("build").loses("build").runs("test", "deploy").
			says("Succeeded=True")),
		"False with a failed step":  holds(newStory().fails("build").says("Succeeded=False")),
		"False with a vanished Job": holds(newStory().loses("build").says("build Failed", "Succeeded=False")),
		"False with a refused Job, of a step that may fail": holds(mayFail("build").
			asks(request("create", "jobs", "web/build", 422)).says("Succeeded=False")),
		"Suspended before the start": holds(suspend(newStory()).says("Suspended=True")),
		"Suspended with a suspended Job": holds(suspend(newStory().creates("build")).job("web-build", suspendJob).
			shows("web-build", suspended).says("Suspended=True")),
		"Suspended with a Job that was never anything else": holds(suspend(newStory()).creates("build", suspendJob).says("Suspended=True")),
		"Suspended with a finished Job":                     holds(suspend(newStory().runs("build")).says("Suspended=True")),
		"Suspended with a Job that goes":                    holds(suspend(newStory().creates("build")).markJob("web-build").says("Suspended=True")),
		"Suspended though just resumed": holds(suspend(newStory()).
			edit(func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = nil }).says("Suspended=True")),
		"Suspended=False while suspended": holds(suspend(newStory()).says("Suspended=False")),
		"Suspended, and then resumed": holds(suspend(newStory().creates("build")).job("web-build", suspendJob).
			shows("web-build", suspended).
			says("Suspended=True").edit(func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = nil }).says("Suspended=False")),
		"Suspended, and a Job resumed": holds(suspend(newStory().creates("build")).job("web-build", suspendJob).
			shows("web-build", suspended).says("Suspended=True").job("web-build", active)),

		"True while a step runs": breaks(newStory().runs("build", "test").creates("deploy").
			says("build Succeeded", "test Succeeded", "deploy Running", "Succeeded=True"),
			"says Succeeded=True, but step \"deploy\" is Running"),
		"True after a failure": breaks(newStory().runs("build", "test").fails("deploy").
			says("build Succeeded", "test Succeeded", "deploy Failed", "Succeeded=True"), "step \"deploy\" is Failed"),
		"True too early, without entries": breaks(newStory().runs("build", "test").says("Succeeded=True"),
			"no Job of step \"deploy\" had shown Complete"),
		"False for not yet": breaks(newStory().creates("build").says("Succeeded=False"), "no step had failed that must not fail"),
		"False with a failure that does not matter": breaks(mayFail("build").fails("build").
			says("build Failed", "Succeeded=False"), "no step had failed that must not fail"),
		"False because a Job was tidied away": breaks(newStory().runs("build").says("build Succeeded").removeJob("web-build").
			says("Succeeded=False"), "no step had failed that must not fail"),
		"True, then Unknown": breaks(done().says("Succeeded=Unknown"), "said Succeeded=True, which is final"),
		"False, then gone": breaks(newStory().fails("build").says("Succeeded=False").
			status(func(status *v1alpha1.SequentialJobStatus) { status.Conditions = nil }),
			"said Succeeded=False, which is final"),
		"Suspended though nobody asked": breaks(newStory().says("Suspended=True"), "spec.suspend had never been true"),
		"Suspended while a Job runs": breaks(suspend(newStory().creates("build")).says("Suspended=True"),
			"Job web-build was not suspended"),
		"Suspended while pods run": breaks(suspend(newStory().creates("build").job("web-build", active)).
			job("web-build", suspendJob).says("Suspended=True"), "Job web-build had active pods"),
		"Suspended while a pod is still to end": breaks(suspend(newStory().creates("build").job("web-build", terminating)).
			job("web-build", suspendJob).says("Suspended=True"), "Job web-build had pods that were still terminating"),
		"Suspended while the Job controller may not have counted the pods": breaks(suspend(newStory().creates("build")).
			job("web-build", suspendJob).says("Suspended=True"), "the Job controller had not confirmed that Job web-build is suspended"),
		"Suspended taken back while the Job stays suspended": breaks(suspend(newStory().creates("build")).
			job("web-build", suspendJob).shows("web-build", suspended).
			says("Suspended=True").says("Suspended=False"), "Job web-build still suspended"),
	})
}
