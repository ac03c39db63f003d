package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/repo"
)

func TestBuildSaysWhereCodeDoesNotCompile(t *testing.T) {
	root, err := repo.Root()
	must.Succeed(t, err)
	must.Succeed(t, os.MkdirAll(filepath.Join(root, ".cache"), 0o755))
	folder, err := os.MkdirTemp(filepath.Join(root, ".cache"), "broken-") // where the module is
	must.Succeed(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	must.Succeed(t, os.WriteFile(filepath.Join(folder, "main.go"), []byte("package main\n\nfunc main() { undefined() }\n"), 0o644))

	var out strings.Builder
	_, err = Build(t.Context(), judge.Code{Folder: folder}, t.TempDir(), &out)
	if err == nil || !strings.Contains(out.String(), "/main.go:3:15: undefined:") {
		t.Errorf("error %v, output:\n%s", err, &out)
	}
}
