package lesson02

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"example.com/controller-course/tests/checks/crds"
)

// guardsGenerated changes one value of the steps of generated objects, in each state of their runs. The steps must not change.
func guardsGenerated(s *crds.Scene) {
	root, err := reference()
	s.Must(err)
	spec := root.Properties["spec"]
	steps := spec.Properties["steps"]
	states := []struct{ when, spec, status string }{
		{"before it runs", `{}`, ""},
		{"while it runs", `{}`, half},
		{"while it is suspended", `spec: {suspend: true}`, half},
		{"after it has ended", `{}`, whole},
	}
	const each = 15
	random := rand.New(rand.NewPCG(uint64(s.World.Seed), 3))
	for i, object := range generated(&spec, s.World.Seed, 2*len(states)) {
		state := states[i%len(states)]
		in := generatedInput(s, "a valid object", object)
		there := there(s, fmt.Sprint("g", i), in.yaml, state.spec)
		if state.status != "" {
			there = withStatus(s, there, state.status)
		}
		at := path{"spec", "steps"}
		all := changes(&steps, at.of(there.Object), at, s.World.Seed*1000+i)
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, one := range all[:min(each, len(all))] {
			asked := there.DeepCopy()
			one.at.set(asked.Object, one.to)
			in := input{name: fmt.Sprintf("a change of %s, %s", one.at, state.when), shown: one.String(), says: "steps"}
			changed, refusal := s.Update(asked, "All")
			tell(s, in.mistakes(asked, changed, refusal))
		}
	}
}

// otherValue is another value for one in an object.
type otherValue struct {
	at       path
	from, to any // to is nil where the value is removed
}

func (o otherValue) String() string {
	if o.to == nil {
		return fmt.Sprintf("%s: %v was removed", o.at, o.from)
	}
	return fmt.Sprintf("%s: %v, which was %v", o.at, o.to, o.from)
}

// changes are valid changes of a value, or of one inside. A value that has a default is not removed, for it would come back.
func changes(of *schema, value any, at path, seed int) (all []otherValue) {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			all = append(all, changes(of.Items.Schema, item, at.item(i), seed+i)...)
		}
	case map[string]any:
		for n, field := range slices.Sorted(maps.Keys(value)) {
			inside := of.Properties[field]
			if entries := of.AdditionalProperties; entries != nil && entries.Schema != nil {
				inside = *entries.Schema
			}
			all = append(all, changes(&inside, value[field], at.to(field), seed+n)...)
			if !slices.Contains(required(of, at), field) && inside.Default == nil {
				all = append(all, otherValue{at.to(field), value[field], nil})
			}
		}
	default:
		another := rapid.Custom(func(t *rapid.T) any { return draw(t, of, at) }).Example(seed)
		if !reflect.DeepEqual(another, value) {
			all = append(all, otherValue{at, value, another})
		}
	}
	return all
}
