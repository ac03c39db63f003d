package lesson02

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"sigs.k8s.io/yaml"

	"example.com/controller-course/tests/checks/crds"
)

// objects is how many objects are generated.
const objects = 30

// takesGenerated tries generated objects that are valid.
func takesGenerated(s *crds.Scene) {
	if s.World.Seed == 0 {
		return
	}
	root, err := reference()
	s.Must(err)
	spec := root.Properties["spec"]
	try := func(object map[string]any) []mistake {
		in := generatedInput(s, "a valid object", object)
		asked := s.Object(in.yaml)
		created, refusal := s.TryCreate(asked, true)
		return in.mistakes(asked, created, refusal)
	}
	for _, object := range generated(&spec, s.World.Seed, objects) {
		mistakes := try(object)
		if len(mistakes) == 0 {
			continue
		}
		tell(s, try(shrunk(&spec, object, nil, func(smaller map[string]any) bool {
			still := try(smaller)
			return len(still) > 0 && still[0].came == mistakes[0].came
		})))
	}
}

// refusesGenerated tries generated objects in which one rule is broken.
func refusesGenerated(s *crds.Scene) {
	if s.World.Seed == 0 {
		return
	}
	root, err := reference()
	s.Must(err)
	spec := root.Properties["spec"]
	for _, chosen := range choose(&spec, s.World.Seed) {
		try := func(object map[string]any) []mistake {
			in := generatedInput(s, chosen.name, chosen.broken(object))
			in.says, in.crude = chosen.says, chosen.crude
			_, refusal := s.TryCreate(s.Object(in.yaml), chosen.strict)
			return in.mistakes(nil, nil, refusal)
		}
		mistakes := try(chosen.object)
		if len(mistakes) == 0 {
			continue
		}
		tell(s, try(shrunk(&spec, chosen.object, chosen.at, func(smaller map[string]any) bool {
			still := try(smaller)
			return len(still) > 0 && still[0].came == mistakes[0].came
		})))
	}
}

// chosen is a breach, and the object in which it is tried.
type chosen struct {
	breach
	object map[string]any
}

// choose chooses breaches of generated objects: some for each of the SequentialJob's own rules, and some of those of the
// template.
func choose(spec *schema, seed int) (all []chosen) {
	const eachOwn, ofTemplates = 2, 40
	var every []chosen
	for _, object := range generated(spec, seed, objects) {
		for _, b := range slices.Concat(breaches(spec, object["spec"], path{"spec"}), ruleBreaches(object)) {
			every = append(every, chosen{b, object})
		}
	}
	random := rand.New(rand.NewPCG(uint64(seed), 2))
	random.Shuffle(len(every), func(i, j int) { every[i], every[j] = every[j], every[i] })
	tried, templates := map[string]int{}, 0
	for _, one := range every {
		switch {
		case one.own() && tried[one.rule] < eachOwn:
			tried[one.rule]++
		case !one.own() && tried[one.rule] == 0 && templates < ofTemplates:
			tried[one.rule]++
			templates++
		default:
			continue
		}
		all = append(all, one)
	}
	return all
}

// generatedInput is an object as input.
func generatedInput(s *crds.Scene, name string, object map[string]any) input {
	text, err := yaml.Marshal(object)
	s.Must(err)
	return input{name: fmt.Sprintf("%s, generated with the seed %d", name, s.World.Seed), yaml: string(text)}
}
