package campaign

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// scenarios are the reference runs.
func scenarios() []scenario {
	continuing := threeSteps()
	continuing[1].OnFailure = v1alpha1.FailurePolicyContinue
	late := newObject(threeSteps()...)
	late.Spec.StartAt = ptr.To(build)
	shortLived := newObject(newStep(fetch))
	shortLived.Spec.TTLSecondsAfterFinished = ptr.To[int32](0)
	invalid := threeSteps()
	invalid[1].JobTemplate.Spec.Template.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "missing", MountPath: "/missing"}}

	return []scenario{
		{
			name: "three-steps", title: "three steps succeed; a stranger's Job has our labels",
			beats: []beat{
				creates(newObject(threeSteps()...)),
				stranger(fetch), completes(fetch), announces(build), completes(build), completes(ship),
			},
			ends: endsWith("True", v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepSucceeded),
		},
		{
			name: "continue", title: "the second step fails, and the run goes on",
			beats: []beat{
				creates(newObject(continuing...)),
				completes(fetch), fails(build), completes(ship),
			},
			ends: endsWith("True", v1alpha1.StepSucceeded, v1alpha1.StepFailed, v1alpha1.StepSucceeded),
		},
		{
			name: "suspend", title: "suspended and resumed while the second step runs",
			beats: []beat{
				creates(newObject(threeSteps()...)),
				completes(fetch),
				changes("suspends "+object, running(build), func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = ptr.To(true) }),
				changes("resumes "+object, world.HasStopped, func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = ptr.To(false) }),
				completes(build), completes(ship),
			},
			ends: endsWith("True", v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepSucceeded),
		},
		{
			name: "deletion", title: "deleted while the second step runs; a stranger's Job has our labels",
			beats: []beat{
				creates(newObject(threeSteps()...)),
				stranger(fetch), completes(fetch), deletes(running(build)),
			},
			ends: world.something,
		},
		{
			name: "deadline", title: "the deadline passes while the second step runs",
			beats: []beat{
				creates(newObject(threeSteps()...)),
				completes(fetch),
				changes("sets activeDeadlineSeconds to 1", running(build), func(spec *v1alpha1.SequentialJobSpec) {
					spec.ActiveDeadlineSeconds = ptr.To[int64](1)
				}),
			},
			ends: endsWith("False", v1alpha1.StepSucceeded, v1alpha1.StepFailed, v1alpha1.StepSkipped),
		},
		{
			name: "ttl", title: "removed as soon as it has finished",
			beats: []beat{creates(shortLived), completes(fetch)},
			ends:  world.something,
		},
		{
			name: "start-at", title: "the first step is skipped by startAt",
			beats: []beat{creates(late), completes(build), completes(ship)},
			ends:  endsWith("True", v1alpha1.StepSkipped, v1alpha1.StepSucceeded, v1alpha1.StepSucceeded),
		},
		{
			name: "failure", title: "the second step fails, and with it the run",
			beats: []beat{creates(newObject(threeSteps()...)), completes(fetch), fails(build)},
			ends:  endsWith("False", v1alpha1.StepSucceeded, v1alpha1.StepFailed, v1alpha1.StepSkipped),
			few:   true,
		},
		{
			name: "invalid", title: "the API server refuses the second step's Job for good",
			beats: []beat{creates(newObject(invalid...)), completes(fetch)},
			ends:  endsWith("False", v1alpha1.StepSucceeded, v1alpha1.StepFailed, v1alpha1.StepSkipped),
			few:   true,
		},
		{
			name: "foreground", title: "deleted in the foreground while the second step runs, which may fail",
			beats: []beat{
				creates(newObject(continuing...)),
				completes(fetch), deletesInForeground(running(build)),
			},
			ends: world.something,
			few:  true,
		},
		{
			name: "ttl-again", title: "removed as soon as it has finished, and created anew under the same name",
			beats: []beat{
				creates(shortLived), completes(fetch),
				createsAgain(shortLived), completes(fetch),
			},
			ends: world.something,
			few:  true,
		},
		{
			name: "tidied", title: "finished Jobs are removed while the run goes on", few: true,
			beats: []beat{
				creates(newObject(threeSteps()...)),
				completes(fetch), removes(fetch, running(build)),
				completes(build), removes(build, running(ship)),
				completes(ship), removes(ship, world.succeeded),
			},
			ends: endsWith("True", v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepSucceeded),
		},
		{
			name: "vanished", title: "somebody deletes the second step's Job while it runs", few: true,
			beats: []beat{
				creates(newObject(threeSteps()...)),
				completes(fetch), removes(build, world.told),
			},
			ends: endsWith("False", v1alpha1.StepSucceeded, v1alpha1.StepFailed, v1alpha1.StepSkipped),
		},
		{
			name: "recreate", title: "deleted while the second step runs, and created anew under the same name", few: true,
			beats: []beat{
				creates(newObject(threeSteps()...)),
				completes(fetch), recreates(running(build), newObject(threeSteps()...)),
				completes(fetch), completes(build), completes(ship),
			},
			ends: endsWith("True", v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepSucceeded),
		},
		{
			name: "conflict", title: "a stranger's Job has the name of the second step's; later it goes",
			beats: []beat{
				foreignJob(build), creates(newObject(threeSteps()...)),
				completes(fetch), foreignJobGoes(build, world.waits),
				completes(build), completes(ship),
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
			return object + " is gone"
		}
		if !meta.IsStatusConditionPresentAndEqual(w.Object.Status.Conditions, v1alpha1.ConditionSucceeded, summary) {
			return fmt.Sprintf("%s has no condition Succeeded=%s", object, summary)
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
		return object + " is still there"
	case len(w.Jobs) > 0:
		return fmt.Sprintf("Job %s is still there", w.Jobs[0].Name)
	default:
		return ""
	}
}

// told says that the status tells of the second step's Job. Before that nobody could know, after a crash,
// whether a Job that is not there was ever created.
func (w world) told() bool {
	return w.Object != nil && w.Running(build) != nil && slices.ContainsFunc(w.Object.Status.Steps, func(step v1alpha1.StepStatus) bool {
		return step.Name == build && step.State == v1alpha1.StepRunning
	})
}

func (w world) succeeded() bool {
	return w.Object != nil && meta.IsStatusConditionTrue(w.Object.Status.Conditions, v1alpha1.ConditionSucceeded)
}
