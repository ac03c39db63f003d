package lessons

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// namesItsImports makes sure that a solution's text alone shows the names of its imports: it compiles,
// so it uses them all.
func namesItsImports(file string, text []byte) error {
	source, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
	if err != nil {
		return err
	}
	if unused := slices.IndexFunc(source.Imports, unusedIn(source)); unused >= 0 {
		return fmt.Errorf("%s: nothing uses %s, or its name is another than its path says: then write the name before the path",
			file, source.Imports[unused].Path.Value)
	}
	return nil
}

// addImports adds to the starters the imports that no solution needs.
func addImports(where string, files, starters Files) error {
	for name, text := range files {
		file := filepath.Join(where, name)
		pieces, err := parse(file, text)
		if err != nil {
			return err
		}
		for _, piece := range pieces {
			if piece.exercise == nil {
				continue
			}
			for _, line := range piece.exercise.imports {
				if starters[name], err = withImport(file, starters[name], line); err != nil {
					return fmt.Errorf("%s:%d: %simport %s: %w", file, piece.exercise.line, mark, line, err)
				}
			}
		}
	}
	return nil
}

// withImport adds an import to a file, unless it has it. Line is as in an import declaration.
func withImport(file string, text []byte, line string) ([]byte, error) {
	declared, err := parser.ParseFile(token.NewFileSet(), "", "package a\nimport "+line, parser.ImportsOnly)
	if err != nil {
		return nil, fmt.Errorf(`write it as in an import declaration: corev1 "k8s.io/api/core/v1"`)
	}
	set := token.NewFileSet()
	source, err := parser.ParseFile(set, file, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	spec := declared.Imports[0]
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return nil, err
	}
	name := ""
	if spec.Name != nil {
		name = spec.Name.Name
	}
	astutil.AddNamedImport(set, source, name, path)
	var added bytes.Buffer
	err = format.Node(&added, set, source)
	return added.Bytes(), err
}

// withoutUnusedImports leaves out the imports that only an exercise needs. Their lines go with them:
// astutil.DeleteNamedImport would leave some of the comments on them.
func withoutUnusedImports(file string, text []byte) ([]byte, error) {
	set := token.NewFileSet()
	source, err := parser.ParseFile(set, file, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	lines := strings.SplitAfter(string(text), "\n")
	remove := func(node ast.Node, comment *ast.CommentGroup) {
		begin := node.Pos()
		if comment != nil {
			begin = comment.Pos()
		}
		clear(lines[set.Position(begin).Line-1 : set.Position(node.End()).Line])
	}
	for _, decl := range source.Decls {
		imports, is := decl.(*ast.GenDecl)
		if !is || imports.Tok != token.IMPORT {
			continue
		}
		var unused []*ast.ImportSpec
		for _, spec := range imports.Specs {
			if spec := spec.(*ast.ImportSpec); unusedIn(source)(spec) {
				unused = append(unused, spec)
			}
		}
		if len(unused) == len(imports.Specs) { // nothing would be left of it
			remove(imports, imports.Doc)
			continue
		}
		for _, spec := range unused {
			remove(spec, spec.Doc)
		}
	}
	return format.Source([]byte(strings.Join(lines, "")))
}

// unusedIn says of an import whether nothing in a file uses it.
func unusedIn(source *ast.File) func(*ast.ImportSpec) bool {
	return func(spec *ast.ImportSpec) bool {
		path, _ := strconv.Unquote(spec.Path.Value) // the parser has seen to it that this works
		return !astutil.UsesImport(source, path)
	}
}
