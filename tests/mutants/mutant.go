// Package mutants holds wrong versions of the finished operator. Each is a mistake that somebody has
// made or would make, as a few edits of the right code, with the plan in which the judge must notice it.
package mutants

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"example.com/controller-course/scripts/repo"
)

//go:embed finished/*.yaml
var finished embed.FS

// Mutant is one wrong version of the finished operator.
type Mutant struct {
	Slug string `json:"-"` // the name of its file

	ID    string   `json:"id"`             // "M01"
	Title string   `json:"title"`          // what it does wrong
	Why   string   `json:"why"`            // why somebody would write it so
	Bugs  []string `json:"bugs,omitempty"` // those of Bugs that went wrong like this: "B01"
	Edits []Edit   `json:"edits"`

	CaughtBy Catch `json:"caughtBy"`
}

// Edit replaces a text that occurs exactly once. Edits of one file are made one after another.
type Edit struct {
	File    string `json:"file"` // from the repository's root
	Find    string `json:"find"`
	Replace string `json:"replace"`
}

// Catch is how the judge notices a mutant.
type Catch struct {
	Plan    string `json:"plan"`    // "three-steps: lose reply: create jobs web/build #1"
	Finding string `json:"finding"` // the Check of one of the findings: "I3", "liveness"
}

// Load returns all mutants by their IDs, each of which fits the code as it is.
func Load() ([]Mutant, error) {
	root, err := repo.Root()
	if err != nil {
		return nil, err
	}
	entries, err := finished.ReadDir("finished")
	if err != nil {
		return nil, err
	}
	var mutants []Mutant
	for _, entry := range entries {
		text, err := finished.ReadFile(path.Join("finished", entry.Name()))
		if err != nil {
			return nil, err
		}
		mutant, err := parse(entry.Name(), text)
		if err != nil {
			return nil, err
		}
		if _, err := mutant.edited(root); err != nil {
			return nil, err
		}
		mutants = append(mutants, mutant)
	}
	slices.SortFunc(mutants, func(a, b Mutant) int { return cmp.Compare(a.ID, b.ID) })
	for i := 1; i < len(mutants); i++ {
		if mutants[i-1].ID == mutants[i].ID {
			return nil, fmt.Errorf("%s.yaml and %s.yaml both have the id %s", mutants[i-1].Slug, mutants[i].Slug, mutants[i].ID)
		}
	}
	return mutants, nil
}

func parse(file string, text []byte) (Mutant, error) {
	mutant := Mutant{Slug: strings.TrimSuffix(file, ".yaml")}
	if err := yaml.UnmarshalStrict(text, &mutant); err != nil {
		return Mutant{}, fmt.Errorf("read the mutant %s: %w", file, err)
	}
	for field, value := range map[string]string{
		"id": mutant.ID, "title": mutant.Title, "why": mutant.Why, "caughtBy.plan": mutant.CaughtBy.Plan, "caughtBy.finding": mutant.CaughtBy.Finding,
	} {
		if value == "" {
			return Mutant{}, fmt.Errorf("read the mutant %s: %s is missing", file, field)
		}
	}
	if len(mutant.Edits) == 0 {
		return Mutant{}, fmt.Errorf("read the mutant %s: it has no edits", file)
	}
	return mutant, nil
}

func (m Mutant) String() string { return fmt.Sprintf("mutant %s (%s)", m.ID, m.Slug) }

// apply makes an edit in a file's text.
func (e Edit) apply(text []byte) ([]byte, error) {
	switch n := bytes.Count(text, []byte(e.Find)); {
	case e.Find == "":
		return nil, fmt.Errorf("an edit of %s does not say what to find", e.File)
	case n == 0:
		return nil, fmt.Errorf("%s does not contain this text:\n%s", e.File, e.Find)
	case n > 1:
		return nil, fmt.Errorf("%s contains this text %d times instead of once:\n%s", e.File, n, e.Find)
	}
	return bytes.Replace(text, []byte(e.Find), []byte(e.Replace), 1), nil
}
