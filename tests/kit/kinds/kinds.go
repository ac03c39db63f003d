// Package kinds is what the kit knows about each kind of object: its resource, what an object represents, how
// its state is drawn, and in which fields two runs may differ. An entry in Table is all that a new kind needs.
package kinds

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/tests/kit/history"
)

// Kind is one kind of object. Its objects have a namespace.
type Kind struct {
	schema.GroupVersionResource
	Kind string // "Job"

	// Logical returns what an object represents, whatever its name is; nil if its name says that.
	Logical func(*unstructured.Unstructured) history.Logical
	// State describes the state of an object; nil if the object has none. It makes no assumptions: the
	// controller under test may have written anything.
	State func(*unstructured.Unstructured) State
	// Masks are the fields that two runs are not compared by, besides those that no kind is compared by.
	Masks []Mask
}

// State is what an object is like: a look, a label short enough for a drawing, and words.
type State struct{ Look, Label, Words string }

// Mask is a field that two runs are not compared by.
type Mask struct {
	Path string // of the field with all below it; [*], once, matches any entry; empty for whole objects
	// Present ignores the value, and compares only whether the field is present.
	Present bool
	Why     string
}

// Of returns an object's kind. Of a kind that is not in Table, no more is known than what it is called.
func Of(object *unstructured.Unstructured) Kind {
	is := object.GroupVersionKind()
	for _, kind := range Table {
		if kind.Kind == is.Kind && kind.Group == is.Group {
			return kind
		}
	}
	return Kind{Kind: is.Kind}
}

// OfResource returns the kind of a resource, and whether it is in Table.
func OfResource(group, resource string) (Kind, bool) {
	i := slices.IndexFunc(Table, func(kind Kind) bool { return kind.Resource == resource && kind.Group == group })
	if i < 0 {
		return Kind{}, false
	}
	return Table[i], true
}

// LogicalOf returns what an object of the kind represents.
func (k Kind) LogicalOf(object *unstructured.Unstructured) history.Logical {
	if k.Logical == nil {
		return history.Logical(object.GetName())
	}
	return k.Logical(object)
}

// StateOf says what an object of the kind is like.
func (k Kind) StateOf(object *unstructured.Unstructured) State {
	s := alike("new", "there")
	if k.State != nil {
		s = k.State(object)
	}
	if object.GetDeletionTimestamp() != nil {
		s = State{"deleting", "being deleted · " + s.Label, "being deleted; " + s.Words}
	}
	return s
}

// Compared says whether two runs are compared by objects of the kind.
func (k Kind) Compared() bool {
	return !slices.ContainsFunc(k.Masks, func(mask Mask) bool { return mask.Path == "" })
}

// Covers says whether a field, by its path, is masked.
func (m Mask) Covers(path string) bool {
	list, field, anyEntry := strings.Cut(m.Path, "[*]")
	rest, covers := strings.CutPrefix(path, list)
	if anyEntry && covers {
		entry, after, _ := strings.Cut(rest, "]")
		rest, covers = strings.CutPrefix(after, field)
		covers = covers && strings.HasPrefix(entry, "[")
	}
	return covers && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// List returns the objects of the kind in a namespace.
func (k Kind) List(ctx context.Context, server client.Reader, namespace string) ([]*unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(k.GroupVersion().WithKind(k.Kind + "List"))
	if err := server.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for i := range list.Items {
		objects = append(objects, &list.Items[i])
	}
	return objects, nil
}

// Names returns the objects of these kinds in a namespace: "SequentialJob run", "Job run-one".
func Names(ctx context.Context, server client.Reader, namespace string, of ...Kind) ([]string, error) {
	var names []string
	for _, kind := range of {
		objects, err := kind.List(ctx, server, namespace)
		if err != nil {
			return nil, err
		}
		for _, object := range objects {
			names = append(names, kind.Kind+" "+object.GetName())
		}
	}
	return names, nil
}
