package main

import (
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// expectations hold, for each SequentialJob that this process has written to, what the cache must show before a reconcile may
// trust it. They are gone after a restart, which is why confirm exists. The zero value is ready.
type expectations struct {
	mu      sync.Mutex
	entries map[types.NamespacedName]*expectation
}

// expectation is about one object. The next object of that name has another UID.
type expectation struct {
	uid types.UID

	resourceVersion string // the oldest state of the object that a reconcile may act on; empty before this process has written to it

	job      *expectedJob // as this process left it; nil once the cache has shown it
	knowsJob bool         // this process has written to the object's Job, or has confirmed its state

	// created is the UID of the Job that a step has had, as this process knows. The status may not name it yet.
	created     types.UID
	createdStep string
}

// expectedJob is what the cache must show of a Job.
type expectedJob struct {
	uid             types.UID
	resourceVersion string
	deleted         bool      // that it is gone, or being deleted
	since           time.Time // zero if nothing waits for it
}

// expectObject expects the cache to show an object as it is now, or newer.
func (e *expectations) expectObject(object *v1alpha1.SequentialJob) {
	e.update(object, func(entry *expectation) { entry.resourceVersion = object.ResourceVersion })
}

// expectJob expects the cache to show a Job as it is now, or newer.
func (e *expectations) expectJob(seen facts, job *batchv1.Job) {
	e.update(seen.object, func(entry *expectation) {
		entry.job, entry.knowsJob = &expectedJob{uid: job.UID, resourceVersion: job.ResourceVersion, since: seen.now.Time}, true
	})
}

// expectRead is expectJob for a Job that was read from the API server. Nothing waits for it: until the cache shows that state,
// reconciles read the Job again. Otherwise a status could report an older state than the one before.
func (e *expectations) expectRead(object *v1alpha1.SequentialJob, job *batchv1.Job) {
	e.update(object, func(entry *expectation) {
		entry.job, entry.knowsJob = &expectedJob{uid: job.UID, resourceVersion: job.ResourceVersion}, true
	})
}

// expectCreated is expectJob for the Job of a step that has just been created, or found to exist.
func (e *expectations) expectCreated(seen facts, step string, job *batchv1.Job) {
	e.expectJob(seen, job)
	e.recordCreated(seen.object, step, job)
}

// recordCreated records that a step has had its Job. A Job that takes its place later is not recorded.
func (e *expectations) recordCreated(object *v1alpha1.SequentialJob, step string, job *batchv1.Job) {
	e.update(object, func(entry *expectation) {
		if entry.createdStep != step {
			entry.created, entry.createdStep = job.UID, step
		}
	})
}

// expectDeletion expects the cache to show that a Job is being deleted, or gone.
func (e *expectations) expectDeletion(seen facts, job *batchv1.Job) {
	e.update(seen.object, func(entry *expectation) {
		entry.job, entry.knowsJob = &expectedJob{uid: job.UID, deleted: true, since: seen.now.Time}, true
	})
}

// knows says whether this process has written to the object, or has confirmed its state.
func (e *expectations) knows(object *v1alpha1.SequentialJob) (known bool) {
	e.read(object, func(entry *expectation) { known = entry.resourceVersion != "" })
	return known
}

// confirmJob records that the cache shows the current state of the object's Job.
func (e *expectations) confirmJob(object *v1alpha1.SequentialJob) {
	e.update(object, func(entry *expectation) { entry.knowsJob = true })
}

// knowsJobOf says whether this process has written to a Job of the object, or has confirmed its state.
func (e *expectations) knowsJobOf(object *v1alpha1.SequentialJob) (known bool) {
	e.read(object, func(entry *expectation) { known = entry.knowsJob })
	return known
}

// createdFor returns the UID of the Job that a step has had, as far as this process knows; empty if it knows of none.
func (e *expectations) createdFor(object *v1alpha1.SequentialJob, step string) (uid types.UID) {
	e.read(object, func(entry *expectation) {
		if entry.createdStep == step {
			uid = entry.created
		}
	})
	return uid
}

// objectStale says whether the object, as the cache shows it, is older than expected.
func (e *expectations) objectStale(object *v1alpha1.SequentialJob) (stale bool) {
	e.read(object, func(entry *expectation) {
		//exercise:begin object-stale Compare the object with what is expected. older compares two resourceVersions.
		//exercise:task This process may not have written to the object yet.
		stale = entry.resourceVersion != "" && older(object.ResourceVersion, entry.resourceVersion)
		//exercise:end
	})
	return stale
}

// jobStale says whether the cache, which has these Jobs of the object, does not show the expected one yet, and since when
// that is waited for. What has been shown is no longer expected.
func (e *expectations) jobStale(object *v1alpha1.SequentialJob, cached []batchv1.Job) (since time.Time, stale bool) {
	e.read(object, func(entry *expectation) {
		if entry.job != nil && entry.job.isShown(cached) {
			entry.job = nil
		}
		if entry.job != nil {
			since, stale = entry.job.since, true
		}
	})
	return since, stale
}

// behind says whether one of the object's Jobs, as the cache shows it, is older than this process has left it.
func (e *expectations) behind(object *v1alpha1.SequentialJob, job *batchv1.Job) (behind bool) {
	e.read(object, func(entry *expectation) {
		behind = entry.job != nil && entry.job.uid == job.UID && !entry.job.isShown([]batchv1.Job{*job})
	})
	return behind
}

// isShown says whether the cache, which has these Jobs, shows what is expected.
func (e *expectedJob) isShown(cached []batchv1.Job) bool {
	for i := range cached {
		job := &cached[i]
		if job.UID != e.uid {
			continue
		}
		//exercise:begin job-shown The cache has the Job. Is it as it is expected to be? Think of a creation, of a change, and of a deletion.
		if e.deleted {
			return beingDeleted(job) || jobFinished(job) // it may finish before it is deleted, and its events arrive in that order
		}
		return !older(job.ResourceVersion, e.resourceVersion)
		//exercise:starter return true
		//exercise:end
	}
	//exercise:begin job-missing The cache does not have the Job. Which of the three is then shown?
	return e.deleted
	//exercise:starter return true
	//exercise:end
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

// update calls change with the object's entry, a new one if there is none.
func (e *expectations) update(object *v1alpha1.SequentialJob, change func(*expectation)) {
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
	change(entry)
}

// older compares two resourceVersions of one kind. One that can't be compared is not older, so that no reconcile waits for
// it indefinitely.
func older(a, b string) bool {
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && order < 0
}
