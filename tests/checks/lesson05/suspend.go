package lesson05

import (
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// suspend has a user suspend a SequentialJob, and returns the new generation.
func suspend(s *scene.Scene, name string) int64 { return setSuspend(s, name, "suspends", true) }

// resume has a user resume it.
func resume(s *scene.Scene, name string) int64 { return setSuspend(s, name, "resumes", false) }

func setSuspend(s *scene.Scene, name, what string, suspend bool) int64 {
	s.Change(name, what+" "+name, func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = &suspend })
	return read(s, name).Generation
}

// suspended waits until the status says that web is suspended, and returns since which resourceVersion it does. With
// the rule I6, it must not say so too early.
func suspended(s *scene.Scene) (since uint64) {
	s.ConditionIs(sample.Web, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	for _, v := range s.Versions(sample.Web) {
		switch said := meta.IsStatusConditionTrue(v.Status.Conditions, v1alpha1.ConditionSuspended); {
		case !said:
			since = 0
		case since == 0:
			since = v.Change.ResourceVersion
		}
	}
	return since
}

// stopped waits until the Job of a step is suspended and has stopped.
func stopped(s *scene.Scene, name, step string) {
	s.Await(name, func(w stage.World) string {
		switch {
		case w.HasStopped():
			return ""
		case w.Job(step) == nil:
			return fmt.Sprintf("%s is suspended, but the Job of step %s is gone; it should be suspended", name, step)
		}
		return fmt.Sprintf("%s is suspended, but the Job of step %s is not", name, step)
	})
}

// same returns the Job that a step has now, which has to be the one that ran before it was suspended.
func same(s *scene.Scene, before, now *batchv1.Job) *batchv1.Job {
	step := stage.StepOf(before)
	switch {
	case now == nil:
		s.FindJobs("Job %s of step %s is gone, although web was only suspended.", before.Name, step)
	case now.UID != before.UID:
		s.FindJobs("Before it was suspended, step %s ran as Job %s (UID %s). Now it has another Job, %s (UID %s).",
			step, before.Name, before.UID, now.Name, now.UID)
	}
	return now
}

// jobVersion is a Job as one write made it.
type jobVersion struct {
	*batchv1.Job
	change history.Change
}

// free says whether the Job may run, or still runs.
func (v jobVersion) free() bool {
	stopped := jobdriver.IsSuspended(v.Job) && v.Status.Active == 0 && ptr.Deref(v.Status.Terminating, 0) == 0
	return v.change.Type != "DELETED" && !jobdriver.Ended(v.Job) && !stopped
}

// jobVersions are the states of a SequentialJob's Jobs that the observer has seen, in order.
func jobVersions(s *scene.Scene, name string) (versions []jobVersion) {
	s.Sync()
	for change, job := range scene.Seen[batchv1.Job](s, "jobs") {
		if owner := metav1.GetControllerOf(job); owner != nil && owner.Kind == v1alpha1.Kind && owner.Name == name && !s.IsMimic(job) {
			versions = append(versions, jobVersion{job, change})
		}
	}
	return versions
}

// at are the Jobs as they were at a resourceVersion.
func at(versions []jobVersion, resourceVersion uint64) map[types.UID]jobVersion {
	last := map[types.UID]jobVersion{}
	for _, v := range versions {
		if v.change.ResourceVersion <= resourceVersion {
			last[v.UID] = v
		}
	}
	return last
}

// nothingRan checks that since a resourceVersion none of web's Jobs was free to run.
func nothingRan(s *scene.Scene, since uint64) {
	for _, job := range jobVersions(s, sample.Web) {
		if job.change.ResourceVersion > since && job.free() {
			s.FindChange(job.change, "web was suspended, but Job %s of step %s was free to run: it existed, had not finished, and was not "+
				"suspended.", job.Name, stage.StepOf(job.Job))
		}
	}
}

// finishedStayed checks that no Job of a SequentialJob was suspended after it had finished. Known is what the controller knew
// then, for a write that it did not repeat.
func finishedStayed(s *scene.Scene, name, known string) {
	for _, job := range jobVersions(s, name) {
		if job.change.Type == "DELETED" || !jobdriver.Ended(job.Job) || !jobdriver.IsSuspended(job.Job) {
			continue
		}
		if finding.Repeated(s.Log.Run(), job.change) != "" { // which FindChange says
			known = ""
		}
		s.FindChange(job.change, "Job %s of step %s had finished, and then its spec.suspend was set to true.%s",
			job.Name, stage.StepOf(job.Job), known)
	}
}

// truthful checks that nothing was free to run whenever the status said Suspended=True for the current generation, and
// that generation asked for it.
func truthful(s *scene.Scene) {
	jobs := jobVersions(s, sample.Web)
	for _, v := range s.Versions(sample.Web) {
		condition := meta.FindStatusCondition(v.Status.Conditions, v1alpha1.ConditionSuspended)
		if !ptr.Deref(v.Spec.Suspend, false) || condition == nil || condition.Status != metav1.ConditionTrue ||
			condition.ObservedGeneration != v.Generation {
			continue
		}
		for _, job := range at(jobs, v.Change.ResourceVersion) {
			if job.free() {
				s.FindIn(v, "A client suspended web again, and waited until Suspended was True for that very generation, %d. "+
					"At that point Job %s of step %s was still free to run, with %d active pods: the condition describes the earlier suspension.",
					v.Generation, job.Name, stage.StepOf(job.Job), job.Status.Active)
			}
		}
	}
}

// documented checks that each status of web gave a reason for the condition Suspended that the API documents.
func documented(s *scene.Scene) {
	reasons := map[metav1.ConditionStatus][]string{
		metav1.ConditionTrue:  {v1alpha1.ReasonSuspended},
		metav1.ConditionFalse: {v1alpha1.ReasonNotSuspended, v1alpha1.ReasonSuspending, v1alpha1.ReasonFinished},
	}
	for _, v := range s.Versions(sample.Web) {
		condition := meta.FindStatusCondition(v.Status.Conditions, v1alpha1.ConditionSuspended)
		if condition != nil && !slices.Contains(reasons[condition.Status], condition.Reason) {
			s.FindIn(v, "The condition Suspended was %s with the reason %q. The API documents these reasons for that: %s.",
				condition.Status, condition.Reason, strings.Join(reasons[condition.Status], ", "))
		}
	}
}

// notBeforeTheJob checks that Suspended did not turn False before the Job was resumed. A Job that is created suspended
// for other reasons does not count, because the run was not suspended before.
func notBeforeTheJob(s *scene.Scene) {
	jobs := jobVersions(s, sample.Web)
	was := false
	for _, v := range s.Versions(sample.Web) {
		is := meta.IsStatusConditionTrue(v.Status.Conditions, v1alpha1.ConditionSuspended)
		turned := was && !is
		was = is
		if !turned {
			continue
		}
		for _, job := range at(jobs, v.Change.ResourceVersion) {
			if job.change.Type != "DELETED" && !jobdriver.Ended(job.Job) && jobdriver.IsSuspended(job.Job) {
				s.FindIn(v, "web was resumed, but the API server refused the first requests to resume Job %s of step %s. Nothing ran, but the "+
					"condition Suspended was no longer True: it showed the desired state, not the actual one.", job.Name, stage.StepOf(job.Job))
			}
		}
	}
}
