package judge

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/repo"
)

func TestMarkersThatMakeNoRoleAreAFinding(t *testing.T) {
	root, err := repo.Root()
	must.Succeed(t, err)
	cache := filepath.Join(root, ".cache")
	must.Succeed(t, os.MkdirAll(cache, 0o755))
	compiled := func(context.Context, string, string) error { return nil }
	for text, says := range map[string]string{
		"package main\n\n// +kubebuilder:rbac:groups=batch,resources=jobs,verb=get\n\nfunc main() {}\n": "/main.go:3:\n" +
			"    // +kubebuilder:rbac:groups=batch,resources=jobs,verb=get\n      unknown argument \"verb\"\n",
		"package main\n\nfunc main() {}\n": "has no +kubebuilder:rbac markers",
	} {
		folder, err := os.MkdirTemp(cache, "markers-")
		must.Succeed(t, err)
		t.Cleanup(func() { _ = os.RemoveAll(folder) })
		must.Succeed(t, os.WriteFile(filepath.Join(folder, "main.go"), []byte(text), 0o644))
		_, blocked, err := Code{Folder: folder}.BuildWith(t.Context(), t.TempDir(), compiled)
		if err != nil || blocked == nil || blocked.Check != "markers" || !strings.Contains(blocked.What, says) {
			t.Errorf("of\n%s\nthe finding is %+v, error %v; want %q", text, blocked, err, says)
		}
	}
}
