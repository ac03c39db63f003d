package campaign

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/sample"
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

	return []scenario{
		{
			name: "three-steps", title: "three steps succeed; a stranger's Job has our labels",
			acts: []act{
				creates(sample.SequentialJob(sample.Web, sample.ThreeSteps()...)),
				stranger(sample.Fetch), completes(sample.Fetch), announces(sample.Build), completes(sample.Build), completes(sample.Ship),
			},
			ends: endsWith("True", v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepSucceeded),
		},
		{
			name: "continue", title: "the second step fails, and the run goes on",
			acts: []act{
				creates(sample.SequentialJob(sample.Web, continuing...)),
				completes(sample.Fetch), fails(sample.Build), completes(sample.Ship),
			},
			ends: endsWith("True", v1alpha1.StepSucceeded, v1alpha1.StepFailed, v1alpha1.StepSucceeded),
		},
		{
			name: "suspend", title: "suspended and resumed while the second step runs",
			acts: []act{
				creates(sample.SequentialJob(sample.Web, sample.ThreeSteps()...)),
				completes(sample.Fetch),
				changes("suspends "+sample.Web, running(sample.Build), func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = new(true) }),
				changes("resumes "+sample.Web, world.HasStopped, func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = new(false) }),
				completes(sample.Build), completes(sample.Ship),
			},
			ends: endsWith("True", v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepSucceeded),
		},
		{
			name: "deletion", title: "deleted while the second step runs; a stranger's Job has our labels",
			acts: []act{
				creates(sample.SequentialJob(sample.Web, sample.ThreeSteps()...)),
				stranger(sample.Fetch), completes(sample.Fetch), deletes(running(sample.Build)),
			},
			ends: world.something,
		},
		{
			name: "deadline", title: "the deadline passes while the second step runs",
			acts: []act{
				creates(sample.SequentialJob(sample.Web, sample.ThreeSteps()...)),
				completes(sample.Fetch),
				changes("sets activeDeadlineSeconds to 1", running(sample.Build), func(spec *v1alpha1.SequentialJobSpec) {
					spec.ActiveDeadlineSeconds = new(int64(1))
				}),
			},
			ends: endsWith("False", v1alpha1.StepSucceeded, v1alpha1.StepFailed, v1alpha1.StepSkipped),
		},
		{
			name: "ttl", title: "removed as soon as it has finished",
			acts: []act{creates(shortLived), completes(sample.Fetch)},
			ends: world.something,
		},
		{
			name: "start-at", title: "the first step is skipped by startAt",
			acts: []act{creates(late), completes(sample.Build), completes(sample.Ship)},
			ends: endsWith("True", v1alpha1.StepSkipped, v1alpha1.StepSucceeded, v1alpha1.StepSucceeded),
		},
		{
			name: "failure", title: "the second step fails, and with it the run",
			acts: []act{creates(sample.SequentialJob(sample.Web, sample.ThreeSteps()...)), completes(sample.Fetch), fails(sample.Build)},
			ends: endsWith("False", v1alpha1.StepSucceeded, v1alpha1.StepFailed, v1alpha1.StepSkipped),
			few:  true,
		},
		{
			name: "invalid", title: "the API server refuses the second step's Job for good",
			acts: []act{creates(sample.SequentialJob(sample.Web, invalid...)), completes(sample.Fetch)},
			ends: endsWith("False", v1alpha1.StepSucceeded, v1alpha1.StepFailed, v1alpha1.StepSkipped),
			few:  true,
		},
		{
			name: "foreground", title: "deleted in the foreground while the second step runs, which may fail",
			acts: []act{
				creates(sample.SequentialJob(sample.Web, continuing...)),
				completes(sample.Fetch), deletesInForeground(running(sample.Build)),
			},
			ends: world.something,
			few:  true,
		},
		{
			name: "ttl-again", title: "removed as soon as it has finished, and created anew under the same name",
			acts: []act{
				creates(shortLived), completes(sample.Fetch),
				createsAgain(shortLived), completes(sample.Fetch),
			},
			ends: world.something,
			few:  true,
		},
		{
			name: "tidied", title: "finished Jobs are removed while the run goes on", few: true,
			acts: []act{
				creates(sample.SequentialJob(sample.Web, sample.ThreeSteps()...)),
				completes(sample.Fetch), removes(sample.Fetch, running(sample.Build)),
				completes(sample.Build), removes(sample.Build, running(sample.Ship)),
				completes(sample.Ship), removes(sample.Ship, world.succeeded),
			},
			ends: endsWith("True", v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepSucceeded),
		},
		{
			name: "vanished", title: "somebody deletes the second step's Job while it runs", few: true,
			acts: []act{
				creates(sample.SequentialJob(sample.Web, sample.ThreeSteps()...)),
				completes(sample.Fetch), removes(sample.Build, world.told),
			},
			ends: endsWith("False", v1alpha1.StepSucceeded, v1alpha1.StepFailed, v1alpha1.StepSkipped),
		},
		{
			name: "recreate", title: "deleted while the second step runs, and created anew under the same name", few: true,
			acts: []act{
				creates(sample.SequentialJob(sample.Web, sample.ThreeSteps()...)),
				completes(sample.Fetch), recreates(running(sample.Build), sample.SequentialJob(sample.Web, sample.ThreeSteps()...)),
				completes(sample.Fetch), completes(sample.Build), completes(sample.Ship),
			},
			ends: endsWith("True", v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepSucceeded),
		},
		{
			name: "conflict", title: "a stranger's Job has the name of the second step's; later it goes",
			acts: []act{
				foreignJob(sample.Build), creates(sample.SequentialJob(sample.Web, sample.ThreeSteps()...)),
				completes(sample.Fetch), foreignJobGoes(sample.Build, world.waits),
				completes(sample.Build), completes(sample.Ship),
			},
			calm: true,
			ends: endsWith("True", v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepSucceeded),
		},
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
			for _, step := range w.Object.Status.Steps {
				if step.Name == name {
					state = step.State
				}
			}
			if state != want {
				return fmt.Sprintf("the status says %q of step %s, which has %s", state, name, want)
			}
		}
		return ""
	}
}

// something is what is left where nothing must be.
func (w world) something() string {
	switch {
	case w.Object != nil:
		return sample.Web + " is still there"
	case len(w.Jobs) > 0:
		return fmt.Sprintf("Job %s is still there", w.Jobs[0].Name)
	default:
		return ""
	}
}

// told says that the status tells of the second step's Job. Before that nobody could know, after a crash,
// whether a Job that is not there was ever created.
func (w world) told() bool {
	return w.Object != nil && w.Running(sample.Build) != nil && slices.ContainsFunc(w.Object.Status.Steps, func(step v1alpha1.StepStatus) bool {
		return step.Name == sample.Build && step.State == v1alpha1.StepRunning
	})
}

func (w world) succeeded() bool {
	return w.Object != nil && meta.IsStatusConditionTrue(w.Object.Status.Conditions, v1alpha1.ConditionSucceeded)
}
