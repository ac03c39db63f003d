package mutation

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"

	"golang.org/x/tools/go/packages"
)

// source is the code that is mutated: a package, without its tests.
type source struct {
	set      *token.FileSet
	files    []*file
	imported map[string]*types.Package
}

// file is a file of a source.
type file struct {
	name   string // "reconciler.go"
	text   []byte
	syntax *ast.File
	types  *types.Info
	set    *token.FileSet
}

// load reads the package in a folder.
func load(ctx context.Context, folder string) (*source, error) {
	set := token.NewFileSet()
	found, err := packages.Load(&packages.Config{
		Context: ctx, Dir: folder, Fset: set,
		Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
	}, ".")
	if err != nil {
		return nil, err
	}
	loaded := found[0]
	if len(loaded.Errors) > 0 {
		return nil, fmt.Errorf("%s does not compile: %w", folder, loaded.Errors[0])
	}
	s := &source{set: set, imported: map[string]*types.Package{}}
	for _, one := range loaded.Types.Imports() {
		s.imported[one.Path()] = one
	}
	for i, path := range loaded.CompiledGoFiles {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, &file{name: filepath.Base(path), text: text, syntax: loaded.Syntax[i], types: loaded.TypesInfo, set: set})
	}
	return s, nil
}

// Import implements types.Importer. A mutant imports nothing that its source does not.
func (s *source) Import(path string) (*types.Package, error) {
	if found := s.imported[path]; found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("nothing imports %s", path)
}

// check returns the compiler's errors for the source with the file of this name replaced.
func (s *source) check(changed *ast.File, name string) (errs []types.Error) {
	var files []*ast.File
	for _, f := range s.files {
		if f.name == name {
			files = append(files, changed)
		} else {
			files = append(files, f.syntax)
		}
	}
	config := types.Config{Importer: s, Error: func(err error) {
		if one, is := errors.AsType[types.Error](err); is {
			errs = append(errs, one)
		}
	}}
	_, _ = config.Check("mutant", s.set, files, nil) // Error has received what is wrong
	return errs
}

func (f *file) offset(pos token.Pos) int { return f.set.Position(pos).Offset }

// code is the text of a node.
func (f *file) code(node ast.Node) string { return f.between(node.Pos(), node.End()) }

func (f *file) between(from, to token.Pos) string { return string(f.text[f.offset(from):f.offset(to)]) }
