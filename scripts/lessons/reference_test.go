package lessons

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/repo"
)

func TestTheSolutionOfLesson2IsTheAPIThatTheOtherLessonsUse(t *testing.T) {
	root := rootOf(t)
	solution, err := Stripped(filepath.Join(root, "solutions", "02-api"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"doc.go", "sequentialjob_types.go"} {
		reference := contents(t, filepath.Join(root, "sequentialjob", "api", "v1alpha1", file))
		if string(solution[file]) != reference {
			t.Errorf("%s of solution 2 is not that of sequentialjob/api/v1alpha1", file)
		}
	}
}

func TestTheCRDOfLesson2IsMadeAsThatOfTheOtherLessons(t *testing.T) {
	root := rootOf(t)
	option := wordThatBegins(contents(t, filepath.Join(root, "scripts", "generate.sh")), "crd:")
	own := wordThatBegins(contents(t, filepath.Join(root, "solutions", "02-api", "generate.go")), "crd:")
	if option == "" || own != option {
		t.Errorf("solution 2 makes its CRD with %q, and scripts/generate.sh with %q", own, option)
	}
}

func rootOf(t *testing.T) string {
	t.Helper()
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func contents(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func wordThatBegins(text, prefix string) string {
	for word := range strings.FieldsSeq(text) {
		if strings.HasPrefix(word, prefix) {
			return word
		}
	}
	return ""
}
