package crds

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// Minimal is a valid object that omits all optional fields.
const Minimal = `
metadata: {name: web}
spec:
  steps:
  - name: build
    jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "app:v1"}]}}}}
  - name: test
    jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "app:v1"}]}}}}
`

// Full is a valid object that sets every field of the SequentialJob's own.
const Full = `
metadata: {name: web}
spec:
  suspend: false
  activeDeadlineSeconds: 3600
  ttlSecondsAfterFinished: 60
  startAt: test
  managedBy: batch.example.com/sequentialjob-controller
  steps:
  - name: build
    onFailure: Fail
    jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "app:v1"}]}}}}
  - name: test
    onFailure: Fail
    jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "app:v1"}]}}}}
`

// Object makes an object of the kind out of layers of YAML, each laid over those before.
func (a *API) Object(layers ...string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	for _, layer := range layers {
		Lay(object, layer)
	}
	object.SetAPIVersion(a.GroupVersion())
	object.SetKind(a.crd.Spec.Names.Kind)
	return object
}

// Lay lays YAML over an object: maps field by field, lists item by item. Null removes what was there, and an empty list
// replaces it.
func Lay(object *unstructured.Unstructured, layer string) {
	object.Object = laid(object.Object, Parse(layer)).(map[string]any)
}

// Parse reads a check's own YAML, with integers as in objects from the API server.
func Parse(text string) map[string]any {
	var parsed map[string]any
	json, err := yaml.YAMLToJSON([]byte(text))
	if err == nil {
		err = utiljson.Unmarshal(json, &parsed)
	}
	if err != nil {
		panic(fmt.Sprintf("a check's own YAML cannot be read: %v\n%s", err, text))
	}
	return parsed
}

func laid(under, layer any) any {
	switch layer := layer.(type) {
	case map[string]any:
		old, _ := under.(map[string]any)
		merged := map[string]any{}
		maps.Copy(merged, old)
		for field, value := range layer {
			if value == nil {
				delete(merged, field)
			} else {
				merged[field] = laid(merged[field], value)
			}
		}
		return merged
	case []any:
		if len(layer) == 0 {
			return layer
		}
		old, _ := under.([]any)
		merged := slices.Clone(old)
		for i, item := range layer {
			if i < len(merged) {
				merged[i] = laid(merged[i], item)
			} else {
				merged = append(merged, laid(nil, item))
			}
		}
		return slices.DeleteFunc(merged, func(item any) bool { return item == nil })
	default:
		return layer
	}
}

// Unset replaces a missing value.
const Unset = "unset"

// Difference is a value that was wanted and is missing.
type Difference struct{ Path, Want, Got string }

// Lost describes the differences, a line for each.
func Lost(want, got any) (lines []string) {
	for _, d := range Differences(want, got) {
		lines = append(lines, fmt.Sprintf("%s was %s and is %s", d.Path, d.Want, d.Got))
	}
	return lines
}

// Differences are the values of want that are not in got. Additional values in got are ignored, except for the length
// of lists. The order of a list counts, except that of conditions.
func Differences(want, got any) []Difference { return differences("", want, got) }

func differences(path string, want, got any) (found []Difference) {
	other := []Difference{{strings.TrimPrefix(path, "."), inLine(want), inLine(got)}}
	switch want := want.(type) {
	case map[string]any:
		there, isMap := got.(map[string]any)
		if !isMap && len(want) > 0 {
			return other
		}
		for _, field := range slices.Sorted(maps.Keys(want)) {
			found = append(found, differences(path+"."+field, want[field], there[field])...)
		}
	case []any:
		there, _ := got.([]any)
		switch wantOf, gotOf := byType(want), byType(there); {
		case wantOf != nil && gotOf != nil && len(there) <= len(want):
			for _, one := range slices.Sorted(maps.Keys(wantOf)) {
				found = append(found, differences(fmt.Sprintf("%s[type=%s]", path, one), wantOf[one], gotOf[one])...)
			}
		case len(there) != len(want):
			return other
		default:
			for i, item := range want {
				found = append(found, differences(fmt.Sprintf("%s[%d]", path, i), item, there[i])...)
			}
		}
	default:
		if inLine(want) != inLine(got) {
			return other
		}
	}
	return found
}

// byType returns the items of a list by their types, as conditions are distinguished; nil if they are no conditions.
func byType(list []any) map[string]any {
	all := map[string]any{}
	for _, item := range list {
		fields, _ := item.(map[string]any)
		name, is := fields["type"].(string)
		if _, twice := all[name]; !is || twice {
			return nil
		}
		all[name] = item
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// inLine is a value in one line of flow YAML.
func inLine(value any) string {
	if value == nil {
		return Unset
	}
	json, err := utiljson.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(json)
}

// WithoutEmpty is an object without its empty values: null, {} and [].
func WithoutEmpty(object map[string]any) map[string]any {
	full, _ := withoutEmpty(object).(map[string]any)
	return full
}

func withoutEmpty(value any) any {
	switch value := value.(type) {
	case map[string]any:
		full := map[string]any{}
		for field, inside := range value {
			if inside = withoutEmpty(inside); inside != nil {
				full[field] = inside
			}
		}
		if len(full) > 0 {
			return full
		}
	case []any:
		var full []any
		for _, inside := range value {
			full = append(full, withoutEmpty(inside))
		}
		if len(full) > 0 {
			return full
		}
	default:
		return value
	}
	return nil
}
