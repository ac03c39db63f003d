package campaign

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// scenarios are the reference runs.
func scenarios() []scenario {
	continuing := sample.ThreeSteps()
	continuing[1].OnFailure = v1alpha1.FailurePolicyContinue
	late := sample.SequentialJob(sample.Web, sample.ThreeSteps()...)
	late.Spec.StartAt = new(sample.Build)
	shortLived := sample.SequentialJob(sample.Web, sample.Step(sample.Fetch))
	shortLived.Spec.TTLSecondsAfterFinished = new(int32(0))
	invalid := sample.ThreeSteps()
	invalid[1].JobTemplate.Spec.Template.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "missing", MountPath: "/missing"}}

	web := creates(sample.SequentialJob(sample.Web, sample.ThreeSteps()...))
	continued := creates(sample.SequentialJob(sample.Web, continuing...))
	fetched, built, shipped := completes(sample.Fetch), completes(sample.Build), completes(sample.Ship)
	suspends := func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = new(true) }
	resumes := func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = new(false) }
	limits := func(spec *v1alpha1.SequentialJobSpec) { spec.ActiveDeadlineSeconds = new(int64(1)) }
	allSucceeded := endsWith("True", v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepSucceeded)
	buildFailed := endsWith("False", v1alpha1.StepSucceeded, v1alpha1.StepFailed, v1alpha1.StepSkipped)

	return []scenario{
		{
			name: "three-steps", title: "three steps succeed; another owner's Job has our labels",
			acts: []act{web, decoy(sample.Fetch), fetched, announces(sample.Build), built, shipped},
			ends: allSucceeded,
		},
		{
			name: "continue", title: "the second step fails, and the run continues",
			acts: []act{continued, fetched, fails(sample.Build), shipped},
			ends: endsWith("True", v1alpha1.StepSucceeded, v1alpha1.StepFailed, v1alpha1.StepSucceeded),
		},
		{
			name: "suspend", title: "suspended and resumed while the second step runs",
			acts: []act{
				web, fetched,
				changes("suspends "+sample.Web, running(sample.Build), suspends),
				changes("resumes "+sample.Web, world.HasStopped, resumes),
				built, shipped,
			},
			ends: allSucceeded,
		},
		{
			name: "deletion", title: "deleted while the second step runs; another owner's Job has our labels",
			acts: []act{web, decoy(sample.Fetch), fetched, deletes(running(sample.Build))},
			ends: world.something,
		},
		{
			name: "deadline", title: "the deadline passes while the second step runs",
			acts: []act{web, fetched, changes("sets activeDeadlineSeconds to 1", running(sample.Build), limits)},
			ends: buildFailed,
		},
		{
			name: "ttl", title: "removed as soon as it has finished",
			acts: []act{creates(shortLived), fetched},
			ends: world.something,
		},
		{
			name: "start-at", title: "the first step is skipped by startAt",
			acts: []act{creates(late), built, shipped},
			ends: endsWith("True", v1alpha1.StepSkipped, v1alpha1.StepSucceeded, v1alpha1.StepSucceeded),
		},
		{
			name: "failure", title: "the second step fails, and so does the run", few: true,
			acts: []act{web, fetched, fails(sample.Build)},
			ends: buildFailed,
		},
		{
			name: "invalid", title: "the API server permanently refuses the second step's Job", few: true,
			acts: []act{creates(sample.SequentialJob(sample.Web, invalid...)), fetched},
			ends: buildFailed,
		},
		{
			name: "foreground", title: "deleted in the foreground while the second step runs, which may fail", few: true,
			acts: []act{continued, fetched, deletesInForeground(running(sample.Build))},
			ends: world.something,
		},
		{
			name: "ttl-again", title: "removed as soon as it has finished, and created again under the same name", few: true,
			acts: []act{creates(shortLived), fetched, createsAgain(shortLived), fetched},
			ends: world.something,
		},
		{
			name: "tidied", title: "finished Jobs are removed while the run continues", few: true,
			acts: []act{
				web, fetched, removes(sample.Fetch, running(sample.Build)),
				built, removes(sample.Build, running(sample.Ship)),
				shipped, removes(sample.Ship, world.succeeded),
			},
			ends: allSucceeded,
		},
		{
			name: "vanished", title: "somebody deletes the second step's Job while it runs", few: true,
			acts: []act{web, fetched, removes(sample.Build, world.recorded)},
			ends: buildFailed,
		},
		{
			name: "recreate", title: "deleted while the second step runs, and created again under the same name", few: true,
			acts: []act{
				web, fetched,
				recreates(running(sample.Build), sample.SequentialJob(sample.Web, sample.ThreeSteps()...)),
				fetched, built, shipped,
			},
			ends: allSucceeded,
		},
		{
			name: "conflict", title: "another owner's Job has the name of the second step's Job; later it is deleted",
			acts: []act{foreignJob(sample.Build), web, fetched, foreignJobGoes(sample.Build, world.waits), built, shipped},
			calm: true,
			ends: allSucceeded,
		},
		workspaceUsed(), workspaceLate(), workspaceLost(), workspaceDrifted(), storeDown(), workspaceUnmarked(),
	}
}

// endsWith is an end with a status of the condition Succeeded, and these states of the steps.
func endsWith(summary metav1.ConditionStatus, states ...v1alpha1.StepState) func(world) string {
	return func(w world) string {
		if w.Object == nil {
			return sample.Web + " is gone"
		}
		if !meta.IsStatusConditionPresentAndEqual(w.Object.Status.Conditions, v1alpha1.ConditionSucceeded, summary) {
			return fmt.Sprintf("%s has no condition Succeeded=%s", sample.Web, summary)
		}
		for i, want := range states {
			name, state := w.Object.Spec.Steps[i].Name, v1alpha1.StepState("")
			if step := w.Step(name); step != nil {
				state = step.State
			}
			if state != want {
				return fmt.Sprintf("the status says %q of step %s, which has %s", state, name, want)
			}
		}
		return ""
	}
}

// world is a scenario's object and its Jobs at a moment.
type world struct{ stage.World }

// something says which object still exists although none must.
func (w world) something() string {
	switch {
	case w.Object != nil:
		return sample.Web + " is still there"
	case len(w.Jobs) > 0:
		return fmt.Sprintf("Job %s is still there", w.Jobs[0].Name)
	case w.Workspace != nil:
		return fmt.Sprintf("Workspace %s is still there", w.Workspace.Name)
	default:
		return ""
	}
}

// recorded says that the status mentions the second step's Job. Before that, a controller could not know after a
// crash whether a missing Job was ever created.
func (w world) recorded() bool {
	step := w.Step(sample.Build)
	return w.Running(sample.Build) != nil && step != nil && step.State == v1alpha1.StepRunning
}

// waits says that the second step could start if nothing blocked it.
func (w world) waits() bool {
	job := w.Job(sample.Fetch)
	return job != nil && jobdriver.Holds(job, batchv1.JobComplete)
}

func (w world) succeeded() bool {
	return w.Object != nil && meta.IsStatusConditionTrue(w.Object.Status.Conditions, v1alpha1.ConditionSucceeded)
}
