package crds

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOptionOf(t *testing.T) {
	const tool = "//go:generate go tool -modfile=../../scripts/tools/go.mod controller-gen "
	for name, test := range map[string]struct{ line, want string }{
		"none":            {"// controller-gen crd", usualOption},
		"without details": {tool + "paths=. crd output:crd:dir=../../.cache/crd", "crd"},
		"with details":    {tool + `paths=. crd:maxDescLen=0 object`, "crd:maxDescLen=0"},
		"in quotes":       {tool + `"crd:maxDescLen=7" paths=.`, "crd:maxDescLen=7"},
		"another tool":    {"//go:generate stringer -type=crd crd", usualOption},
		"no crd":          {tool + "object paths=.", usualOption},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "generate.go"), []byte("package v1alpha1\n\n"+test.line+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := optionOf(dir); err != nil || got != test.want {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}
