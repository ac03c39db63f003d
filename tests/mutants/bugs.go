package mutants

import (
	_ "embed"
	"fmt"

	"sigs.k8s.io/yaml"
)

//go:embed bugs.yaml
var bugs []byte

// Bug is one that another project's controller really had, and that ours could have had.
type Bug struct {
	ID      string   `json:"id"`                // "B01"
	Project string   `json:"project"`           // whose it was
	Reports []string `json:"reports,omitempty"` // where it can be read about
	What    string   `json:"what"`              // what went wrong

	// NoMutant says why no mutant has it; empty where one has.
	NoMutant string `json:"noMutant,omitempty"`
}

// Bugs returns the bugs that the mutants are modelled on.
func Bugs() ([]Bug, error) {
	var list []Bug
	if err := yaml.UnmarshalStrict(bugs, &list); err != nil {
		return nil, fmt.Errorf("read bugs.yaml: %w", err)
	}
	return list, nil
}
