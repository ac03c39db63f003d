package lesson05

import (
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// ourConditions are those that describe the spec.
var ourConditions = []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionSuspended, v1alpha1.ConditionSucceeded}

// read reads a SequentialJob from the API server.
func read(s *scene.Scene, name string) *v1alpha1.SequentialJob {
	now := &v1alpha1.SequentialJob{}
	s.Must(s.Client.Get(s.Context(), client.ObjectKey{Namespace: s.Namespace, Name: name}, now))
	return now
}

// caughtUp waits until the status, and each condition, has the current generation of a SequentialJob.
func caughtUp(s *scene.Scene, name string) {
	generation := read(s, name).Generation
	s.AwaitStatus(name, func(status *v1alpha1.SequentialJobStatus) string {
		if said := status.ObservedGeneration; said != generation {
			return fmt.Sprintf("status.observedGeneration of %s is %d, but its generation is %d", name, said, generation)
		}
		for _, one := range ourConditions {
			condition := meta.FindStatusCondition(status.Conditions, one)
			if condition == nil {
				return fmt.Sprintf("the status of %s has no condition %s for generation %d", name, one, generation)
			}
			if said := condition.ObservedGeneration; said != generation {
				return fmt.Sprintf("observedGeneration of the condition %s of %s is %d, but the generation of %s is %d", one, name, said, name, generation)
			}
		}
		return ""
	})
}

// together checks that the status and its conditions always had the same generation.
func together(s *scene.Scene) {
	for _, v := range s.Versions(sample.Web) {
		for _, one := range ourConditions {
			condition := meta.FindStatusCondition(v.Status.Conditions, one)
			if condition != nil && condition.ObservedGeneration != v.Status.ObservedGeneration {
				s.FindIn(v, "status.observedGeneration of web was %d, but observedGeneration of its condition %s was %d.",
					v.Status.ObservedGeneration, one, condition.ObservedGeneration)
			}
		}
	}
}

// meansIt waits until the status does not claim a generation in which web is suspended, or says that it is. The
// controller may have read the object again, and so know of the generation; or it may have read only the number.
func meansIt(s *scene.Scene, generation int64) {
	s.AwaitStatus(sample.Web, func(status *v1alpha1.SequentialJobStatus) string {
		newest := status.ObservedGeneration
		for _, one := range ourConditions {
			if condition := meta.FindStatusCondition(status.Conditions, one); condition != nil {
				newest = max(newest, condition.ObservedGeneration)
			}
		}
		if newest < generation || meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionSuspended) {
			return ""
		}
		return fmt.Sprintf("the status of web claims generation %d, in which web is suspended, but does not say Suspended=True: "+
			"the number is new, and the rest of the status describes generation %d", generation, generation-1)
	})
}

// answer returns what kubectl wait accepts when it waits for a condition: a condition of an older generation does
// not count. If the condition has no generation, that of the status counts, if there is one.
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

// notMisled checks that a client that waits for a suspension, which has not reached the controller yet, does not see the
// condition of an earlier one.
func notMisled(s *scene.Scene, generation int64) {
	status, of := answer(read(s, sample.Web), v1alpha1.ConditionSuspended)
	if status == metav1.ConditionTrue && of == 0 {
		s.Find("web was suspended, resumed, and suspended again as generation %d. The last two changes have not reached your controller yet. "+
			"A client that waits for Suspended=True sees the stale condition of the first suspension: neither the condition nor the status "+
			"has an observedGeneration.", generation)
	}
}

// suspendedFor waits until the status says that web is suspended, for a generation.
func suspendedFor(s *scene.Scene, generation int64) {
	s.Await(sample.Web, func(w stage.World) string {
		if w.Object == nil {
			return "SequentialJob web is gone"
		}
		if status, of := answer(w.Object, v1alpha1.ConditionSuspended); status != metav1.ConditionTrue || of < generation {
			return fmt.Sprintf("the status of web does not say Suspended=True for generation %d. The status says: %s", generation, scene.Says(&w.Object.Status))
		}
		return ""
	})
}

// asItEnded waits until the controller has caught up with a change, and checks that a finished run is as it ended, apart
// from generations and the words of the condition Suspended.
func asItEnded(s *scene.Scene, name, changed string, ended stage.World) {
	caughtUp(s, name)
	s.Settle()
	now := s.Now(name)
	s.Same(outcome(ended.Object.Status), outcome(now.Object.Status),
		"%s had finished before it was %s, but its status changed (-before +after)", name, changed)
	for _, before := range ended.Jobs {
		i := slices.IndexFunc(now.Jobs, func(job *batchv1.Job) bool { return job.UID == before.UID })
		if i < 0 {
			s.FindJobs("%s had finished before it was %s, but its Job %s is gone.", name, changed, before.Name)
		}
		const differs = "%s had finished before it was %s, but its Job %s changed (-before +after)"
		s.Same(before.Spec, now.Jobs[i].Spec, differs, name, changed, before.Name)
		s.Same(plain(before), plain(now.Jobs[i]), differs, name, changed, before.Name)
	}
}

// plain is a Job without the record of who has written which field.
func plain(job *batchv1.Job) *batchv1.Job {
	plain := job.DeepCopy()
	plain.ManagedFields = nil
	return plain
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
