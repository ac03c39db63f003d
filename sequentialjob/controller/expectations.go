package controller

import (
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/sequentialjob/internal/attempts"
)

// asking is how long to wait before the API server is asked again for what it has refused for now.
var asking = attempts.Pace{First: firstRetry, Longest: lastRetry}

// expectations hold, for each SequentialJob that this process has written to, what the cache must
// show before the next reconcile may trust it. Losing them in a restart is harmless: confirm then
// reads the object from the API server once. The zero value is ready.
type expectations struct {
	mu      sync.Mutex
	entries map[types.NamespacedName]*expectation
}

type expectation struct {
	uid types.UID // an entry is about one object, not about the next one of that name

	resourceVersion string // the oldest state of the object that may be acted on

	job *expectedJob

	// knowsJob says that this process has written to the object's Job or confirmed its state.
	knowsJob bool

	// created is the UID of the Job that was created for the step whose Job is named createdName.
	// It is the first one that this process created or saw, and counts until the status names it.
	created     types.UID
	createdName string

	// refusals are the attempts in a row at which the API server has refused for now what the object needs.
	refusals attempts.Attempts

	// stepEnd is when a reconcile saw a step finished and claimed the next one; zero when no claim
	// is open.
	stepEnd time.Time
}

// expectedJob is a Job as this process left it.
type expectedJob struct {
	uid             types.UID
	resourceVersion string
	deleted         bool
	since           time.Time
}

// expectObject expects the cache to show the object in the given state, or a newer one.
func (e *expectations) expectObject(object *v1alpha1.SequentialJob) {
	e.update(object, func(entry *expectation) { entry.resourceVersion = object.ResourceVersion })
}

// knows says whether this process has written to the object or confirmed its state.
func (e *expectations) knows(object *v1alpha1.SequentialJob) (known bool) {
	e.read(object, func(entry *expectation) { known = entry.resourceVersion != "" })
	return known
}

// confirmJob records that the cache shows the current state of the object's Job.
func (e *expectations) confirmJob(object *v1alpha1.SequentialJob) {
	e.update(object, func(entry *expectation) { entry.knowsJob = true })
}

// knowsJobOf says whether this process has written to a Job of the object or confirmed its state.
func (e *expectations) knowsJobOf(object *v1alpha1.SequentialJob) (known bool) {
	e.read(object, func(entry *expectation) { known = entry.knowsJob })
	return known
}

// objectStale says whether the object, as the cache shows it, is older than expected.
func (e *expectations) objectStale(object *v1alpha1.SequentialJob) (stale bool) {
	e.read(object, func(entry *expectation) {
		stale = entry.resourceVersion != "" && older(object.ResourceVersion, entry.resourceVersion)
	})
	return stale
}

// expectJob expects the cache to show the current step's Job in the given state, or a newer one.
func (e *expectations) expectJob(object *v1alpha1.SequentialJob, job *batchv1.Job, now time.Time) {
	e.update(object, func(entry *expectation) {
		entry.job = &expectedJob{uid: job.UID, resourceVersion: job.ResourceVersion, since: now}
		entry.knowsJob = true
	})
}

// expectRead expects the same of a Job that was read from the API server. Nothing waits for it: until the cache shows
// that state, reconciles read the Job again. Otherwise a status could report a state that is older than the one before.
func (e *expectations) expectRead(object *v1alpha1.SequentialJob, job *batchv1.Job) {
	e.expectJob(object, job, time.Time{})
}

// expectDeletion expects the cache to show that the current step's Job is being deleted, or gone.
func (e *expectations) expectDeletion(object *v1alpha1.SequentialJob, job *batchv1.Job, now time.Time) {
	e.update(object, func(entry *expectation) {
		entry.job = &expectedJob{uid: job.UID, resourceVersion: job.ResourceVersion, deleted: true, since: now}
		entry.knowsJob = true
	})
}

// jobStale says whether the current step's Job, as the cache shows it (nil for none), is older than
// expected, and since when the cache has been waited for.
func (e *expectations) jobStale(object *v1alpha1.SequentialJob, cached *batchv1.Job) (since time.Time, stale bool) {
	e.read(object, func(entry *expectation) {
		if entry.job == nil {
			return
		}
		if entry.job.satisfiedBy(cached) {
			entry.job = nil
			return
		}
		since, stale = entry.job.since, true
	})
	return since, stale
}

// behind says whether a Job of the object, as the cache shows it, is older than this process has left it.
func (e *expectations) behind(object *v1alpha1.SequentialJob, cached *batchv1.Job) (behind bool) {
	e.read(object, func(entry *expectation) {
		behind = entry.job != nil && entry.job.uid == cached.UID && !entry.job.satisfiedBy(cached)
	})
	return behind
}

func (e *expectedJob) satisfiedBy(cached *batchv1.Job) bool {
	switch {
	case cached == nil:
		return e.deleted
	case e.deleted && cached.UID == e.uid:
		return beingDeleted(cached) || jobFinished(cached) // it may finish before it is deleted, and its events arrive in that order
	default:
		return !older(cached.ResourceVersion, e.resourceVersion)
	}
}

// recordRefusal records that the API server has refused for now what the object needs, and returns when to ask again.
func (e *expectations) recordRefusal(object *v1alpha1.SequentialJob, now time.Time) (retry time.Time) {
	e.update(object, func(entry *expectation) {
		entry.refusals.Record(now)
		retry = entry.refusals.Next(asking)
	})
	return retry
}

// recordAcceptance records that the API server has created what the object needs.
func (e *expectations) recordAcceptance(object *v1alpha1.SequentialJob) {
	e.update(object, func(entry *expectation) { entry.refusals = attempts.Attempts{} })
}

// retryAt returns what recordRefusal returned last; zero once what was refused is there.
func (e *expectations) retryAt(object *v1alpha1.SequentialJob) (retry time.Time) {
	e.read(object, func(entry *expectation) { retry = entry.refusals.Next(asking) })
	return retry
}

// recordCreation records that the current step has had its Job, so nothing is refused any more. A Job that takes its place later
// is not recorded.
func (e *expectations) recordCreation(object *v1alpha1.SequentialJob, job *batchv1.Job) {
	e.update(object, func(entry *expectation) {
		entry.refusals = attempts.Attempts{}
		if entry.createdName != job.Name {
			entry.created, entry.createdName = job.UID, job.Name
		}
	})
}

// createdJob returns the UID that recordCreation recorded for a Job of that name.
func (e *expectations) createdJob(object *v1alpha1.SequentialJob, name string) (uid types.UID) {
	e.read(object, func(entry *expectation) {
		if entry.createdName == name {
			uid = entry.created
		}
	})
	return uid
}

// recordStepEnd records when a reconcile saw a step finished and claimed the next one.
func (e *expectations) recordStepEnd(object *v1alpha1.SequentialJob, now time.Time) {
	e.update(object, func(entry *expectation) { entry.stepEnd = now })
}

// takeStepEnd returns what recordStepEnd recorded, once; zero when there is nothing.
func (e *expectations) takeStepEnd(object *v1alpha1.SequentialJob) (at time.Time) {
	e.read(object, func(entry *expectation) { at, entry.stepEnd = entry.stepEnd, time.Time{} })
	return at
}

// forget drops the entry of a name whose object is gone.
func (e *expectations) forget(key types.NamespacedName) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.entries, key)
}

// read calls see with the object's entry, if there is one.
func (e *expectations) read(object *v1alpha1.SequentialJob, see func(*expectation)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if entry := e.entries[client.ObjectKeyFromObject(object)]; entry != nil && entry.uid == object.UID {
		see(entry)
	}
}

// update calls edit with the object's entry, a new one if there is none.
func (e *expectations) update(object *v1alpha1.SequentialJob, edit func(*expectation)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := client.ObjectKeyFromObject(object)
	entry := e.entries[key]
	if entry == nil || entry.uid != object.UID {
		entry = &expectation{uid: object.UID}
		if e.entries == nil {
			e.entries = map[types.NamespacedName]*expectation{}
		}
		e.entries[key] = entry
	}
	edit(entry)
}

// older compares two resourceVersions of one resource. A version that can't be compared is not
// older, so that no reconcile waits for it indefinitely.
func older(a, b string) bool {
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && order < 0
}
