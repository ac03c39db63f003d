package mutants

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/tests/kit/repo"
)

func TestTheKillMatrixIsFresh(t *testing.T) {
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(root, "docs", "kill-matrix.md"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	var fresh bytes.Buffer
	if err := WriteMatrix(&fresh, all); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(written), fresh.String()); diff != "" {
		t.Errorf("docs/kill-matrix.md is not what the mutants say; `make mutants` writes it (-there +fresh):\n%s", diff)
	}
}
