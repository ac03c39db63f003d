package mutation

import (
	"strings"
	"testing"

	"example.com/controller-course/tests/lesson"
)

func TestPage(t *testing.T) {
	survivor := Mutant{ID: "L3:a.go:f:drop-case#1", Change: "without `case a:`"}
	equivalent := Mutant{ID: "L3:a.go:f:drop-verb#1", Change: "`a|b` becomes `a`"}
	var page strings.Builder
	write(&page, []Score{
		{Lesson: lesson.Lesson{Number: 2, Slug: "02-two"}, Mutants: make([]Mutant, 4), Unknown: make([]Mutant, 4)},
		{
			Lesson: lesson.Lesson{Number: 3, Slug: "03-three"}, Mutants: make([]Mutant, 7),
			Unbuilt: 1, Caught: 3, Survivors: []Mutant{survivor}, Equivalents: []Mutant{equivalent}, Unknown: make([]Mutant, 1),
		},
	}, map[string]Equivalent{equivalent.ID: {Why: "Nothing needs it."}})
	for _, want := range []string{
		"| [2](../lessons/02-two/README.md) | 4 | 0 | 0 | 0 | 0 | 4 | — |\n",
		"| [3](../lessons/03-three/README.md) | 7 | 1 | 3 | 1 | 1 | 1 | 75.0 % of 4 |\n",
		"| drop-verb | leaves out a verb of a marker of the role |\n",
		"\n## Lesson 3\n\nThese mutants survive:\n\n- `L3:a.go:f:drop-case#1`: without `case a:`\n",
		"\nThese mutants are equivalent:\n\n- `L3:a.go:f:drop-verb#1`: `a|b` becomes `a`. Nothing needs it.\n",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks\n%s\nIt is\n%s", want, page.String())
		}
	}
	if strings.Contains(page.String(), "## Lesson 2") {
		t.Error("a lesson of which nothing is known has a section")
	}
}
