package concepts

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/e2e"
	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/markdown"
	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/repo"
)

func rootOf(t *testing.T) string {
	t.Helper()
	root, err := repo.Root()
	must.Succeed(t, err)
	return root
}

func TestEveryConceptOfALessonIsExplainedAndTested(t *testing.T) {
	mistakes, err := Verify(rootOf(t))
	must.Succeed(t, err)
	for _, mistake := range mistakes {
		t.Error(mistake)
	}
}

func TestTheTableOfConceptsIsFresh(t *testing.T) {
	root := rootOf(t)
	written, err := os.ReadFile(filepath.Join(root, "docs", "concepts.md"))
	must.Succeed(t, err)
	fresh, err := Page(root)
	must.Succeed(t, err)
	assert.Equal(t, "docs/concepts.md is not fresh; `make generate` writes it", string(fresh), string(written))
}

func TestEverySectionThatAFindingNamesIsThere(t *testing.T) {
	for _, lesson := range checks.Lessons() {
		if lesson.Role != "" {
			assertSection(t, "the role of "+lesson.Slug, lesson.Text(), lesson.Role)
		}
		for _, check := range lesson.Checks {
			assertSection(t, "check "+string(check.ID), lesson.Text(), check.Section)
		}
	}
	for _, rule := range e2e.Rules {
		file, section, _ := strings.Cut(rule.Read, "#")
		assertSection(t, "rule "+rule.ID, file, section)
	}
	for of, run := range map[string]history.Run{
		"a flood":             {},
		"a flood of refusals": {Requests: []history.Request{{Code: 403}}},
	} {
		file, section, _ := strings.Cut(finding.Flood(run).Read, "#")
		assertSection(t, of, file, section)
	}
}

func assertSection(t *testing.T, of, file, section string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(rootOf(t), file))
	must.Succeed(t, err)
	var anchors []string
	for _, section := range markdown.Sections(text) {
		anchors = append(anchors, section.Anchor)
	}
	if !slices.Contains(anchors, section) {
		t.Errorf("%s: %s has no section %s; it has %s", of, file, section, strings.Join(anchors, ", "))
	}
}

// Words in code font that look like files, make goals, TODOs or checks.
var (
	inCode   = regexp.MustCompile("`([^`\n]+)`")
	aFile    = regexp.MustCompile(`^[\w./-]+\.(go|md|yaml|sh)$`)
	aTodo    = regexp.MustCompile(`^TODO\(([\w-]+)\)$`)
	aCheckID = regexp.MustCompile(`\bCHECK=(\d+\.\d+)`)
)

func TestTextsNameOnlyWhatIsThere(t *testing.T) {
	root := rootOf(t)
	known := map[string]bool{}
	for _, lesson := range checks.Lessons() {
		for _, check := range lesson.Checks {
			known[string(check.ID)] = true
		}
	}
	for _, lesson := range checks.Lessons() {
		solution := filepath.Join(root, "solutions", lesson.Slug)
		code := map[string]bool{}
		files, err := filepath.Glob(filepath.Join(solution, "*.go"))
		must.Succeed(t, err)
		var exercises string
		for _, file := range files {
			text, err := os.ReadFile(file)
			must.Succeed(t, err)
			code[filepath.Base(file)] = true
			exercises += string(text)
		}
		for _, name := range []string{"README.md", "hints.md"} {
			text, err := os.ReadFile(filepath.Join(root, "lessons", lesson.Slug, name))
			must.Succeed(t, err)
			for _, match := range inCode.FindAllStringSubmatch(string(text), -1) {
				word := match[1]
				if aFile.MatchString(word) && !code[word] && !exists(root, word) {
					t.Errorf("%s/%s names the file %s, which is not there", lesson.Slug, name, word)
				}
				if todo := aTodo.FindStringSubmatch(word); todo != nil && !strings.Contains(exercises, "//exercise:begin "+todo[1]+" ") {
					t.Errorf("%s/%s names TODO(%s), which no exercise is called", lesson.Slug, name, todo[1])
				}
			}
			for _, match := range aCheckID.FindAllStringSubmatch(string(text), -1) {
				if !known[match[1]] {
					t.Errorf("%s/%s names the check %s, which there is not", lesson.Slug, name, match[1])
				}
			}
		}
	}
}

func exists(root, file string) bool {
	_, err := os.Stat(filepath.Join(root, file))
	return err == nil
}
