// Package mutants holds wrong versions of the finished operator and of the lessons' solutions. Each is a
// mistake that somebody has made or would make, as a few edits of the right code, with what must catch it:
// a plan of the campaign, or a check of the lesson.
package mutants

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"example.com/controller-course/tests/kit/repo"
)

//go:embed finished/*.yaml lessons
var texts embed.FS

// Mutant is one wrong version of the finished operator, or of a lesson's solution.
type Mutant struct {
	Slug   string `json:"-"` // the name of its file
	Lesson int    `json:"-"` // whose solution it is a version of; 0 for the finished operator

	ID    string   `json:"id"`             // "M01"
	Title string   `json:"title"`          // what it does wrong
	Why   string   `json:"why"`            // why somebody would write it so
	Bugs  []string `json:"bugs,omitempty"` // those of Bugs that went wrong like this: "B01"
	Edits []Edit   `json:"edits"`

	CaughtBy Noticed `json:"caughtBy"`
	// AlsoBy are other checks of the lesson that notice it, and Earlier those of earlier lessons; each of
	// them may. By these, tests/diagnosis determines which of several failed checks explains a mistake.
	AlsoBy  []string `json:"alsoBy,omitempty"`
	Earlier []string `json:"earlier,omitempty"`
	// World is where that check catches it; empty for the plain one. Only there it is tried, by that check alone.
	World string `json:"world,omitempty"`
	// OnCluster is the rule of tests/e2e by which it is caught on a cluster with real containers; empty where
	// it is not tried there.
	OnCluster string `json:"onCluster,omitempty"`
}

// Edit replaces a text that occurs exactly once. Edits of one file are made one after another.
type Edit struct {
	File    string `json:"file"` // from the repository's root
	Find    string `json:"find"`
	Replace string `json:"replace"`
}

// Noticed is how the judge notices a mutant: by a plan and the finding in it or, where it is a version of a
// lesson's solution, by a check.
type Noticed struct {
	Plan    string `json:"plan,omitempty"`    // "three-steps: lose reply: create jobs web/build #1"
	Finding string `json:"finding,omitempty"` // the Check of one of the findings: "I3", "liveness"
	Check   string `json:"check,omitempty"`   // "3.2"
}

// Load returns all mutants of the finished operator by their IDs, each of which fits the code as it is.
func Load() ([]Mutant, error) { return load("finished", 0) }

// LoadLesson returns those of a lesson's solution.
func LoadLesson(number int) ([]Mutant, error) {
	return load(fmt.Sprintf("lessons/%02d", number), number)
}

// All returns those of the finished operator and then those of the lessons, in their order.
func All() ([]Mutant, error) {
	all, err := Load()
	if err != nil {
		return nil, err
	}
	lessons, err := texts.ReadDir("lessons")
	if err != nil {
		return nil, err
	}
	for _, lesson := range lessons {
		number, err := strconv.Atoi(lesson.Name())
		if err != nil {
			return nil, fmt.Errorf("read the mutants in lessons/%s: the folder's name is no lesson's number", lesson.Name())
		}
		of, err := LoadLesson(number)
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	return all, nil
}

// ReadLesson returns those of a lesson's solution as they are written down, whether they fit the code or not.
func ReadLesson(number int) ([]Mutant, error) {
	mutants, err := read(fmt.Sprintf("lessons/%02d", number), number)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return mutants, err
}

func load(folder string, lesson int) ([]Mutant, error) {
	root, err := repo.Root()
	if err != nil {
		return nil, err
	}
	mutants, err := read(folder, lesson)
	if err != nil {
		return nil, err
	}
	for _, mutant := range mutants {
		if _, err := mutant.edited(root); err != nil {
			return nil, err
		}
	}
	return mutants, nil
}

func read(folder string, lesson int) ([]Mutant, error) {
	entries, err := texts.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var mutants []Mutant
	for _, entry := range entries {
		if entry.IsDir() || path.Ext(entry.Name()) != ".yaml" {
			continue
		}
		text, err := texts.ReadFile(path.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		mutant, err := parse(entry.Name(), text, lesson)
		if err != nil {
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

func parse(file string, text []byte, lesson int) (Mutant, error) {
	mutant := Mutant{Slug: strings.TrimSuffix(file, ".yaml"), Lesson: lesson}
	if err := yaml.UnmarshalStrict(text, &mutant); err != nil {
		return Mutant{}, fmt.Errorf("read the mutant %s: %w", file, err)
	}
	needed := map[string]string{"id": mutant.ID, "title": mutant.Title, "why": mutant.Why}
	if lesson == 0 {
		needed["caughtBy.plan"], needed["caughtBy.finding"] = mutant.CaughtBy.Plan, mutant.CaughtBy.Finding
	} else {
		needed["caughtBy.check"] = mutant.CaughtBy.Check
	}
	for field, value := range needed {
		if value == "" {
			return Mutant{}, fmt.Errorf("read the mutant %s: %s is missing", file, field)
		}
	}
	if len(mutant.Edits) == 0 {
		return Mutant{}, fmt.Errorf("read the mutant %s: it has no edits", file)
	}
	return mutant, nil
}

// Source is the folder of the main package that it is a version of, from the repository's root.
func (m Mutant) Source() string {
	if m.Lesson == 0 {
		return "sequentialjob"
	}
	return path.Dir(m.Edits[0].File)
}

// Folder is where its file is, from the repository's root.
func (m Mutant) Folder() string {
	if m.Lesson == 0 {
		return "tests/mutants/finished"
	}
	return fmt.Sprintf("tests/mutants/lessons/%02d", m.Lesson)
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
