package lesson05

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/stage"
)

// Suspend has a user suspend a SequentialJob, and returns the generation that this makes.
func (s *play) Suspend(name string) int64 { return s.setSuspend(name, "suspends", true) }

// Resume has a user resume it.
func (s *play) Resume(name string) int64 { return s.setSuspend(name, "resumes", false) }

func (s *play) setSuspend(name, what string, suspend bool) int64 {
	s.Change(name, what+" "+name, func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = &suspend })
	return s.read(name).Generation
}

// fromTheStart is before anything has happened.
const fromTheStart uint64 = 0

// Suspended waits until the status says that a SequentialJob is suspended, and returns since which
// resourceVersion it does. With the rule I6, it must not say so too early.
func (s *play) Suspended(name string) (since uint64) {
	s.ConditionIs(name, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	for _, v := range s.Versions(name) {
		switch said := meta.IsStatusConditionTrue(v.Status.Conditions, v1alpha1.ConditionSuspended); {
		case !said:
			since = 0
		case since == 0:
			since = v.Change.ResourceVersion
		}
	}
	return since
}

// NothingRan sees to it that since a resourceVersion none of a SequentialJob's Jobs was free to run. One that
// is suspended is not.
func (s *play) NothingRan(name string, since uint64) {
	for _, job := range s.jobVersions(name) {
		if job.change.ResourceVersion > since && job.free() {
			s.FindAt(finding.Finding{
				What: fmt.Sprintf("%s was suspended, and Job %s of step %s was free to run: it was there, unfinished, and not suspended.",
					name, job.Name, stage.StepOf(job.Job)),
				At: job.change.Seen, Changes: []uint64{job.change.ResourceVersion},
			})
		}
	}
}

// GoesOn waits until a step runs that had been suspended, and returns its Job, which has to be the same one.
func (s *play) GoesOn(name, step string, before *batchv1.Job) *batchv1.Job {
	return s.same(step, before, s.Running(name, step))
}

// still returns the Job of a step that is suspended, which has to be the one that ran.
func (s *play) still(name, step string, before *batchv1.Job) *batchv1.Job {
	now := s.Now(name).Job(step)
	if now == nil {
		s.Find("Job %s of step %s is gone, though %s was only suspended, to be resumed later.", before.Name, step, name)
	}
	return s.same(step, before, now)
}

func (s *play) same(step string, before, now *batchv1.Job) *batchv1.Job {
	if now.UID != before.UID {
		s.Find("Before it was suspended, step %s ran as Job %s (UID %s). Now its Job is another one, %s (UID %s).",
			step, before.Name, before.UID, now.Name, now.UID)
	}
	return now
}

// jobVersion is a Job as one write made it.
type jobVersion struct {
	*batchv1.Job
	change history.Change
}

// free says whether the Job may run, or runs yet.
func (v jobVersion) free() bool {
	stopped := jobdriver.IsSuspended(v.Job) && v.Status.Active == 0 && ptr.Deref(v.Status.Terminating, 0) == 0
	return v.change.Type != "DELETED" && !jobdriver.Ended(v.Job) && !stopped
}

// jobVersions are the states of a SequentialJob's Jobs that the observer has seen, in their order.
func (s *play) jobVersions(name string) []jobVersion {
	_, err := s.Observer.Sync(s.Context())
	s.Must(err)
	var versions []jobVersion
	for _, change := range s.Log.Run().Changes {
		if change.Resource != "jobs" {
			continue
		}
		job := &batchv1.Job{}
		s.Must(runtime.DefaultUnstructuredConverter.FromUnstructured(change.Object.Object, job))
		if owner := metav1.GetControllerOf(job); owner != nil && owner.Kind == v1alpha1.Kind && owner.Name == name {
			versions = append(versions, jobVersion{job, change})
		}
	}
	return versions
}

// truthful sees to it that whenever the status said Suspended=True of the spec as it was then, and that asked
// for it, nothing was free to run.
func (s *play) truthful(name string) {
	jobs := s.jobVersions(name)
	for _, v := range s.Versions(name) {
		suspended := meta.FindStatusCondition(v.Status.Conditions, v1alpha1.ConditionSuspended)
		asked := v.Spec.Suspend != nil && *v.Spec.Suspend
		if !asked || suspended == nil || suspended.Status != metav1.ConditionTrue || suspended.ObservedGeneration != v.Generation {
			continue
		}
		for _, job := range at(jobs, v.Change.ResourceVersion) {
			if job.free() {
				s.FindIn(v, "Somebody suspended %s again, and waited as he should until Suspended was True for that very generation, %d. "+
					"He was told so while Job %s of step %s was still free to run, with %d active pods: it is the answer to the suspension before.",
					name, v.Generation, job.Name, stage.StepOf(job.Job), job.Status.Active)
			}
		}
	}
}

// notBeforeTheJob sees to it that Suspended did not turn False before the Job was resumed. A Job that is created
// suspended, and resumed once the status tells of it, is not meant: the run was not suspended before.
func (s *play) notBeforeTheJob(name string) {
	jobs := s.jobVersions(name)
	was := false
	for _, v := range s.Versions(name) {
		is := meta.IsStatusConditionTrue(v.Status.Conditions, v1alpha1.ConditionSuspended)
		turned := was && !is
		was = is
		if !turned {
			continue
		}
		for _, job := range at(jobs, v.Change.ResourceVersion) {
			if job.change.Type != "DELETED" && !jobdriver.Ended(job.Job) && suspendAsked(job.Job) {
				s.FindIn(v, "Somebody had resumed %s, and the API server had refused at first to resume Job %s of step %s. So nothing ran, "+
					"and still the condition Suspended was no longer True: it told what was asked for, and not what was so.",
					name, job.Name, stage.StepOf(job.Job))
			}
		}
	}
}

// holdBackJob keeps from the controller what happens to the Job of a step from now on, until Proxy.Heal.
func (s *play) holdBackJob(name, step string) {
	s.Settle()
	s.HoldNext("jobs", history.Logical(name+"/"+step))
}

// notSuspendedWhenOver sees to it that no Job of a SequentialJob was told to suspend after its end.
func (s *play) notSuspendedWhenOver(name, but string) {
	for _, job := range s.jobVersions(name) {
		if job.change.Type != "DELETED" && jobdriver.Ended(job.Job) && suspendAsked(job.Job) {
			s.FindAt(finding.Finding{
				What: fmt.Sprintf("Job %s of step %s had finished, and after that its spec.suspend was set to true. %s", job.Name, stage.StepOf(job.Job), but),
				At:   job.change.Seen, Changes: []uint64{job.change.ResourceVersion},
			})
		}
	}
}

func suspendAsked(job *batchv1.Job) bool { return ptr.Deref(job.Spec.Suspend, false) }

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
