package learn

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/kit/repo"
)

const twoSections = `# Hints: Reconcile

## 3.1 The first

1. Look.
2. Look there.
   And there:

   ` + "```go" + `
   	look()
   ` + "```" + `
3. ` + "`look()`" + `

## 3.2 The second
1. a
2. b
3. c
`

func TestParseHints(t *testing.T) {
	got, err := parseHints("hints.md", []byte(twoSections))
	if err != nil {
		t.Fatal(err)
	}
	want := []hints{
		{id: "3.1", title: "The first", texts: []string{"Look.", "Look there.\nAnd there:\n\n```go\n\tlook()\n```", "`look()`"}},
		{id: "3.2", title: "The second", texts: []string{"a", "b", "c"}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(hints{})); diff != "" {
		t.Errorf("parseHints (-want +got):\n%s", diff)
	}
}

func TestParseHintsRefuses(t *testing.T) {
	for name, test := range map[string]struct{ text, says string }{
		"no title":              {"## 3.1 x\n", `hints.md:1: the first line has to be "# Hints: "`},
		"text before a section": {"# Hints: x\n1. y\n", `hints.md:2: before the first hint`},
		"a section without ID":  {"# Hints: x\n## y\n", `hints.md:2: the heading has to be "## ", a check's ID and its title`},
		"text before a hint":    {"# Hints: x\n## 3.1 y\nz\n", "hints.md:3: check 3.1 has text that is in none of its hints"},
		"a wrong number":        {"# Hints: x\n## 3.1 y\n1. a\n3. b\n", "hints.md:4: this is hint 2 of check 3.1, but it has the number 3"},
		"text that is not part": {"# Hints: x\n## 3.1 y\n1. a\n\nb\n", "hints.md:5: check 3.1 has text that is in none of its hints"},
		"too few":               {"# Hints: x\n## 3.1 y\n1. a\n2. b\n", "hints.md:2: check 3.1 has 2 hints; each check has 3"},
		"too many":              {"# Hints: x\n## 3.1 y\n1. a\n2. b\n3. c\n4. d\n", "hints.md:2: check 3.1 has 4 hints; each check has 3"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseHints("hints.md", []byte(test.text))
			if err == nil || !strings.HasPrefix(err.Error(), test.says) {
				t.Errorf("error %v, want %q", err, test.says)
			}
		})
	}
}

// What a learner is shown has to be there, and to be for the checks that there are.
func TestEachCheckHasItsHints(t *testing.T) {
	for _, one := range checks.Lessons() {
		found, err := usage.Find(one.Number)
		if err != nil {
			t.Fatal(err)
		}
		file := found.Course.Path(found.Folder(), "hints.md")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		all, err := parseHints(repo.Short(file), text)
		if err == nil {
			err = agree(all, one)
		}
		if err != nil {
			t.Error(err)
		}
	}
}
