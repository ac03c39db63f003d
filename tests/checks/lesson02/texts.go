package lesson02

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
)

// text is a field for strings of a certain form. The checks try random strings, because a wrong pattern may be right
// about every foreseen one.
type text struct {
	field    string
	says     string // what a refusal has to name
	layer    string // YAML that sets the field to %q
	longest  int
	form     *regexp.Regexp // of all valid strings
	strict   *regexp.Regexp // of those that every correct API accepts; another may refuse the rest
	examples []string       // valid ones, which are varied
}

var texts = []text{
	{
		field: "step name", says: "steps, name", layer: `spec: {steps: [{name: %q}]}`, longest: 40,
		form:     regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`),
		strict:   regexp.MustCompile(``),
		examples: []string{"a", "build", "2nd-try", "run-0-of-4", "x86-64"},
	},
	{
		field: "managedBy", says: "managedBy", layer: `spec: {managedBy: %q}`, longest: 63,
		form: regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?$`),
		// A DNS name, and a path of such parts.
		strict:   regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)+$`),
		examples: []string{"example.com/c", "a/b", "my-team.example.com/Jobs", "1.example.com/v2.1_beta/main-loop", "a.b/c/D/e", "x-1/Y_2"},
	},
}

// valid are random strings that the field must accept, and invalid those that it must refuse.
func (t text) valid() []input {
	return t.inputs("a valid "+t.field, "", func(s string) bool { return t.fits(s) && t.strict.MatchString(s) })
}

func (t text) invalid() []input {
	all := t.inputs("an invalid "+t.field, t.says, func(s string) bool { return !t.fits(s) })
	for _, example := range t.examples { // a rule may look at some of the parts between slashes
		for at := range example {
			all = append(all, input{name: "an invalid " + t.field, yaml: fmt.Sprintf(t.layer, example[:at]+"@"+example[at:]), says: t.says})
		}
	}
	return all
}

func (t text) fits(s string) bool { return len(s) <= t.longest && t.form.MatchString(s) }

// inputs are random strings, the same ones each time: what has failed once is tried again.
func (t text) inputs(name, says string, wanted func(string) bool) (all []input) {
	const many = 60
	random := rand.New(rand.NewPCG(2, 2))
	tried := map[string]bool{"test": true} // the name of another step
	for len(all) < many {
		s := varied(random, t.examples[random.IntN(len(t.examples))])
		if !tried[s] && wanted(s) {
			all = append(all, input{name: name, yaml: fmt.Sprintf(t.layer, s), says: says})
		}
		tried[s] = true
	}
	slices.SortStableFunc(all, func(a, b input) int { return cmp.Compare(len(a.yaml), len(b.yaml)) })
	return all
}

// varied changes a string in up to three places: at its ends, around a slash, or anywhere.
func varied(random *rand.Rand, s string) string {
	const characters = "azAZ09-._/ :"
	for range 1 + random.IntN(3) {
		places := []int{0, len(s), random.IntN(len(s) + 1)}
		for i, c := range s {
			if c == '/' {
				places = append(places, i, i+1)
			}
		}
		at := places[random.IntN(len(places))]
		c := string(characters[random.IntN(len(characters))])
		switch {
		case random.IntN(3) > 0 || at == len(s):
			s = s[:at] + c + s[at:]
		case random.IntN(2) > 0:
			s = s[:at] + c + s[at+1:]
		default:
			s = s[:at] + s[at+1:]
		}
	}
	return s
}

// firstMistake is that of the first input, the shortest, that leads to one.
func firstMistake(inputs []input, try func(input) []mistake) []mistake {
	for _, input := range inputs {
		if mistakes := try(input); len(mistakes) > 0 {
			return mistakes
		}
	}
	return nil
}
