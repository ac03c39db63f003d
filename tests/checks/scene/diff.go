package scene

import (
	"strings"

	"github.com/pmezard/go-difflib/difflib"
	"sigs.k8s.io/yaml"

	"example.com/controller-course/tests/kit/finding"
)

// Diff is the difference between two values of the API, as lines of YAML; empty if there is none.
func Diff(before, after any) (string, error) {
	const context = 3
	was, err := yaml.Marshal(before)
	if err != nil {
		return "", err
	}
	is, err := yaml.Marshal(after)
	if err != nil {
		return "", err
	}
	lines := func(text []byte) []string { return difflib.SplitLines(strings.TrimSuffix(string(text), "\n")) }
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{A: lines(was), B: lines(is), Context: context})
	if text == "" || err != nil {
		return "", err
	}
	var shown []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "@@") { // numbers of lines that nobody sees
			line = "...\n"
		}
		shown = append(shown, line)
	}
	return finding.Kept(strings.TrimPrefix(strings.Join(shown, ""), "...\n")), nil
}
