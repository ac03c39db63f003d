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

// Minimal is a good object that leaves out whatever may be left out.
const Minimal = `
metadata: {name: web}
spec:
  steps:
  - name: build
    jobTemplate:
      spec:
        template:
          spec: {restartPolicy: Never, containers: [{name: main, image: "app:v1"}]}
  - name: test
    jobTemplate:
      spec:
        template:
          spec: {restartPolicy: Never, containers: [{name: main, image: "app:v1"}]}
`

// Full is a good object in which every field of ours is set.
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
    jobTemplate:
      spec:
        template:
          spec: {restartPolicy: Never, containers: [{name: main, image: "app:v1"}]}
  - name: test
    onFailure: Fail
    jobTemplate:
      spec:
        template:
          spec: {restartPolicy: Never, containers: [{name: main, image: "app:v1"}]}
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

// Lay lays YAML over an object. Maps are laid over each other field by field, lists item by item. What is
// null is taken out, and an empty list replaces what was there.
func Lay(object *unstructured.Unstructured, layer string) {
	object.Object = over(object.Object, Parse(layer)).(map[string]any)
}

// Parse reads YAML of our own, with integers as the API's machinery has them.
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

func over(under, layer any) any {
	switch layer := layer.(type) {
	case map[string]any:
		old, _ := under.(map[string]any)
		laid := map[string]any{}
		maps.Copy(laid, old)
		for field, value := range layer {
			if value == nil {
				delete(laid, field)
			} else {
				laid[field] = over(laid[field], value)
			}
		}
		return laid
	case []any:
		if len(layer) == 0 {
			return layer
		}
		old, _ := under.([]any)
		laid := slices.Clone(old)
		for i, item := range layer {
			switch {
			case i >= len(laid):
				laid = append(laid, over(nil, item))
			case item == nil:
				laid[i] = nil
			default:
				laid[i] = over(laid[i], item)
			}
		}
		return slices.DeleteFunc(laid, func(item any) bool { return item == nil })
	default:
		return layer
	}
}

// Unset stands for a value that is not set.
const Unset = "unset"

// Difference is a value that was wanted and is not there.
type Difference struct{ Path, Want, Got string }

// Lost tells of the differences, a line for each.
func Lost(want, got any) (lines []string) {
	for _, d := range Differences(want, got) {
		lines = append(lines, fmt.Sprintf("%s was %s and is %s", d.Path, d.Want, d.Got))
	}
	return lines
}

// Differences are the values of want that are not in got. What got has beside them makes no difference, but
// lists have to be of one length.
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
		if len(there) != len(want) {
			return other
		}
		for i, item := range want {
			found = append(found, differences(fmt.Sprintf("%s[%d]", path, i), item, there[i])...)
		}
	default:
		if inLine(want) != inLine(got) {
			return other
		}
	}
	return found
}

// inLine is a value in one line, as flow YAML has it.
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

// WithoutEmpty is an object without what is there and says nothing: null, {} and [].
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
		if len(full) == 0 {
			return nil
		}
		return full
	case []any:
		if len(value) == 0 {
			return nil
		}
		full := make([]any, len(value))
		for i, inside := range value {
			full[i] = withoutEmpty(inside)
		}
		return full
	default:
		return value
	}
}

// YAML is an object as a manifest shows it.
func YAML(object map[string]any) string {
	text, err := yaml.Marshal(object)
	if err != nil {
		return inLine(object)
	}
	return string(text)
}
