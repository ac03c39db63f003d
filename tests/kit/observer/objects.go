package observer

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Objects are copies of the existing objects, by resource and name: objects["jobs"]["web-build"].
type Objects map[string]map[string]*unstructured.Unstructured

// All returns them in one list, in no particular order.
func (objects Objects) All() []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, byName := range objects {
		all = slices.AppendSeq(all, maps.Values(byName))
	}
	return all
}

// Objects returns the objects that exist, as the watches have last shown them. They are shared and must not be changed.
func (o *Observer) Objects() Objects {
	o.mu.Lock()
	defer o.mu.Unlock()
	objects := Objects{}
	for _, k := range o.kinds {
		objects[k.resource] = map[string]*unstructured.Unstructured{}
		for _, object := range k.objects {
			objects[k.resource][object.GetName()] = object
		}
	}
	return objects
}

// Whole waits until an object has been seen, and returns it as it was seen last. It may be gone since. The object is
// shared and must not be changed. Whole returns nil if the resource is not observed, or when the observation fails.
func (o *Observer) Whole(ctx context.Context, resource string, uid types.UID) (object *unstructured.Unstructured) {
	for _, k := range o.kinds {
		if k.resource != resource {
			continue
		}
		_ = o.await(ctx, func() bool { // Err returns what failed
			o.mu.Lock()
			defer o.mu.Unlock()
			object = k.born[uid]
			return object != nil
		})
	}
	return object
}

// await waits until something is so. It fails when the observation does.
func (o *Observer) await(ctx context.Context, done func() bool) error {
	for {
		changed := o.Changed()
		if done() {
			return nil
		}
		if err := o.Err(); err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for the objects to change: %w", context.Cause(ctx))
		}
	}
}
