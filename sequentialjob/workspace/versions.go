package workspace

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// versions hold, for each Workspace that this process has written to or confirmed, the resourceVersion that the cache must show
// before the next reconcile may trust it. Each such write changes the object, so an event arrives. The zero value is ready.
type versions struct {
	mu      sync.Mutex
	entries map[types.NamespacedName]version
}

type version struct {
	uid             types.UID // an entry is about one object, not about the next one of that name
	resourceVersion string
}

// expect expects the cache to show the object in this state, or a newer one.
func (v *versions) expect(object *v1alpha1.Workspace) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.entries == nil {
		v.entries = map[types.NamespacedName]version{}
	}
	v.entries[client.ObjectKeyFromObject(object)] = version{object.UID, object.ResourceVersion}
}

// knows says whether this process has written to the object or confirmed its state.
func (v *versions) knows(object *v1alpha1.Workspace) bool {
	_, known := v.of(object)
	return known
}

// stale says whether the object, as the cache shows it, is older than expected. A version that can't be compared is not older.
func (v *versions) stale(object *v1alpha1.Workspace) bool {
	expected, known := v.of(object)
	if !known {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(object.ResourceVersion, expected)
	return err == nil && order < 0
}

func (v *versions) of(object *v1alpha1.Workspace) (resourceVersion string, known bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	entry, known := v.entries[client.ObjectKeyFromObject(object)]
	return entry.resourceVersion, known && entry.uid == object.UID
}

// forget drops the entry of a name whose object is gone, and returns the object's UID; empty for none.
func (v *versions) forget(key types.NamespacedName) types.UID {
	v.mu.Lock()
	defer v.mu.Unlock()
	uid := v.entries[key].uid
	delete(v.entries, key)
	return uid
}
