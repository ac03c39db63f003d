package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/e2e"
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
		found, err := findLesson(one.Number)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(found.Folder, "hints.md")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		all, err := parseHints(fromHere(file), text)
		if err == nil {
			err = agree(all, one)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// Who needs help with a check on a real cluster gets that for the lessons' check about the same.
func TestEachRuleHasTheHintsOfACheck(t *testing.T) {
	for _, rule := range e2e.Rules {
		number, err := strconv.Atoi(lessonOf(rule.Check))
		if err != nil {
			t.Fatal(err)
		}
		of, err := findLesson(number)
		if err != nil {
			t.Fatal(err)
		}
		if number > rule.From {
			t.Errorf("%s holds from lesson %d on, which comes before the hints for %s", rule.ID, rule.From, rule.Check)
		}
		if check, _, err := hintFor(of, &lessonProgress{}, rule.ID); err != nil || check.ID != rule.Check {
			t.Errorf("%s: got check %s, error %v", rule.ID, check.ID, err)
		}
	}
	elsewhere, err := findLesson(5)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := hintFor(elsewhere, &lessonProgress{}, "K1"); err == nil || !strings.Contains(err.Error(), "make lesson-3 hint CHECK=3.2") {
		t.Errorf("the hints for K1 in lesson 5: %v", err)
	}
}

func TestHintFor(t *testing.T) {
	l := lesson{judged: checks.Lesson{Number: 3, Checks: []checks.Check{{ID: "3.1"}, {ID: "3.2"}, {ID: "3.3"}}}}
	l.Number = 3
	for name, test := range map[string]struct {
		known lessonProgress
		id    string
		want  string
		why   string
	}{
		"the first that failed": {known: lessonProgress{Checks: map[string]*checkProgress{"3.1": {Result: passed}, "3.2": {Result: failed}, "3.3": {Result: failed}}}, want: "3.2"},
		"the one that is named": {id: "3.3", want: "3.3"},
		"one on a real cluster": {id: "K1", want: "3.2"},
		"nothing judged yet":    {why: "Nothing has been judged yet"},
		"hints but no verdict":  {known: lessonProgress{Checks: map[string]*checkProgress{"3.1": {Hints: 1}}}, why: "Nothing has been judged yet"},
		"nothing failed":        {known: lessonProgress{Checks: map[string]*checkProgress{"3.1": {Result: passed}, "3.2": {Result: skipped}}}, why: "No check failed"},
		"nothing could be": {
			known: lessonProgress{Blocked: "The controller compiles", Checks: map[string]*checkProgress{"3.1": {Result: failed}}},
			why:   `When it was judged last, nothing could be judged; what did not hold: "The controller compiles".`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			check, why, err := hintFor(l, &test.known, test.id)
			if err != nil || check.ID != test.want && why == "" || !strings.HasPrefix(why, test.why) || (why == "") != (test.why == "") {
				t.Errorf("check %q, why %q, error %v; want %q and %q", check.ID, why, err, test.want, test.why)
			}
		})
	}
}
