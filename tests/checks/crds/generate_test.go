package crds

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
)

// written makes a package with a line.
func written(t *testing.T, line string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "generate.go"), []byte("package v1alpha1\n\n"+line+"\n"), 0o600))
	return dir
}

func TestOptionOf(t *testing.T) {
	const tool = "//go:generate go tool -modfile=../../scripts/tools/go.mod controller-gen "
	for name, test := range map[string]struct{ line, want string }{
		"none":            {"// controller-gen crd", usualOption},
		"without details": {tool + "paths=. crd output:crd:dir=../../.cache/crd", "crd"},
		"with details":    {tool + `paths=. crd:maxDescLen=0 object`, "crd:maxDescLen=0"},
		"at a version":    {"//go:generate go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.18.0 paths=. crd:maxDescLen=0", "crd:maxDescLen=0"},
		"in quotes":       {tool + `"crd:maxDescLen=7" paths=.`, "crd:maxDescLen=7"},
		"another tool":    {"//go:generate stringer -type=crd crd", usualOption},
		"no crd":          {tool + "object paths=.", usualOption},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := optionOf(written(t, test.line))
			must.Succeed(t, err)
			assert.Equal(t, "the option", got, test.want)
		})
	}
}

func TestALineThatMakesNoCRD(t *testing.T) {
	const tool = "go tool -modfile=../../scripts/tools/go.mod controller-gen paths=. "
	for name, line := range map[string]string{
		"a space":        "// go:generate " + tool + "crd:maxDescLen=0",
		"a plus":         "// +go:generate " + tool + "crd",
		"another option": "//go:generate " + tool + "crds:maxDescLen=0 output:crd:dir=../../.cache/crd",
		"no option":      "//go:generate " + tool + "output:crd:dir=../../.cache/crd",
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := optionOf(written(t, line))
			var unjudgeable *UnjudgeableError
			if !errors.As(err, &unjudgeable) {
				t.Errorf("got %v, want an UnjudgeableError", err)
			}
			assert.Error(t, err, "generate.go:3 ", line)
		})
	}
}
