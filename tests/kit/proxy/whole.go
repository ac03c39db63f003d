package proxy

import (
	"context"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// whole returns an object with the fields that say what it represents. A client that asks for metadata alone does not
// receive them, so another watch must have shown the object. The client's event may arrive before the response to the
// creation, and before that watch's event. Then whole waits, as if the client's event had taken longer. The other watch
// waits for nobody, so this ends. The proxy must not be locked.
func (p *Proxy) whole(ctx context.Context, t target, object *unstructured.Unstructured) *unstructured.Unstructured {
	partial := !isWhole(object) && t.kind().Logical != nil && object.GetNamespace() == p.options.Namespace && object.GetUID() != ""
	if !partial || p.options.Whole == nil {
		return object
	}
	seen := p.options.Whole(ctx, t.resource, object.GetUID())
	if seen == nil {
		return object
	}
	content := maps.Clone(seen.Object)
	content["metadata"] = object.Object["metadata"] // of that version
	return &unstructured.Unstructured{Object: content}
}

// isWhole says whether an object is all there, and not only its metadata.
func isWhole(object *unstructured.Unstructured) bool {
	switch object.GetKind() {
	case "PartialObjectMetadata", "Table", "Status":
		return false
	}
	return true
}

// objectsIn returns the objects in a response: one, those of a list, or those of a table's rows.
func objectsIn(body *unstructured.Unstructured) (objects []*unstructured.Unstructured) {
	switch {
	case body.GetKind() == "Table":
		rows, _, _ := unstructured.NestedSlice(body.Object, "rows")
		for _, row := range rows {
			if object := inRow(row); object != nil {
				objects = append(objects, &unstructured.Unstructured{Object: object})
			}
		}
	case body.IsList():
		_ = body.EachListItem(func(item runtime.Object) error { // up to one that is no object
			objects = append(objects, item.(*unstructured.Unstructured))
			return nil
		})
	default:
		objects = append(objects, body)
	}
	return objects
}

// inRow is the object that a row of a table is about; nil if the row does not have it.
func inRow(row any) map[string]any {
	columns, _ := row.(map[string]any)
	object, _ := columns["object"].(map[string]any)
	return object
}
