package finding

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
)

// changed describes what a change made of an object: "Job web-build: Complete=True".
func changed(run history.Run, change history.Change) string {
	name := change.Object.GetKind() + " " + change.Object.GetName()
	switch change.Type {
	case "ADDED":
		return name + " is created"
	case "DELETED":
		return name + " is gone"
	}
	known := facts(before(run, change))
	added := slices.DeleteFunc(facts(change.Object), func(fact string) bool { return slices.Contains(known, fact) })
	if len(added) == 0 {
		return name + " changes"
	}
	return name + ": " + strings.Join(added, ", ")
}

// before is the object as it was before a change; nil when that is not known.
func before(run history.Run, change history.Change) (object *unstructured.Unstructured) {
	for _, other := range run.Changes {
		if other.Object.GetUID() == change.Object.GetUID() && other.ResourceVersion < change.ResourceVersion {
			object = other.Object
		}
	}
	return object
}

// facts are the parts of an object's state that a finding mentions. The controller may have written anything into it.
func facts(object *unstructured.Unstructured) []string {
	if object == nil {
		return nil
	}
	var all []string
	if object.GetDeletionTimestamp() != nil {
		all = append(all, "being deleted")
	}
	if suspended, found, _ := unstructured.NestedBool(object.Object, "spec", "suspend"); found {
		all = append(all, fmt.Sprintf("suspend=%t", suspended))
	}
	for _, step := range kinds.MapsIn(object, "status", "steps") {
		all = append(all, fmt.Sprintf("step %v %v", step["name"], step["state"]))
	}
	for _, condition := range kinds.MapsIn(object, "status", "conditions") {
		all = append(all, fmt.Sprintf("%v=%v", condition["type"], condition["status"]))
	}
	return all
}
