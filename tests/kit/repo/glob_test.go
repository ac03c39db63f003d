package repo

import (
	"os"
	"path/filepath"
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
)

func TestGlobInAFolderWithABracketInItsName(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a[b")
	must.Succeed(t, os.Mkdir(folder, 0o755))
	for _, name := range []string{"b.go", "a.go", "c.txt"} {
		must.Succeed(t, os.WriteFile(filepath.Join(folder, name), nil, 0o644))
	}
	got, err := Glob(folder, "*.go")
	must.Succeed(t, err)
	assert.Equal(t, "files", got, []string{filepath.Join(folder, "a.go"), filepath.Join(folder, "b.go")})
}

func TestGlobInAFolderThatIsMissing(t *testing.T) {
	got, err := Glob(filepath.Join(t.TempDir(), "missing"), "*.go")
	must.Succeed(t, err)
	assert.Equal(t, "files", len(got), 0)
}
