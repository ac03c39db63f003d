package lesson02

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// breach breaks one rule of an otherwise valid object.
type breach struct {
	rule  string // which one, the same for all items of a list but the first: a rule may look at that one alone
	name  string // "an object whose spec.steps[0].name is empty"
	says  string // what the refusal has to name, as in an input
	at    path   // what must stay, so that the rule is still broken
	apply func(object map[string]any)

	strict bool // it is refused where unknown fields are refused, and ignored elsewhere
	crude  bool // a rule that can't be evaluated may refuse it
}

// own says whether the rule is the SequentialJob's own, and not one of the Job's template.
func (b breach) own() bool {
	return !strings.Contains(b.at.general(), ".jobTemplate.") || slices.Contains(never, b.at.general()) || b.at.general() == restartPolicy
}

// broken is a copy of the object with the rule broken.
func (b breach) broken(object map[string]any) map[string]any {
	object = runtime.DeepCopyJSON(object)
	b.apply(object)
	return object
}

// sets is a breach that sets a value; nil removes it.
func sets(at path, value any, what string) breach {
	fields := slices.DeleteFunc(slices.Clone(at[1:]), func(part string) bool { return path{part}.general() == "[]" })
	words := fields[len(fields)-1]
	if len(fields) > 1 && fields[0] == "steps" {
		words = "steps, " + words
	}
	return breach{
		rule: at.first() + " " + what, name: fmt.Sprintf("an object whose %s %s", at, what), says: words, at: at,
		apply: func(object map[string]any) { at.set(object, value) },
	}
}

// breaches are the rules of the schema that can be broken in a value of a valid object, one at a time.
func breaches(of *schema, value any, at path) (all []breach) {
	add := func(value any, what string) { all = append(all, sets(at, value, what)) }
	wrong, what := wrongType(of)
	if len(at) > 1 {
		add(wrong, what)
	}
	switch value := value.(type) {
	case string:
		if len(of.Enum) > 0 {
			add(strings.ToLower(value), "is in lower-case letters")
			add(value+"s", "has a letter too many")
			add("", "is empty")
		}
		if of.MinLength != nil {
			add("", "is empty")
		}
		if of.MaxLength != nil {
			add(value+strings.Repeat("a", int(*of.MaxLength)+1-len(value)), "has a character too many")
		}
	case int64:
		if of.Minimum != nil {
			add(int64(*of.Minimum)-1, "is too small")
		}
		if of.Maximum != nil {
			add(int64(*of.Maximum)+1, "is too great")
		}
	case []any:
		if of.MinItems != nil {
			add([]any{}, "has no items")
		}
		if identity(of, value[0]) != "" {
			i := len(value) - 1
			again := sets(at.item(i), nil, "is in the list twice")
			again.says = at[len(at)-1]
			again.apply = func(object map[string]any) {
				list := at.of(object).([]any)
				at.set(object, append(slices.Clone(list), runtime.DeepCopyJSONValue(at.item(i).of(object))))
			}
			all = append(all, again)
		}
		for i, item := range value {
			all = append(all, breaches(of.Items.Schema, item, at.item(i))...)
		}
	case map[string]any:
		if of.AdditionalProperties != nil && of.AdditionalProperties.Schema != nil {
			wrong, what := wrongType(of.AdditionalProperties.Schema)
			for _, key := range slices.Sorted(maps.Keys(value)) {
				entry := sets(at.to(key), wrong, what)
				entry.rule, entry.says = at.first()+" "+what, at[len(at)-1]
				all = append(all, entry)
			}
			return all
		}
		if len(of.Properties) > 0 && len(at) > 1 {
			surplus := sets(at.to("surplus"), "x", "is a field that there is not")
			surplus.rule, surplus.says, surplus.strict = at.first()+" surplus", "surplus", true
			all = append(all, surplus)
		}
		for _, field := range of.Required {
			if of.Properties[field].Default == nil {
				all = append(all, sets(at.to(field), nil, "is not set"))
			}
		}
		for _, field := range slices.Sorted(maps.Keys(value)) {
			inside := of.Properties[field]
			all = append(all, breaches(&inside, value[field], at.to(field))...)
		}
	}
	return all
}

// wrongType is a value that no value of the schema's type is, and what to say of it.
func wrongType(of *schema) (value any, what string) {
	switch {
	case of.XIntOrString:
		return true, "is a boolean"
	case of.Type == "string":
		return int64(1), "is a number"
	default:
		return "yes", "is a string"
	}
}

// ruleBreaches break what the CEL rules say, and no schema does.
func ruleBreaches(object map[string]any) (all []breach) {
	spec := path{"spec"}
	names := stepNames(object)
	const inTheMiddle = 1
	for i, name := range names {
		step := spec.to("steps").item(i)
		for _, form := range []struct{ name, what string }{
			{strings.ToUpper(name) + "A", "has capital letters"}, {name + "-", "ends with a dash"}, {"-" + name, "starts with a dash"},
			{name + ".a", "has a dot"}, {name + "_a", "has an underscore"}, {name[:inTheMiddle] + " " + name[inTheMiddle:], "has a space"},
		} {
			all = append(all, sets(step.to("name"), form.name, form.what))
		}
		policyAt := step.to("jobTemplate").to("spec").to("template").to("spec").to("restartPolicy")
		for _, policy := range []string{"Always", "never", "onFailure", ""} {
			all = append(all, sets(policyAt, policy, fmt.Sprintf("is %q", policy)))
		}
		for at := policyAt; at[len(at)-1] != "jobTemplate"; at = at[:len(at)-1] {
			missing := sets(at, nil, "is not set")
			missing.says, missing.crude = "steps", at.general() != restartPolicy
			all = append(all, missing)
		}
		for _, field := range never {
			all = append(all, neverSet(step, field)...)
		}
		if longest(names, i) {
			all = append(all, tooLong(step.to("name"), name))
		}
	}
	for _, startAt := range []struct{ name, what string }{
		{names[0] + "x", "is the name of a step with a letter more"},
		{strings.ToUpper(names[0]) + "A", "has capital letters"},
		{names[len(names)-1][:len(names[len(names)-1])-1] + "-", "is no step's name"},
	} {
		if !slices.Contains(names, startAt.name) {
			all = append(all, sets(spec.to("startAt"), startAt.name, startAt.what))
		}
	}
	if name := names[len(names)-1]; len(name) > 1 && !slices.Contains(names, name[:len(name)-1]) {
		all = append(all, sets(spec.to("startAt"), name[:len(name)-1], "is the beginning of a step's name"))
	}
	for _, managedBy := range []struct{ value, what string }{
		{"example.com", "has no path"}, {"example.com/", "has an empty path"}, {"/main", "has an empty domain"},
		{"Example.com/main", "has capital letters in its domain"}, {"example.com/main-", "ends with a dash"},
		{"exa mple.com/main", "has a space"}, {"example.com/m:n", "has a colon"}, {"-example.com/main", "starts with a dash"},
	} {
		all = append(all, sets(spec.to("managedBy"), managedBy.value, managedBy.what))
	}
	return all
}

// neverSet sets a field of a step's template that must not be set, whatever the value.
func neverSet(step path, field string) (all []breach) {
	at := slices.Concat(step, strings.Split(strings.TrimPrefix(field, "spec.steps[]."), "."))
	last := at[len(at)-1]
	for i, value := range forbidden(last) {
		b := sets(at, value, "is set")
		if i > 0 {
			b = sets(at, value, fmt.Sprintf("is set to %v", value))
		}
		if above := at[:len(at)-1]; above[len(above)-1] == "metadata" {
			b.says = "steps, metadata or " + last
			b.apply = func(object map[string]any) {
				if above.of(object) == nil {
					above.set(object, map[string]any{})
				}
				at.set(object, value)
			}
		}
		all = append(all, b)
	}
	return all
}

// forbidden are values of a field that must not be set. Some of them mean the same as if it were not set.
func forbidden(field string) []any {
	switch field {
	case "finalizers":
		return []any{[]any{"example.com/mine"}}
	case "suspend", "manualSelector":
		return []any{false, true}
	case "selector":
		return []any{
			map[string]any{"matchLabels": map[string]any{"a": "b"}}, map[string]any{},
			map[string]any{"matchExpressions": []any{map[string]any{"key": "a", "operator": "Exists"}}},
		}
	case "managedBy":
		return []any{"example.com/me", "kubernetes.io/job-controller"}
	case "ttlSecondsAfterFinished":
		return []any{int64(60), int64(0)}
	default:
		return []any{"mine"}
	}
}

// longest says whether no other name is as long as one of some names.
func longest(names []string, one int) bool {
	return !slices.ContainsFunc(slices.Concat(names[:one], names[one+1:]), func(name string) bool { return len(name) >= len(names[one]) })
}

// tooLong has the names of the object and of a step add up to one character too many.
func tooLong(at path, step string) breach {
	const most = 63
	b := sets(at, step, fmt.Sprintf("makes a Job's name of %d characters, together with metadata.name", most+1))
	b.says = "name"
	b.apply = func(object map[string]any) {
		path{"metadata", "name"}.set(object, strings.Repeat("w", most-len(step)))
	}
	return b
}
