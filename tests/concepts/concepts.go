// Package concepts says what the course teaches, where it is explained, and which checks test it.
package concepts

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/kit/markdown"
	"example.com/controller-course/tests/lesson"
)

// Concept is something that the course teaches.
type Concept struct {
	ID      string `json:"id"` // "C22"
	What    string `json:"what"`
	Lessons []int  `json:"lessons"` // that own it
}

//go:embed concepts.yaml
var conceptsYAML []byte

// Concepts are all that the course teaches, and is going to teach.
func Concepts() ([]Concept, error) {
	var concepts []Concept
	if err := yaml.UnmarshalStrict(conceptsYAML, &concepts); err != nil {
		return nil, fmt.Errorf("read concepts.yaml: %w", err)
	}
	return concepts, nil
}

// Coverage is where a lesson that owns a concept explains it and tests it.
type Coverage struct {
	Concept Concept
	Lesson  lesson.Lesson
	Section markdown.Section // of the lesson's text; without a heading where it is not explained
	Checks  []string         // IDs; none where it is not tested
}

// Cover returns where the lessons that exist cover the concepts that they own. Root is the repository's.
func Cover(root string) ([]Coverage, error) {
	concepts, err := Concepts()
	if err != nil {
		return nil, err
	}
	var all []Coverage
	for _, l := range checks.Lessons() {
		text, err := os.ReadFile(filepath.Join(root, l.Text()))
		if err != nil {
			return nil, err
		}
		sections := explained(text)
		for _, concept := range concepts {
			if !slices.Contains(concept.Lessons, l.Number) {
				continue
			}
			one := Coverage{Concept: concept, Lesson: l, Section: sections[concept.ID]}
			for _, check := range l.Checks {
				if slices.Contains(check.Concepts, concept.ID) {
					one.Checks = append(one.Checks, string(check.ID))
				}
			}
			all = append(all, one)
		}
	}
	return all, nil
}

// Verify names, in a sentence each, the concepts that no lesson owns, and those that a lesson owns and does not
// explain, or does not test. Root is the repository's.
func Verify(root string) ([]string, error) {
	concepts, err := Concepts()
	if err != nil {
		return nil, err
	}
	covered, err := Cover(root)
	if err != nil {
		return nil, err
	}
	return append(unowned(concepts), untaught(covered)...), nil
}

func unowned(concepts []Concept) (mistakes []string) {
	for _, concept := range concepts {
		if len(concept.Lessons) == 0 {
			mistakes = append(mistakes, fmt.Sprintf("tests/concepts/concepts.yaml: %s (%s) belongs to no lesson", concept.ID, concept.What))
		}
	}
	return mistakes
}

func untaught(covered []Coverage) (mistakes []string) {
	for _, one := range covered {
		if one.Section.Heading == "" {
			mistakes = append(mistakes, fmt.Sprintf("%s does not explain %s (%s): no heading has <!-- %s --> below it",
				one.Lesson.Text(), one.Concept.ID, one.Concept.What, one.Concept.ID))
		}
		if len(one.Checks) == 0 {
			mistakes = append(mistakes, fmt.Sprintf("lesson %d has no check of %s (%s)", one.Lesson.Number, one.Concept.ID, one.Concept.What))
		}
	}
	return mistakes
}

var conceptMark = regexp.MustCompile(`\bC\d\d\b`)

// explained are the sections of a text in which concepts are marked as explained, by concept.
func explained(text []byte) map[string]markdown.Section {
	sections := map[string]markdown.Section{}
	for _, section := range markdown.Sections(text) {
		for _, block := range section.Blocks {
			if !block.IsComment() {
				continue
			}
			for _, id := range conceptMark.FindAllString(block.Source, -1) {
				if _, known := sections[id]; !known {
					sections[id] = section
				}
			}
		}
	}
	return sections
}

// Page is docs/concepts.md: what the course teaches, where it is explained and what tests it.
func Page(root string) ([]byte, error) {
	covered, err := Cover(root)
	if err != nil {
		return nil, err
	}
	concepts, err := Concepts()
	if err != nil {
		return nil, err
	}
	out := bytes.NewBufferString("# Concepts\n\nWhat the course teaches. Each concept belongs to at least one lesson. The lesson's text explains it, and at least one of the " +
		"lesson's checks fails for code that ignores it. `make generate` writes this page from `tests/concepts/concepts.yaml`, the lessons' texts " +
		"and the checks.\n\n" +
		"| | concept | explained in | checks |\n|---|---|---|---|\n")
	for _, concept := range concepts {
		var places, tests []string
		for _, lesson := range concept.Lessons {
			i := slices.IndexFunc(covered, func(c Coverage) bool { return c.Concept.ID == concept.ID && c.Lesson.Number == lesson })
			if i < 0 {
				places = append(places, fmt.Sprintf("lesson %d, planned", lesson))
				continue
			}
			c := covered[i]
			places = append(places, fmt.Sprintf("[lesson %d: %s](../%s#%s)", lesson, c.Section.Heading, c.Lesson.Text(), c.Section.Anchor))
			tests = append(tests, c.Checks...)
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", concept.ID, concept.What, strings.Join(places, "; "), strings.Join(tests, ", "))
	}
	return out.Bytes(), nil
}
