package proxy

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/kit/history"
)

// names gives requests and events their names, and remembers what objects represent. It is used under the proxy's lock.
type names struct {
	namespace string
	logical   map[objectKey]history.Logical // what was last seen under that name
	calls     map[history.Call]int          // how many there were; the keys have no Nth
	moments   map[versionKey]history.Moment
	counts    map[history.Moment]int // how many there were; the keys have no Nth
	sights    map[history.Moment]sight
}

type objectKey struct {
	resource string
	name     history.Name
}

// versionKey is one state of an object. Its deletion is another one: a watch with a selector reports
// a deletion when the object leaves the selection, with the version of the change.
type versionKey struct {
	resource, uid, version string
	deleted                bool
}

// sight is the first time that an event was seen.
type sight struct {
	instance int
	version  string
}

func newNames(namespace string) *names {
	return &names{
		namespace: namespace,
		logical:   map[objectKey]history.Logical{},
		calls:     map[history.Call]int{},
		moments:   map[versionKey]history.Moment{},
		counts:    map[history.Moment]int{},
		sights:    map[history.Moment]sight{},
	}
}

// call names a request before it goes to the API server. Nth stays 0 for one that is not about the run.
func (n *names) call(t target, body *unstructured.Unstructured) history.Call {
	call := history.Call{Verb: t.verb, Resource: t.fullResource(), Object: n.logicalOf(t, body)}
	all := t.namespace == "" && (t.verb == "list" || t.verb == "deletecollection")
	if t.resource == leases || t.namespace != n.namespace && !all {
		return call
	}
	n.calls[call]++
	call.Nth = n.calls[call]
	return call
}

// logicalOf returns what the object of a request represents. An object to create is in the body, the others are
// known by their names. The first attempt to create an object shows what its name means, even if it fails.
func (n *names) logicalOf(t target, body *unstructured.Unstructured) history.Logical {
	switch {
	case t.name == "" && t.verb != "create":
		return history.None
	case t.name == "":
		if body == nil {
			return "?"
		}
		logical := t.kind().LogicalOf(body)
		key := objectKey{t.resource, history.Name{Namespace: t.namespace, Name: body.GetName()}}
		if _, known := n.logical[key]; !known && key.name.Name != "" {
			n.logical[key] = logical
		}
		return logical
	}
	logical, known := n.logical[objectKey{t.resource, history.Name{Namespace: t.namespace, Name: t.name}}]
	switch {
	case known:
		return logical
	case body != nil && (t.verb == "update" || t.verb == "patch"):
		return t.kind().LogicalOf(body)
	default:
		return history.Logical(t.name)
	}
}

// remember remembers what an object of a target represents.
func (n *names) remember(t target, object *unstructured.Unstructured) {
	if object.GetName() == "" || !isWhole(object) {
		return
	}
	n.logical[objectKey{t.resource, nameOf(object)}] = t.kind().LogicalOf(object)
}

// moment names an event. The first name that a state of an object got stays its name, on whatever
// stream it is seen again.
func (n *names) moment(kind, resource string, object *unstructured.Unstructured, instance int) history.Moment {
	key := versionKey{resource, string(object.GetUID()), object.GetResourceVersion(), kind == "DELETED"}
	if moment, known := n.moments[key]; known {
		return moment
	}
	moment := history.Moment{Type: kind, Resource: resource, Object: history.Logical(object.GetName())}
	if logical, known := n.logical[objectKey{resource, nameOf(object)}]; known {
		moment.Object = logical
	}
	n.counts[moment]++
	moment.Nth = n.counts[moment]
	n.moments[key] = moment
	n.sights[moment] = sight{instance: instance, version: object.GetResourceVersion()}
	return moment
}

func nameOf(object *unstructured.Unstructured) history.Name {
	return history.Name{Namespace: object.GetNamespace(), Name: object.GetName()}
}
