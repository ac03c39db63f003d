// Package concepts says what the course teaches, where it is explained, and which checks test it.
package concepts

import (
	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/lesson"

	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
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
	Section string   // heading of the lesson's text; empty where it is not explained
	Checks  []string // IDs; none where it is not tested
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
		sections := explained(string(text))
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

var conceptMark = regexp.MustCompile(`\bC\d\d\b`)

// explained are the headings of a text below which concepts are marked as explained.
func explained(text string) map[string]string {
	sections := map[string]string{}
	heading := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
			heading = strings.TrimSpace(strings.TrimLeft(line, "#"))
		case strings.HasPrefix(line, "<!--"):
			for _, id := range conceptMark.FindAllString(line, -1) {
				if sections[id] == "" {
					sections[id] = heading
				}
			}
		}
	}
	return sections
}

// WriteConcepts writes docs/concepts.md: what the course teaches, where it is explained and what tests it.
func WriteConcepts(out io.Writer, root string) error {
	covered, err := Cover(root)
	if err != nil {
		return err
	}
	concepts, err := Concepts()
	if err != nil {
		return err
	}
	fmt.Fprint(out, "# Concepts\n\nWhat the course teaches. Each concept belongs to at least one lesson, whose text explains it and of whose checks at least "+
		"one fails who ignores it. Written by `make generate` out of `tests/concepts/concepts.yaml`, the lessons' texts and the checks.\n\n"+
		"| | concept | explained in | checks |\n|---|---|---|---|\n")
	for _, concept := range concepts {
		var places, tests []string
		for _, lesson := range concept.Lessons {
			i := slices.IndexFunc(covered, func(c Coverage) bool { return c.Concept.ID == concept.ID && c.Lesson.Number == lesson })
			if i < 0 {
				places = append(places, fmt.Sprintf("lesson %d, to come", lesson))
				continue
			}
			c := covered[i]
			places = append(places, fmt.Sprintf("[lesson %d: %s](../%s#%s)", lesson, c.Section, c.Lesson.Text(), anchor(c.Section)))
			tests = append(tests, c.Checks...)
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", concept.ID, concept.What, strings.Join(places, "; "), strings.Join(tests, ", "))
	}
	return nil
}

var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchor is what GitHub makes of a heading.
func anchor(heading string) string {
	return strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}
