package mutants

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/repo"
)

func TestABuiltMutantIsAProgramAndLeavesTheRepositoryAsItIs(t *testing.T) {
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(root, "sequentialjob", "main.go")
	before, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "mutant")
	mutant := Mutant{Edits: []Edit{{"sequentialjob/main.go", `"sequentialjob:", err`, `"the mutant:", err`}}}
	if err := mutant.Build(t.Context(), binary); err != nil {
		t.Fatal(err)
	}

	program, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(program), "the mutant:") {
		t.Error("the program does not have the edit")
	}
	if after, err := os.ReadFile(source); err != nil || string(after) != string(before) {
		t.Errorf("main.go was changed, or can't be read: %v", err)
	}
}

func TestAMutantThatDoesNotCompileSaysWhy(t *testing.T) {
	mutant := Mutant{ID: "M99", Slug: "wrong", Edits: []Edit{{"sequentialjob/main.go", "func main() {", "func main() { nothing()"}}}
	err := mutant.Build(t.Context(), filepath.Join(t.TempDir(), "mutant"))
	if err == nil || !strings.Contains(err.Error(), "mutant M99 (wrong)") || !strings.Contains(err.Error(), "undefined: nothing") {
		t.Errorf("got %v; want one about mutant M99 (wrong) and the undefined name", err)
	}
}
