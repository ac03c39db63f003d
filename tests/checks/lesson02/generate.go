package lesson02

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// What the schema's CEL rules say, which the generator does not read: the forms of strings, the fields that a template
// must not set, and those that it must set.
var (
	forms = map[string]string{
		"spec.managedBy":    `[a-z0-9]([-a-z0-9]{0,6}[a-z0-9])?(\.[a-z]{1,4}){0,2}(/[A-Za-z0-9]([-A-Za-z0-9_.]{0,6}[A-Za-z0-9])?){1,2}`,
		"spec.steps[].name": `[a-z0-9]([-a-z0-9]{0,10}[a-z0-9])?`,
		restartPolicy:       `Never|OnFailure`,
	}
	never = []string{
		"spec.steps[].jobTemplate.metadata.name",
		"spec.steps[].jobTemplate.metadata.namespace",
		"spec.steps[].jobTemplate.metadata.finalizers",
		"spec.steps[].jobTemplate.spec.suspend",
		"spec.steps[].jobTemplate.spec.selector",
		"spec.steps[].jobTemplate.spec.manualSelector",
		"spec.steps[].jobTemplate.spec.managedBy",
		"spec.steps[].jobTemplate.spec.ttlSecondsAfterFinished",
	}
)

const restartPolicy = "spec.steps[].jobTemplate.spec.template.spec.restartPolicy"

// required are the fields that an object must set, in order. A template must set restartPolicy, and so all above it.
func required(of *schema, at path) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(of.Properties)), func(field string) bool {
		return !slices.Contains(of.Required, field) && !strings.HasPrefix(restartPolicy+".", at.to(field).general()+".")
	})
}

// generated returns random valid objects, the same ones for the same seed.
func generated(spec *schema, seed, many int) (objects []map[string]any) {
	generator := rapid.Custom(func(t *rapid.T) map[string]any {
		object := map[string]any{
			"metadata": map[string]any{"name": matching(t, `[a-z]([-a-z0-9]{0,10}[a-z0-9])?`)},
			"spec":     draw(t, spec, path{"spec"}),
		}
		if startAt := (path{"spec", "startAt"}); startAt.of(object) != nil {
			startAt.set(object, rapid.SampledFrom(stepNames(object)).Draw(t, "startAt"))
		}
		return object
	})
	for i := range many {
		objects = append(objects, generator.Example(seed*1000+i))
	}
	return objects
}

func matching(t *rapid.T, form string) string { return rapid.StringMatching(form).Draw(t, "text") }

// stepNames are the names of an object's steps.
func stepNames(object map[string]any) (names []string) {
	steps, _ := path{"spec", "steps"}.of(object).([]any)
	for _, step := range steps {
		name, _ := path{"name"}.of(step).(string)
		names = append(names, name)
	}
	return names
}

// draw draws a valid value.
func draw(t *rapid.T, of *schema, at path) any {
	form, ruled := forms[at.general()]
	switch {
	case ruled:
		return matching(t, form)
	case len(of.Enum) > 0:
		var value any
		if err := json.Unmarshal(rapid.SampledFrom(of.Enum).Draw(t, "value").Raw, &value); err != nil {
			panic(err) // the API server has accepted it
		}
		return value
	case of.XIntOrString && rapid.Bool().Draw(t, "an integer"):
		return rapid.Int64Range(1, 1<<15).Draw(t, "integer")
	case of.Pattern != "":
		return matching(t, of.Pattern)
	case of.XIntOrString, of.Type == "string":
		return matching(t, `[a-z]([-a-z0-9]{0,6}[a-z0-9])?`)
	case of.Type == "boolean":
		return rapid.Bool().Draw(t, "boolean")
	case of.Type == "integer":
		least, most := bounds(of)
		return rapid.Int64Range(least, most).Draw(t, "integer")
	case of.Type == "array":
		return drawList(t, of, at)
	default:
		return drawObject(t, of, at)
	}
}

// bounds are the least and the greatest value of an integer.
func bounds(of *schema) (least, most int64) {
	least, most = 0, math.MaxInt32
	if of.Minimum != nil {
		least = int64(*of.Minimum)
	}
	if of.Maximum != nil {
		most = int64(*of.Maximum)
	}
	return least, most
}

func drawList(t *rapid.T, of *schema, at path) []any {
	most := 3
	if of.MaxItems != nil {
		most = min(most, int(*of.MaxItems))
	}
	list := []any{}
	known := map[string]bool{}
	for i := range rapid.IntRange(1, most).Draw(t, "items") {
		item := draw(t, of.Items.Schema, at.item(i))
		if key := identity(of, item); key == "" || !known[key] {
			list, known[key] = append(list, item), true
		}
	}
	return list
}

// identity is what must differ between the items of a list; empty if items may be equal.
func identity(of *schema, item any) string {
	switch listType := of.XListType; {
	case listType == nil || *listType == "atomic":
		return ""
	case *listType == "set":
		return fmt.Sprintf("%v", item)
	}
	key := ""
	for _, field := range of.XListMapKeys {
		value := path{field}.of(item)
		if preset := of.Items.Schema.Properties[field].Default; value == nil && preset != nil {
			value = strings.Trim(string(preset.Raw), `"`)
		}
		key += fmt.Sprintf("%q ", fmt.Sprint(value))
	}
	return key
}

func drawObject(t *rapid.T, of *schema, at path) map[string]any {
	object := map[string]any{}
	if values := of.AdditionalProperties; values != nil && values.Schema != nil {
		for range rapid.IntRange(1, 2).Draw(t, "entries") {
			key := matching(t, `([a-z]{1,4}\.example\.com/)?[a-z]{1,6}`)
			object[key] = draw(t, values.Schema, at.to(key))
		}
		return object
	}
	musts := required(of, at)
	optional := slices.DeleteFunc(slices.Sorted(maps.Keys(of.Properties)), func(field string) bool {
		return slices.Contains(musts, field) || slices.Contains(never, at.to(field).general())
	})
	if len(optional) > 0 {
		many := min(len(optional), rapid.IntRange(0, most(at)).Draw(t, "optional fields"))
		musts = append(musts, rapid.Permutation(optional).Draw(t, "fields")[:many]...)
	}
	for _, field := range musts {
		inside := of.Properties[field]
		object[field] = draw(t, &inside, at.to(field))
	}
	return object
}

// most is how many optional fields an object sets: fewer, the deeper it is, for an object ends somewhere.
func most(at path) int {
	const much, deep = 4, 8
	return max(0, min(much, much+deep-len(at)))
}
