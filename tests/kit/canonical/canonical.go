// Package canonical brings the objects of two runs into a form in which they can be compared: without
// what differs from run to run though nothing is different.
package canonical

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/kit/kinds"
)

// State is what objects look like at rest, by their kind and what they stand for, however they are named:
// "Job web/build". Of Jobs that stand for the same step each is listed.
type State map[string][]Object

// Object is an object's fields: "status.steps[build].state" to "Succeeded".
type Object map[string]string

// Of returns the state of objects.
func Of(objects []*unstructured.Unstructured) State {
	state := State{}
	for _, object := range objects {
		kind := kinds.Of(object)
		if !kind.Compared() {
			continue
		}
		fields := Object{}
		flatten(fields, "", object.Object)
		mask(kind, fields)
		state[subjectOf(object)] = append(state[subjectOf(object)], fields)
	}
	for _, same := range state {
		slices.SortFunc(same, func(a, b Object) int { return strings.Compare(a.String(), b.String()) })
	}
	return state
}

// subjectOf is what an object is listed under.
func subjectOf(object *unstructured.Unstructured) string {
	return object.GetKind() + " " + string(kinds.Of(object).LogicalOf(object))
}

// String has a line for each field, in order.
func (o Object) String() string {
	var text strings.Builder
	for _, path := range slices.Sorted(maps.Keys(o)) {
		fmt.Fprintf(&text, "%s: %s\n", path, o[path])
	}
	return text.String()
}

// String has a line for each field of each object, in order.
func (s State) String() string {
	var text strings.Builder
	for _, subject := range slices.Sorted(maps.Keys(s)) {
		for _, object := range s[subject] {
			fmt.Fprintf(&text, "%s\n", subject)
			for line := range strings.Lines(object.String()) {
				text.WriteString("  " + line)
			}
		}
	}
	return text.String()
}

// flatten lists the fields of a value under their paths. What has no parts counts as a field, empty
// lists and maps too.
func flatten(fields Object, path string, value any) {
	switch value := value.(type) {
	case map[string]any:
		if len(value) == 0 {
			fields[path] = "{}"
		}
		for key, part := range value {
			flatten(fields, join(path, key), part)
		}
	case []any:
		if len(value) == 0 {
			fields[path] = "[]"
		}
		for i, part := range value {
			flatten(fields, fmt.Sprintf("%s[%s]", path, keyOf(part, i)), part)
		}
	default:
		fields[path] = fmt.Sprint(value)
	}
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func join(path, key string) string {
	switch {
	case !plain.MatchString(key):
		return fmt.Sprintf("%s[%s]", path, key)
	case path == "":
		return key
	default:
		return path + "." + key
	}
}

// keyOf is what an entry of a list is known by: in Kubernetes mostly a name, or a type. The order of
// such entries says nothing.
func keyOf(entry any, index int) string {
	if entry, ok := entry.(map[string]any); ok {
		for _, key := range []string{"name", "type"} {
			if name, ok := entry[key].(string); ok {
				return name
			}
		}
	}
	return fmt.Sprint(index)
}
