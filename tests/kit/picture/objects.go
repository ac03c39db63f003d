package picture

import (
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
)

// thing is one object by its name: an object that is created again under a name is drawn where the old one was.
type thing struct{ resource, namespace, name string }

// objects draws the state of each object from one resourceVersion to the next.
func (d *drafter) objects() {
	things, versions := groups(d.run.Changes, func(c history.Change) thing {
		return thing{c.Resource, c.Object.GetNamespace(), c.Object.GetName()}
	})
	namespaces, _ := groups(things, func(it thing) string { return it.namespace })
	for _, it := range arranged(things, versions) {
		note := versions[it][0].Object.GetKind()
		if len(namespaces) > 1 && it.namespace != "" {
			note += " in " + it.namespace
		}
		d.states(d.lane("object", it.name, note, 1), versions[it])
	}
}

// arranged puts what belongs to an object right after it, and else keeps the order.
func arranged(things []thing, versions map[thing][]history.Change) []thing {
	families, of := groups(things, func(it thing) string {
		object := versions[it][0].Object
		return it.namespace + "/" + kinds.Of(object).LogicalOf(object).Family()
	})
	var all []thing
	for _, family := range families {
		all = append(all, of[family]...)
	}
	return all
}

func (d *drafter) states(lane int, versions []history.Change) {
	before := 0
	for i, change := range versions {
		object := change.Object
		s := kinds.Of(object).StateOf(object)
		until := d.end
		if i+1 < len(versions) {
			until = versions[i+1].Seen
		}
		if change.Type == "DELETED" {
			s, until = kinds.State{Look: "gone", Label: "gone", Words: "gone"}, change.Seen
		}
		if i > 0 && versions[i-1].Type == "DELETED" {
			before = 0 // another object of that name
		}
		d.bodies = append(d.bodies, body(object))
		d.add(change.Seen, until, entry{
			mark: mark{
				Lane: lane, Kind: "state", Look: s.Look, Label: s.Label,
				Same: same(change.Resource, change.ResourceVersion), Body: len(d.bodies), Before: before,
				Cited: d.citing(func(f finding.Finding) bool { return slices.Contains(f.Changes, change.ResourceVersion) }),
			},
			What: fmt.Sprintf("%s %s %s: %s", change.Type, object.GetKind(), object.GetName(), s.Words),
			Details: known(
				detail{"resourceVersion", version(change.ResourceVersion)},
				detail{"generation", fmt.Sprint(object.GetGeneration())},
				detail{"uid", string(object.GetUID())},
			),
		})
		before = len(d.bodies)
	}
}

// body is the object as JSON, without who manages which field, which is longer than all the rest.
func body(object *unstructured.Unstructured) string {
	object = object.DeepCopy()
	object.SetManagedFields(nil)
	text, err := json.MarshalIndent(object.Object, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}
