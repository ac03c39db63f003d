package main

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// versions hold, for each Workspace that this process has written to or confirmed, the state that the cache must show before a
// reconcile may trust it. Each write changes the object, so its event is certain to arrive. The zero value is ready.
type versions struct {
	mu      sync.Mutex
	entries map[types.NamespacedName]version
}

// version is a state of one object. The next object of that name has another UID.
type version struct {
	uid             types.UID
	resourceVersion string
}

// expect expects the cache to show an object as it is now, or newer.
func (v *versions) expect(object *v1alpha1.Workspace) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.entries == nil {
		v.entries = map[types.NamespacedName]version{}
	}
	v.entries[client.ObjectKeyFromObject(object)] = version{object.UID, object.ResourceVersion}
}

// knows says whether this process has written to the object, or has confirmed its state.
func (v *versions) knows(object *v1alpha1.Workspace) bool { return v.expected(object) != "" }

// stale says whether the object, as the cache shows it, is older than expected.
func (v *versions) stale(object *v1alpha1.Workspace) bool {
	expected := v.expected(object)
	return expected != "" && older(object.ResourceVersion, expected)
}

// expected returns the expected resourceVersion; empty for none.
func (v *versions) expected(object *v1alpha1.Workspace) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if entry := v.entries[client.ObjectKeyFromObject(object)]; entry.uid == object.UID {
		return entry.resourceVersion
	}
	return ""
}

// forget drops the entry of a name whose object is gone, and returns the object's UID; empty for none.
func (v *versions) forget(key types.NamespacedName) types.UID {
	v.mu.Lock()
	defer v.mu.Unlock()
	uid := v.entries[key].uid
	delete(v.entries, key)
	return uid
}
