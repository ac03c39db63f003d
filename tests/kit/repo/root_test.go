package repo

import (
	"os"
	"path/filepath"
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
)

func TestRootIsFoundFromASubfolderWithAModuleOfItsOwn(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	must.Succeed(t, err)
	nested := filepath.Join(root, "scripts", "tools")
	must.Succeed(t, os.MkdirAll(nested, 0o755))
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
	assert.Error(t, err, "change into your clone")
}

func writeGoMod(t *testing.T, dir, module string) {
	t.Helper()
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+module+"\n"), 0o644))
}
