package invariants_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
)

func suspendJob(job *batchv1.Job) { job.Spec.Suspend = new(true) }

func TestTruthfulAboutSteps(t *testing.T) {
	deadline := func(s *story) *story {
		return s.edit(func(spec *v1alpha1.SequentialJobSpec) { spec.ActiveDeadlineSeconds = new(int64(60)) })
	}
	refused := func(s *story, code int) *story {
		return s.asks(history.Request{Call: call("create", "jobs", "web/build"), Code: code})
	}
	forget := func(status *v1alpha1.SequentialJobStatus) { status.Steps = nil }

	runTests(t, "I6", map[string]test{
		"every step on its way": {
			story: newStory().says("build Pending", "test Pending").creates("build").says("build Running").
				shows("web-build", batchv1.JobComplete).says("build Succeeded").runs("test").says("test Succeeded"),
			reason: "what lasted too short to be seen is passed over",
		},
		"an empty status": {
			story: newStory().runs("build", "test", "deploy").status(func(*v1alpha1.SequentialJobStatus) {}),
		},
		"Pending entries come and go": {
			story:  newStory().says("build Pending", "test Pending").status(forget),
			reason: "Pending claims nothing",
		},
		"Running when the Job is gone already": {
			story: newStory().creates("build").removeJob("web-build").says("build Running"),
		},
		"Succeeded when the Job was tidied away": {
			story: newStory().runs("build").removeJob("web-build").says("build Succeeded"),
		},
		"Failed with its Job":              {story: newStory().creates("build").shows("web-build", batchv1.JobFailed).says("build Failed")},
		"Failed because its Job vanished":  {story: newStory().creates("build").removeJob("web-build").says("build Failed")},
		"Failed because its Job is going":  {story: newStory().creates("build").markJob("web-build").says("build Failed")},
		"Failed because it was refused":    {story: refused(newStory(), 422).says("build Failed")},
		"Failed because of the deadline":   {story: deadline(newStory()).creates("build").says("build Failed")},
		"Failed, the deadline since taken": {story: deadline(newStory()).edit(func(spec *v1alpha1.SequentialJobSpec) { spec.ActiveDeadlineSeconds = nil }).says("build Failed")},
		"Failed because its Job was released": {
			story: newStory().creates("build").job("web-build", func(job *batchv1.Job) { job.OwnerReferences = nil }).says("build Failed"),
		},
		"Failed because its Job completed and was tidied away before that was seen": {
			story: newStory().runs("build").removeJob("web-build").says("build Failed"),
		},
		"Skipped before startAt": {
			story: startAt("deploy").says("build Skipped", "test Skipped"),
		},
		"Skipped after a failure, in the same write": {
			story: newStory().creates("build").shows("web-build", batchv1.JobFailed).says("test Skipped", "deploy Skipped", "build Failed"),
		},
		"Skipped after a failure that only the condition tells": {
			story: newStory().creates("build").shows("web-build", batchv1.JobFailed).says("Succeeded=False").says("test Skipped"),
		},
		"Skipped at the deadline": {
			story: deadline(newStory()).says("build Skipped", "Succeeded=False"),
		},
		"said by what it came with": {
			story: func() *story {
				s := newStory()
				say(&s.objects["web"].Status, "build Succeeded")
				return s.begin().says("test Pending")
			}(),
			reason: "that is from before the run",
		},

		"Running without a Job": {
			story: newStory().says("build Running").creates("build"),
			want:  []string{"step \"build\" is Running, but no Job of it had been there"},
		},
		"Running by another SequentialJob's Job": {
			story: newStory().creates("build").remove("web").sequence("web", nil).says("build Running"),
			want:  []string{"no Job of it had been there"},
		},
		"Succeeded when success was only announced": {
			story: newStory().creates("build").shows("web-build", batchv1.JobSuccessCriteriaMet).says("build Succeeded"),
			want:  []string{"no Job of it had shown Complete"},
		},
		"Succeeded too early": {
			story: newStory().creates("build").says("build Succeeded").shows("web-build", batchv1.JobComplete),
			want:  []string{"no Job of it had shown Complete"},
		},
		"Succeeded though it failed": {
			story: newStory().creates("build").shows("web-build", batchv1.JobFailed).says("build Succeeded"),
			want:  []string{"no Job of it had shown Complete"},
		},
		"Failed while it runs": {
			story: newStory().creates("build").says("build Failed"),
			want:  []string{"no Job of it had failed, vanished, or been refused"},
		},
		"Failed when failure was only announced": {
			story: newStory().creates("build").shows("web-build", batchv1.JobFailureTarget).says("build Failed"),
			want:  []string{"no Job of it had failed"},
		},
		"Failed because the API server was not well": {
			story: refused(newStory(), 500).says("build Failed"),
			want:  []string{"no Job of it had failed"},
		},
		"Failed because it was refused, and created at the second attempt": {
			story: refused(newStory(), 422).creates("build").says("build Failed"),
			want:  []string{"no Job of it had failed"},
		},
		"Skipped for no reason": {
			story: newStory().runs("build").says("build Succeeded", "test Skipped"),
			want:  []string{"it does not lie before startAt, and nothing had failed"},
		},
		"Skipped after a failure that does not matter": {
			story: mayFail("build").creates("build").shows("web-build", batchv1.JobFailed).says("build Failed", "test Skipped"),
			want:  []string{"nothing had failed"},
		},
		"Skipped after a failure of a later step": {
			story: newStory().runs("build").creates("deploy").shows("web-deploy", batchv1.JobFailed).says("build Succeeded", "test Skipped"),
			want:  []string{"step \"test\" is Skipped, but it does not lie before startAt"},
		},
		"Skipped because of a false claim, which is told by itself": {
			story: newStory().creates("build").says("Succeeded=False").says("test Skipped"),
			want:  []string{"says Succeeded=False, but no step had failed for good"},
		},
		"a step that is not in the spec": {
			story: newStory().says("other Running"),
			want:  []string{"spec.steps has no such step"},
		},
		"Running, then Pending": {
			story: newStory().creates("build").says("build Running").says("build Pending"),
			want:  []string{"step \"build\" is Pending, which was Running before"},
		},
		"Succeeded, then Running": {
			story: newStory().runs("build").says("build Succeeded").says("build Running"),
			want:  []string{"is Running, which was Succeeded before"},
		},
		"Failed, then Succeeded": {
			story: newStory().runs("build").removeJob("web-build").says("build Failed").says("build Succeeded"),
			want:  []string{"is Succeeded, which was Failed before"},
		},
		"forgotten": {
			story: newStory().runs("build").says("build Succeeded", "test Pending").status(forget),
			want:  []string{"says nothing about step \"build\" any more, which was Succeeded"},
		},
	})
}

func TestTruthfulAboutTheRun(t *testing.T) {
	suspend := func(s *story) *story {
		return s.edit(func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = new(true) })
	}
	active := func(job *batchv1.Job) { job.Status.Active = 1 }
	terminating := func(job *batchv1.Job) { job.Status.Terminating = new(int32(1)) }
	done := func() *story {
		return newStory().runs("build", "test", "deploy").says("build Succeeded", "test Succeeded", "deploy Succeeded", "Succeeded=True")
	}

	runTests(t, "I6", map[string]test{
		"True":                       {story: done()},
		"True without entries":       {story: newStory().runs("build", "test", "deploy").says("Succeeded=True")},
		"True from startAt":          {story: startAt("deploy").runs("deploy").says("build Skipped", "deploy Succeeded", "Succeeded=True")},
		"True after Unknown":         {story: newStory().says("Succeeded=Unknown").runs("build", "test", "deploy").says("Succeeded=True")},
		"True, then spoken of again": {story: done().edit(func(*v1alpha1.SequentialJobSpec) {}).says("Succeeded=True")},
		"True, with a failure that does not matter": {
			story: mayFail("build").creates("build").shows("web-build", batchv1.JobFailed).runs("test", "deploy").
				says("build Failed", "test Succeeded", "deploy Succeeded", "Succeeded=True"),
		},
		"True, with a failure that does not matter, without entries": {
			story: mayFail("build").creates("build").removeJob("web-build").runs("test", "deploy").says("Succeeded=True"),
		},
		"False with a failed step": {story: newStory().creates("build").shows("web-build", batchv1.JobFailed).says("Succeeded=False")},
		"False with a vanished Job": {
			story: newStory().creates("build").removeJob("web-build").says("build Failed", "Succeeded=False"),
		},
		"False with a refused Job, of a step that may fail": {
			story: mayFail("build").asks(history.Request{Call: call("create", "jobs", "web/build"), Code: 422}).says("Succeeded=False"),
		},
		"Suspended before the start":      {story: suspend(newStory()).says("Suspended=True")},
		"Suspended with a suspended Job":  {story: suspend(newStory().creates("build")).job("web-build", suspendJob).says("Suspended=True")},
		"Suspended with a finished Job":   {story: suspend(newStory().runs("build")).says("Suspended=True")},
		"Suspended with a Job that goes":  {story: suspend(newStory().creates("build")).markJob("web-build").says("Suspended=True")},
		"Suspended though just resumed":   {story: suspend(newStory()).edit(func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = nil }).says("Suspended=True")},
		"Suspended=False while suspended": {story: suspend(newStory()).says("Suspended=False")},
		"Suspended, and then resumed": {
			story: suspend(newStory().creates("build")).job("web-build", suspendJob).shows("web-build", batchv1.JobSuspended).
				says("Suspended=True").edit(func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = nil }).says("Suspended=False"),
		},
		"Suspended, and a Job resumed": {story: suspend(newStory().creates("build")).job("web-build", suspendJob).says("Suspended=True").job("web-build", active)},

		"True while a step runs": {
			story: newStory().runs("build", "test").creates("deploy").says("build Succeeded", "test Succeeded", "deploy Running", "Succeeded=True"),
			want:  []string{"says Succeeded=True, but step \"deploy\" is Running"},
		},
		"True after a failure": {
			story: newStory().runs("build", "test").creates("deploy").shows("web-deploy", batchv1.JobFailed).says("build Succeeded", "test Succeeded", "deploy Failed", "Succeeded=True"),
			want:  []string{"step \"deploy\" is Failed"},
		},
		"True too early, without entries": {
			story: newStory().runs("build", "test").says("Succeeded=True"),
			want:  []string{"no Job of step \"deploy\" had shown Complete"},
		},
		"False for not yet": {
			story: newStory().creates("build").says("Succeeded=False"),
			want:  []string{"no step had failed for good"},
		},
		"False with a failure that does not matter": {
			story: mayFail("build").creates("build").shows("web-build", batchv1.JobFailed).says("build Failed", "Succeeded=False"),
			want:  []string{"no step had failed for good"},
		},
		"False because a Job was tidied away": {
			story: newStory().runs("build").says("build Succeeded").removeJob("web-build").says("Succeeded=False"),
			want:  []string{"no step had failed for good"},
		},
		"True, then Unknown": {
			story: done().says("Succeeded=Unknown"),
			want:  []string{"said Succeeded=True, which is for good"},
		},
		"False, then gone": {
			story: newStory().creates("build").shows("web-build", batchv1.JobFailed).says("Succeeded=False").
				status(func(status *v1alpha1.SequentialJobStatus) { status.Conditions = nil }),
			want: []string{"said Succeeded=False, which is for good"},
		},
		"Suspended though nobody asked": {
			story: newStory().says("Suspended=True"),
			want:  []string{"spec.suspend had never been true"},
		},
		"Suspended while a Job runs": {
			story: suspend(newStory().creates("build")).says("Suspended=True"),
			want:  []string{"Job web-build was not suspended"},
		},
		"Suspended while pods run": {
			story: suspend(newStory().creates("build").job("web-build", active)).job("web-build", suspendJob).says("Suspended=True"),
			want:  []string{"Job web-build had active pods"},
		},
		"Suspended while a pod is still to end": {
			story: suspend(newStory().creates("build").job("web-build", terminating)).job("web-build", suspendJob).says("Suspended=True"),
			want:  []string{"Job web-build had pods that were still to end"},
		},
		"Suspended taken back while the Job stays suspended": {
			story: suspend(newStory().creates("build")).job("web-build", suspendJob).shows("web-build", batchv1.JobSuspended).
				says("Suspended=True").says("Suspended=False"),
			want: []string{"Job web-build still suspended"},
		},
	})
}
