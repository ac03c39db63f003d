package lesson02

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// shrunk removes all that an object does not need: it stays valid, has what is at a path, and still fails.
func shrunk(spec *schema, object map[string]any, keeps path, fails func(map[string]any) bool) map[string]any {
	for {
		smaller := slices.IndexFunc(optional(spec, object["spec"], path{"spec"}), func(at path) bool {
			without, is := without(object, at, keeps)
			if is && fails(without) {
				object = without
				return true
			}
			return false
		})
		if smaller < 0 {
			return object
		}
	}
}

// without is a copy of an object without what is at a path, if it is still valid and has all that it must keep.
func without(object map[string]any, at, keeps path) (_ map[string]any, is bool) {
	if strings.HasPrefix(keeps.String()+".", at.String()+".") || strings.HasPrefix(keeps.String(), at.String()+"[") {
		return nil, false
	}
	if n := len(at) - 1; path(at[n:]).general() == "[]" && len(keeps) > n && slices.Equal(at[:n], keeps[:n]) && at[n] < keeps[n] {
		return nil, false // what must stay would have another place
	}
	object = runtime.DeepCopyJSON(object)
	at.set(object, nil)
	startAt, is := path{"spec", "startAt"}.of(object).(string)
	return object, !is || slices.Contains(stepNames(object), startAt)
}

// optional are the paths of what a valid value could do without, the largest parts first.
func optional(of *schema, value any, at path) (all []path) {
	switch value := value.(type) {
	case map[string]any:
		musts := required(of, at)
		for _, field := range slices.Sorted(maps.Keys(value)) {
			if !slices.Contains(musts, field) {
				all = append(all, at.to(field))
			}
		}
		for _, field := range slices.Sorted(maps.Keys(value)) {
			if inside, known := of.Properties[field]; known {
				all = append(all, optional(&inside, value[field], at.to(field))...)
			}
		}
	case []any:
		for i := range value {
			if len(value) > 1 {
				all = append(all, at.item(i))
			}
		}
		for i, item := range value {
			all = append(all, optional(of.Items.Schema, item, at.item(i))...)
		}
	}
	return all
}
