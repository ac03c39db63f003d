package mutation

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/yaml"
)

//go:embed equivalents.yaml
var equivalents []byte

// Equivalent is a mutant that does what the solution does, for all that anybody outside can see. Lessons that have the
// same code have it in common.
type Equivalent struct {
	IDs    []string `json:"ids"`
	Change string   `json:"change"` // as the mutants have it: if the code changes, the argument must be read again
	Why    string   `json:"why"`    // the argument
}

// Equivalents returns the mutants that are listed as equivalent, by their IDs.
func Equivalents() (map[string]Equivalent, error) { return parseEquivalents(equivalents) }

func parseEquivalents(text []byte) (map[string]Equivalent, error) {
	var list []Equivalent
	if err := yaml.UnmarshalStrict(text, &list); err != nil {
		return nil, fmt.Errorf("read tests/mutation/equivalents.yaml: %w", err)
	}
	byID := map[string]Equivalent{}
	for _, one := range list {
		if len(one.IDs) == 0 || one.Change == "" || one.Why == "" {
			return nil, fmt.Errorf("tests/mutation/equivalents.yaml: an entry lacks its ids, change or why: %+v", one)
		}
		for _, id := range one.IDs {
			if _, twice := byID[id]; twice {
				return nil, fmt.Errorf("tests/mutation/equivalents.yaml lists %s twice", id)
			}
			byID[id] = one
		}
	}
	return byID, nil
}

// outdated says which equivalents are not the mutants that there are, any more.
func outdated(listed map[string]Equivalent, all []Mutant) error {
	byID := map[string]Mutant{}
	for _, m := range all {
		byID[m.ID] = m
	}
	var wrong []error
	for _, id := range slices.Sorted(maps.Keys(listed)) {
		one := listed[id]
		switch m, exists := byID[id]; {
		case !exists:
			wrong = append(wrong, fmt.Errorf("tests/mutation/equivalents.yaml lists %s, and there is no such mutant", id))
		case m.Change != one.Change:
			wrong = append(wrong, fmt.Errorf("tests/mutation/equivalents.yaml has an argument about %s as\n    %s\n  which is now\n    %s",
				id, one.Change, m.Change))
		}
	}
	return errors.Join(wrong...)
}
