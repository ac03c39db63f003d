package lesson05

import (
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/stage"
)

// ourConditions are those that speak of the spec.
var ourConditions = []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionSuspended, v1alpha1.ConditionSucceeded}

// read is a SequentialJob as the API server has it.
func (s *play) read(name string) *v1alpha1.SequentialJob {
	now := &v1alpha1.SequentialJob{}
	s.Must(s.Client.Get(s.Context(), client.ObjectKey{Namespace: s.Namespace, Name: name}, now))
	return now
}

// CaughtUp waits until the status, and every condition, speaks of a SequentialJob as it is now.
func (s *play) CaughtUp(name string) {
	generation := s.read(name).Generation
	s.AwaitStatus(name, func(status *v1alpha1.SequentialJobStatus) string {
		if said := status.ObservedGeneration; said != generation {
			return fmt.Sprintf("status.observedGeneration of %s is %d, and its generation %d", name, said, generation)
		}
		for _, one := range ourConditions {
			condition := meta.FindStatusCondition(status.Conditions, one)
			if condition == nil {
				return fmt.Sprintf("the status of %s has no condition %s, which was to speak of generation %d", name, one, generation)
			}
			if said := condition.ObservedGeneration; said != generation {
				return fmt.Sprintf("observedGeneration of the condition %s of %s is %d, and the generation of %s is %d", one, name, said, name, generation)
			}
		}
		return ""
	})
}

// together sees to it that the status and the conditions in it always spoke of the same generation.
func (s *play) together(name string) {
	for _, v := range s.Versions(name) {
		for _, one := range ourConditions {
			condition := meta.FindStatusCondition(v.Status.Conditions, one)
			if condition != nil && condition.ObservedGeneration != v.Status.ObservedGeneration {
				s.FindIn(v, "The status of %s said that it speaks of generation %d, and its condition %s that it speaks of generation %d.",
					name, v.Status.ObservedGeneration, one, condition.ObservedGeneration)
			}
		}
	}
}

// claims is the newest generation that a status says it speaks of, in whatever place.
func claims(status *v1alpha1.SequentialJobStatus) int64 {
	newest := status.ObservedGeneration
	for _, one := range ourConditions {
		if condition := meta.FindStatusCondition(status.Conditions, one); condition != nil {
			newest = max(newest, condition.ObservedGeneration)
		}
	}
	return newest
}

// MeansIt waits until the status does not claim a generation, or speaks of it indeed: in that generation the
// SequentialJob is suspended, so that is what it has to say then. The controller may have read the object
// anew, and so know of the generation; or it may have read nothing but the number.
func (s *play) MeansIt(name string, generation int64) {
	s.AwaitStatus(name, func(status *v1alpha1.SequentialJobStatus) string {
		if claims(status) < generation || meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionSuspended) {
			return ""
		}
		return fmt.Sprintf("the status of %s claimed to speak of generation %d, in which it is suspended, and did not say that it is: "+
			"the number is new, and what stands beside it was made out of generation %d", name, generation, generation-1)
	})
}

// answer is what somebody is told who waits for a condition as kubectl wait does: what is said of an older
// generation is no answer. Where the condition names no generation, that of the status counts, if there is one.
func answer(object *v1alpha1.SequentialJob, conditionType string) (status metav1.ConditionStatus, generation int64) {
	condition := meta.FindStatusCondition(object.Status.Conditions, conditionType)
	if condition == nil {
		return "", 0
	}
	generation = condition.ObservedGeneration
	if generation == 0 {
		generation = object.Status.ObservedGeneration
	}
	if generation != 0 && generation < object.Generation {
		return "", generation
	}
	return condition.Status, generation
}

// notAnswered sees to it that who waits for a suspension of which the controller has not heard yet is not
// given the answer to the one before.
func (s *play) notAnswered(name string, generation int64) {
	status, of := answer(s.read(name), v1alpha1.ConditionSuspended)
	if status == metav1.ConditionTrue && of == 0 {
		s.Find("%s was suspended, then resumed, and suspended again, which made generation %d. Of the last two changes your controller has not "+
			"heard yet. Who waited for Suspended=True was told so at once, by the answer to the first suspension: neither the condition nor "+
			"the status says which generation it speaks of.", name, generation)
	}
}

// SuspendedFor waits until the status says of a generation that the SequentialJob is suspended.
func (s *play) SuspendedFor(name string, generation int64) {
	s.Await(name, func(w stage.World) string {
		if w.Object == nil {
			return fmt.Sprintf("SequentialJob %s was gone", name)
		}
		if status, of := answer(w.Object, v1alpha1.ConditionSuspended); status != metav1.ConditionTrue || of < generation {
			return fmt.Sprintf("the status of %s did not say Suspended=True of generation %d; it said %s", name, generation, scene.Says(&w.Object.Status))
		}
		return ""
	})
}

// asItEnded sees to it that nothing about a run that has ended is different from how it ended, but for the
// generations, and for the words of the condition Suspended.
func (s *play) asItEnded(name, since string, ended stage.World) {
	now := s.Now(name)
	if difference := cmp.Diff(outcome(ended.Object.Status), outcome(now.Object.Status)); difference != "" {
		s.Find("%s had ended before it was %s, and its status became another (-before +after):\n%s", name, since, difference)
	}
	for _, before := range ended.Jobs {
		i := slices.IndexFunc(now.Jobs, func(job *batchv1.Job) bool { return job.UID == before.UID })
		switch {
		case i < 0:
			s.Find("%s had ended before it was %s, and its Job %s is gone.", name, since, before.Name)
		case now.Jobs[i].ResourceVersion != before.ResourceVersion:
			s.Find("%s had ended before it was %s, and its Job %s was changed (-before +after):\n%s",
				name, since, before.Name, cmp.Diff(before.Spec, now.Jobs[i].Spec))
		}
	}
}

func outcome(status v1alpha1.SequentialJobStatus) v1alpha1.SequentialJobStatus {
	outcome := *status.DeepCopy()
	outcome.ObservedGeneration = 0
	for i := range outcome.Conditions {
		condition := &outcome.Conditions[i]
		condition.ObservedGeneration = 0
		if condition.Type == v1alpha1.ConditionSuspended {
			condition.Reason, condition.Message = "", ""
		}
	}
	return outcome
}
