package mutants

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// packages can be type-checked with some of their files replaced. That finds what the compiler finds,
// in a hundredth of the time.
type packages struct {
	root    string
	exports map[string]string   // what the compiler has exported of a package, by the import path
	files   map[string][]string // Go files by the folder, from root

	set      *token.FileSet
	importer types.Importer // keeps what it has read
}

// packagesUnder reads the packages that match the patterns, and all that they import.
func packagesUnder(t *testing.T, root string, patterns ...string) *packages {
	t.Helper()
	list := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles"}, patterns...)...)
	list.Dir = root
	var problems strings.Builder
	list.Stderr = &problems
	output, err := list.Output()
	if err != nil {
		t.Fatalf("list %s: %v\n%s", patterns, err, problems.String())
	}
	p := &packages{root: root, exports: map[string]string{}, files: map[string][]string{}, set: token.NewFileSet()}
	p.importer = importer.ForCompiler(p.set, "gc", p.export)
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var listed struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
		}
		if err := decoder.Decode(&listed); errors.Is(err, io.EOF) {
			return p
		} else if err != nil {
			t.Fatal(err)
		}
		p.exports[listed.ImportPath] = listed.Export
		if folder, err := filepath.Rel(root, listed.Dir); err == nil {
			p.files[folder] = listed.GoFiles
		}
	}
}

// check reports what keeps the packages of the edited files from compiling.
func (p *packages) check(t *testing.T, edited map[string][]byte) {
	t.Helper()
	folders := map[string]bool{}
	for file := range edited {
		folders[filepath.Dir(file)] = true
	}
	for folder := range folders {
		var files []*ast.File
		for _, name := range p.files[folder] {
			file := filepath.Join(folder, name)
			var source any
			if text, replaced := edited[file]; replaced {
				source = text
			}
			parsed, err := parser.ParseFile(p.set, filepath.Join(p.root, file), source, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, parsed)
		}
		if len(files) == 0 {
			t.Fatalf("%s is no package that was listed", folder)
		}
		config := types.Config{
			Importer: p.importer,
			Error:    func(err error) { t.Error(err) },
		}
		_, _ = config.Check(folder, p.set, files, nil) // Error has received it
	}
}

func (p *packages) export(path string) (io.ReadCloser, error) {
	if p.exports[path] == "" {
		return nil, fmt.Errorf("the operator does not import %s, so far", path)
	}
	return os.Open(p.exports[path])
}
