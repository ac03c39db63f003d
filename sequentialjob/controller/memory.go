package controller

import (
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// memory holds, for each SequentialJob that this process has written to, what the cache has to show
// before the next pass may trust it: expectations. Losing it is harmless, as in a restart: then
// confirm asks the API server once. The zero value is ready.
type memory struct {
	mu      sync.Mutex
	entries map[types.NamespacedName]*recollection
}

type recollection struct {
	uid types.UID // an entry speaks for one object, not for the next one of that name

	resourceVersion string // the oldest state of the object that may be acted on

	job *expectedJob

	// created is the UID of the Job that was created for the step whose Job is named createdName,
	// the first one that this process made or saw, for the time until the status tells.
	created     types.UID
	createdName string

	// stepOver is when a pass saw that a step was over and claimed the next one; zero when no
	// claim is open.
	stepOver time.Time
}

// expectedJob is a Job as this process left it.
type expectedJob struct {
	uid             types.UID
	resourceVersion string
	deleted         bool
	since           time.Time
}

// objectIsAt notes that the object has reached the given state.
func (m *memory) objectIsAt(object *v1alpha1.SequentialJob) {
	m.change(object, func(entry *recollection) { entry.resourceVersion = object.ResourceVersion })
}

// knows says whether this process has written to the object or confirmed its state.
func (m *memory) knows(object *v1alpha1.SequentialJob) (known bool) {
	m.look(object, func(entry *recollection) { known = entry.resourceVersion != "" })
	return known
}

// objectBehind says whether the object, as the cache shows it, is older than this process knows it to be.
func (m *memory) objectBehind(object *v1alpha1.SequentialJob) (behind bool) {
	m.look(object, func(entry *recollection) {
		behind = entry.resourceVersion != "" && older(object.ResourceVersion, entry.resourceVersion)
	})
	return behind
}

// jobIsAt notes the state of the current step's Job after a write.
func (m *memory) jobIsAt(object *v1alpha1.SequentialJob, job *batchv1.Job, now time.Time) {
	m.change(object, func(entry *recollection) {
		entry.job = &expectedJob{uid: job.UID, resourceVersion: job.ResourceVersion, since: now}
	})
}

// jobIsCreated notes that the current step has had its Job. Another one that takes its place later
// is not noted.
func (m *memory) jobIsCreated(object *v1alpha1.SequentialJob, job *batchv1.Job) {
	m.change(object, func(entry *recollection) {
		if entry.createdName != job.Name {
			entry.created, entry.createdName = job.UID, job.Name
		}
	})
}

// createdJob returns the UID that jobIsCreated noted for a Job of that name.
func (m *memory) createdJob(object *v1alpha1.SequentialJob, name string) (uid types.UID) {
	m.look(object, func(entry *recollection) {
		if entry.createdName == name {
			uid = entry.created
		}
	})
	return uid
}

// jobIsGoing notes that the current step's Job has been asked to go.
func (m *memory) jobIsGoing(object *v1alpha1.SequentialJob, job *batchv1.Job, now time.Time) {
	m.change(object, func(entry *recollection) {
		entry.job = &expectedJob{uid: job.UID, resourceVersion: job.ResourceVersion, deleted: true, since: now}
	})
}

// jobBehind says whether the current step's Job, as the cache shows it (nil for none), is older
// than this process knows it to be, and since when the cache has been waited for.
func (m *memory) jobBehind(object *v1alpha1.SequentialJob, cached *batchv1.Job) (since time.Time, behind bool) {
	m.look(object, func(entry *recollection) {
		if entry.job == nil {
			return
		}
		if entry.job.shownBy(cached) {
			entry.job = nil
			return
		}
		since, behind = entry.job.since, true
	})
	return since, behind
}

func (e *expectedJob) shownBy(cached *batchv1.Job) bool {
	switch {
	case cached == nil:
		return e.deleted
	case cached.UID != e.uid:
		return !older(cached.ResourceVersion, e.resourceVersion)
	case e.deleted:
		return beingDeleted(cached)
	default:
		return !older(cached.ResourceVersion, e.resourceVersion)
	}
}

// stepIsOver notes when a step was seen to be over and the next one was claimed.
func (m *memory) stepIsOver(object *v1alpha1.SequentialJob, now time.Time) {
	m.change(object, func(entry *recollection) { entry.stepOver = now })
}

// takeStepOver returns what stepIsOver noted, once; zero when there is nothing.
func (m *memory) takeStepOver(object *v1alpha1.SequentialJob) (at time.Time) {
	m.look(object, func(entry *recollection) { at, entry.stepOver = entry.stepOver, time.Time{} })
	return at
}

// forget drops what is known of a name whose object is gone.
func (m *memory) forget(key types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, key)
}

// look calls see with the object's entry, if there is one.
func (m *memory) look(object *v1alpha1.SequentialJob, see func(*recollection)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if entry := m.entries[client.ObjectKeyFromObject(object)]; entry != nil && entry.uid == object.UID {
		see(entry)
	}
}

// change calls edit with the object's entry, a new one if there is none.
func (m *memory) change(object *v1alpha1.SequentialJob, edit func(*recollection)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := client.ObjectKeyFromObject(object)
	entry := m.entries[key]
	if entry == nil || entry.uid != object.UID {
		entry = &recollection{uid: object.UID}
		if m.entries == nil {
			m.entries = map[types.NamespacedName]*recollection{}
		}
		m.entries[key] = entry
	}
	edit(entry)
}

// older compares two resourceVersions of one resource. What can't be compared is not older, so that
// nothing waits for ever.
func older(a, b string) bool {
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && order < 0
}
