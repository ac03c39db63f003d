package lessons

import (
	"strings"
	"testing"
)

func TestTheCRDOfLesson2IsMadeAsThatOfTheOtherLessons(t *testing.T) {
	c := thisRepository(t)
	option := wordThatBegins(c.text(t, "scripts/generate.sh"), "crd:")
	own := wordThatBegins(c.text(t, "solutions/02-api/generate.go"), "crd:")
	if option == "" || own != option {
		t.Errorf("solution 2 makes its CRD with %q, and scripts/generate.sh with %q", own, option)
	}
}

// Learners run controller-gen from scripts/tools; the judge calls it as a library.
func TestLearnersRunTheControllerGenThatTheJudgeUses(t *testing.T) {
	c := thisRepository(t)
	version := func(file string) string {
		_, after, _ := strings.Cut(c.text(t, file), "sigs.k8s.io/controller-tools ")
		return wordThatBegins(after, "v")
	}
	if tool, library := version("scripts/tools/go.mod"), version("go.mod"); tool != library {
		t.Errorf("scripts/tools has controller-gen %s, and go.mod has %s", tool, library)
	}
}

func wordThatBegins(text, prefix string) string {
	for word := range strings.FieldsSeq(text) {
		if strings.HasPrefix(word, prefix) {
			return word
		}
	}
	return ""
}
