package mutation

import (
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/must"
)

const listedOne = "- ids: ['L3:a.go:f:drop-case#1']\n  change: without `a`\n  why: Nobody sees it.\n"

func TestMistakesInTheListOfEquivalents(t *testing.T) {
	for name, test := range map[string]struct{ text, says string }{
		"no argument": {"- ids: ['L3:a.go:f:drop-case#1']\n  change: without `a`\n", "lacks its ids, change or why"},
		"twice":       {listedOne + listedOne, "lists L3:a.go:f:drop-case#1 twice"},
		"a typo":      {strings.Replace(listedOne, "why", "because", 1), `unknown field "because"`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parseEquivalents([]byte(test.text)); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %s", err, test.says)
			}
		})
	}
}

func TestAnEquivalentThatIsNotThereAnyMoreIsNamed(t *testing.T) {
	listed, err := parseEquivalents([]byte(listedOne))
	must.Succeed(t, err)
	for name, test := range map[string]struct {
		all  []Mutant
		says string
	}{
		"gone":    {nil, "lists L3:a.go:f:drop-case#1, and there is no such mutant"},
		"changed": {[]Mutant{{ID: "L3:a.go:f:drop-case#1", Change: "without `b`"}}, "which is now\n    without `b`"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := outdated(listed, test.all); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %s", err, test.says)
			}
		})
	}
	must.Succeed(t, outdated(listed, []Mutant{{ID: "L3:a.go:f:drop-case#1", Change: "without `a`"}}))
}
