package scene

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// Running waits until the Job of a step runs, and returns it.
func (s *Scene) Running(name, step string) *batchv1.Job {
	var job *batchv1.Job
	s.Await(name, func(w stage.World) string {
		if job = w.Running(step); job != nil {
			return ""
		}
		return s.NotRunning(w, name, step)
	})
	return job
}

// NotRunning says why a step's Job does not run.
func (s *Scene) NotRunning(w stage.World, name, step string) string {
	job, unowned := w.Job(step), finding.Unowned(s.Log.Run())
	s.ownerless = w.Object != nil && unowned != nil && (job == nil || job.UID == unowned.GetUID())
	switch {
	case w.Object == nil:
		return fmt.Sprintf("SequentialJob %s is gone", name)
	case s.ownerless:
		return fmt.Sprintf("%s has no Job for step %s. Your controller created Job %s for step %s, but %s does not control it: %s",
			name, step, unowned.GetName(), kinds.StepOf(unowned), name, kinds.Unowned(unowned))
	case job == nil && len(w.Jobs) == 0:
		return fmt.Sprintf("%s has no Job; it needs one for step %s", name, step)
	case job == nil:
		return fmt.Sprintf("%s has no Job for step %s; its Jobs: %s", name, step, JobsOf(w))
	case jobdriver.Ended(job):
		return fmt.Sprintf("Job %s of step %s has finished", job.Name, step)
	case job.DeletionTimestamp != nil:
		return fmt.Sprintf("Job %s of step %s is being deleted", job.Name, step)
	case jobdriver.IsSuspended(job):
		return fmt.Sprintf("Job %s of step %s is suspended", job.Name, step)
	default:
		return fmt.Sprintf("Job %s of step %s does not run", job.Name, step)
	}
}

// Complete waits for each of these steps until its Job runs, and completes it.
func (s *Scene) Complete(name string, steps ...string) {
	for _, step := range steps {
		s.Must(s.Driver.Complete(s.Context(), s.Running(name, step)))
	}
}

// Fail waits until the Job of a step runs, and fails it as one whose pods have failed too often.
func (s *Scene) Fail(name, step string) {
	s.Must(s.Driver.Fail(s.Context(), s.Running(name, step), batchv1.JobReasonBackoffLimitExceeded, BackoffLimitExceeded))
}

// BackoffLimitExceeded is the message of a Job that has failed for that reason.
const BackoffLimitExceeded = "Job has reached the specified backoff limit"

// JobsOf lists Jobs with their steps.
func JobsOf(w stage.World) string {
	var jobs []string
	for _, job := range w.Jobs {
		jobs = append(jobs, fmt.Sprintf("%s (step %s)", job.Name, stage.StepOf(job)))
	}
	return cmp.Or(strings.Join(jobs, ", "), "none")
}

// Reread reads a Job again.
func (s *Scene) Reread(job *batchv1.Job) *batchv1.Job {
	now := &batchv1.Job{}
	s.Must(s.Client.Get(s.Context(), client.ObjectKeyFromObject(job), now))
	return now
}

// JobsDeadline is what the Job controller says of a Job that exceeds a deadline of its own.
const JobsDeadline = "Job was active longer than specified deadline"

// Leftover creates a Job as an earlier SequentialJob of that name may have left it. A finalizer keeps it.
func (s *Scene) Leftover(name, step string) *batchv1.Job {
	like := s.Now(name).Job(sample.Fetch)
	if like == nil {
		like = &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: name + "-" + sample.Fetch}}
	}
	job := resembling(like, step, earlier(name))
	s.User("has left behind a Job of step %s, from an earlier SequentialJob that was also called %s", step, name)
	s.Must(s.Client.Create(s.Context(), job))
	return job
}

// Namesake creates a Job of another owner, or of nobody, with the name that the controller may choose for a step's Job, if
// it derives names from steps: the name of like, with this step in place of like's. The Job is complete.
func (s *Scene) Namesake(like *batchv1.Job, step string, owned bool) *batchv1.Job {
	namesake := resembling(like, step, nil)
	if owned {
		namesake.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "v1", Kind: "ConfigMap", Name: "archive", UID: "00000000-0000-4000-8000-0000000000e2", Controller: new(true),
		}}
	}
	namesake.GenerateName, namesake.Finalizers = "", nil
	if namesake.Name = strings.ReplaceAll(like.Name, stage.StepOf(like), step); namesake.Name == like.Name {
		namesake.Name += "-" + step // names do not come from steps, so nothing can be in the way
	}
	s.User("has a Job %s that is not that of step %s", namesake.Name, step)
	s.Must(s.Client.Create(s.Context(), namesake))
	s.Must(s.Driver.Start(s.Context(), namesake))
	s.Must(s.Driver.Complete(s.Context(), namesake))
	return namesake
}

// Copy creates a user's Job like that of a step, with the labels of another step. The SequentialJob is among its owners, so that both
// are deleted together, but does not control it. The Job is complete.
func (s *Scene) Copy(name string, like *batchv1.Job, step string) *batchv1.Job {
	owner := s.Now(name).Object
	job := resembling(like, step, &metav1.OwnerReference{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.Kind, Name: owner.Name, UID: owner.UID,
	})
	job.Finalizers = nil
	s.User("creates a Job like that of step %s of %s, as a part of it that it does not control", step, name)
	s.Must(s.Client.Create(s.Context(), job))
	s.Must(s.Driver.Start(s.Context(), job))
	s.Must(s.Driver.Complete(s.Context(), job))
	return job
}

// Retain adds another program's finalizer to a Job, so that it stays when it is deleted.
func (s *Scene) Retain(job *batchv1.Job) {
	s.Must(retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		current := s.Reread(job)
		current.Finalizers = append(current.Finalizers, worlds.Archived)
		return s.Client.Update(s.Context(), current)
	}))
}

// Release removes the finalizer that Retain has added.
func (s *Scene) Release(job *batchv1.Job) {
	s.User("removes the finalizer of Job %s", job.Name)
	current := s.Reread(job)
	before := current.DeepCopy()
	controllerutil.RemoveFinalizer(current, worlds.Archived)
	s.Must(s.Client.Patch(s.Context(), current, client.MergeFrom(before)))
}

// OwnLabels are the labels of a Job, without those that the API server adds to every Job.
func OwnLabels(job *batchv1.Job) map[string]string {
	own := maps.Clone(job.Labels)
	maps.DeleteFunc(own, func(key, _ string) bool {
		return strings.HasPrefix(key, "batch.kubernetes.io/") || key == "job-name" || key == "controller-uid"
	})
	return own
}
