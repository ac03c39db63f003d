package lesson02

import (
	"strings"
	"testing"
)

func TestTexts(t *testing.T) {
	for _, text := range texts {
		for _, example := range text.examples {
			if !text.fits(example) || !text.strict.MatchString(example) {
				t.Errorf("%s: the example %q is not valid", text.field, example)
			}
		}
		good := map[string]bool{}
		for _, input := range text.valid() {
			good[input.yaml] = true
		}
		for _, input := range text.invalid() {
			if good[input.yaml] {
				t.Errorf("%s is both valid and invalid", input.yaml)
			}
			if strings.Contains(input.yaml, "%!") {
				t.Errorf("%s: not a value", input.yaml)
			}
		}
	}
}
