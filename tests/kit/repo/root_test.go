package repo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRootIsFoundFromASubfolderWithAModuleOfItsOwn(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	nested := filepath.Join(root, "scripts", "tools")
	if err := os.MkdirAll(nested, 0o755); err != nil {
		t.Fatal(err)
	}
	writeGoMod(t, root, Module)
	writeGoMod(t, nested, Module+"/scripts/tools")

	t.Chdir(nested)
	got, err := Root()
	if err != nil || got != root {
		t.Errorf("Root() = %q, %v; want %q", got, err, root)
	}
}

func TestRootOutsideOfTheRepositorySaysWhatToDo(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := Root()
	if err == nil || !strings.Contains(err.Error(), "change into your clone") {
		t.Errorf("Root() = %v; want an error that says what to do", err)
	}
}

func writeGoMod(t *testing.T, dir, module string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+module+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
