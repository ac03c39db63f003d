package lessons

import (
	"strings"
	"testing"
)

func TestTheSolutionOfLesson2IsTheAPIThatTheOtherLessonsUse(t *testing.T) {
	c := thisRepository(t)
	solution, err := c.stripped(c.lesson(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"doc.go", "sequentialjob_types.go"} {
		reference := c.text(t, "sequentialjob/api/v1alpha1/"+file)
		if string(solution[file]) != reference {
			t.Errorf("%s of solution 2 is not that of sequentialjob/api/v1alpha1", file)
		}
	}
}

func TestTheCRDOfLesson2IsMadeAsThatOfTheOtherLessons(t *testing.T) {
	c := thisRepository(t)
	option := wordThatBegins(c.text(t, "scripts/generate.sh"), "crd:")
	own := wordThatBegins(c.text(t, "solutions/02-api/generate.go"), "crd:")
	if option == "" || own != option {
		t.Errorf("solution 2 makes its CRD with %q, and scripts/generate.sh with %q", own, option)
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
