package lessons

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
)

// namesItsImports makes sure that it can be told from a solution's text alone what its imports are
// called: as it compiles, it uses them all.
func namesItsImports(file string, text []byte) error {
	source, err := parseGo(file, text)
	if err != nil {
		return err
	}
	if unused := source.unusedImports(); len(unused) > 0 {
		return fmt.Errorf("%s: nothing uses %s, or its name is another than its path says: then write the name before the path",
			file, unused[0].Path.Value)
	}
	return nil
}

// withoutUnusedImports leaves out the imports that only an exercise needs.
func withoutUnusedImports(file string, text []byte) ([]byte, error) {
	source, err := parseGo(file, text)
	if err != nil {
		return nil, err
	}
	unused := source.unusedImports()
	if len(unused) == 0 {
		return text, nil
	}
	lines := strings.SplitAfter(string(text), "\n")
	for _, node := range source.wholeDeclarations(unused) {
		first, last := source.set.Position(begin(node)).Line, source.set.Position(node.End()).Line
		for i := first - 1; i < last; i++ {
			lines[i] = ""
		}
	}
	return format.Source([]byte(strings.Join(lines, "")))
}

// begin is where an import's comment begins, or the import if it has none.
func begin(node ast.Node) token.Pos {
	comment := (*ast.CommentGroup)(nil)
	switch node := node.(type) {
	case *ast.GenDecl:
		comment = node.Doc
	case *ast.ImportSpec:
		comment = node.Doc
	}
	if comment != nil {
		return comment.Pos()
	}
	return node.Pos()
}

// goSource is a Go file that was parsed.
type goSource struct {
	set  *token.FileSet
	file *ast.File
}

func parseGo(file string, text []byte) (*goSource, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.ParseComments)
	return &goSource{set: set, file: parsed}, err
}

func (s *goSource) unusedImports() []*ast.ImportSpec {
	used := s.packagesUsed()
	var unused []*ast.ImportSpec
	for _, spec := range s.file.Imports {
		if name := importName(spec); name != "_" && name != "." && !used[name] {
			unused = append(unused, spec)
		}
	}
	return unused
}

// packagesUsed returns the names before a dot that nothing in the file declares.
func (s *goSource) packagesUsed() map[string]bool {
	undeclared := map[*ast.Ident]bool{}
	for _, name := range s.file.Unresolved {
		undeclared[name] = true
	}
	used := map[string]bool{}
	ast.Inspect(s.file, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok {
			if name, ok := selector.X.(*ast.Ident); ok && undeclared[name] {
				used[name.Name] = true
			}
		}
		return true
	})
	return used
}

// importName is what a file calls a package that it imports: without a name, the last part of its path,
// or namesItsImports has complained.
func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	whole, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value // the parser has seen to it that this doesn't happen
	}
	return path.Base(whole)
}

// wholeDeclarations returns the specs, or the declarations of which nothing else would be left.
func (s *goSource) wholeDeclarations(unused []*ast.ImportSpec) []ast.Node {
	isUnused := map[ast.Spec]bool{}
	for _, spec := range unused {
		isUnused[spec] = true
	}
	var nodes []ast.Node
	for _, decl := range s.file.Decls {
		imports, ok := decl.(*ast.GenDecl)
		if !ok || imports.Tok != token.IMPORT {
			continue
		}
		var gone []ast.Node
		for _, spec := range imports.Specs {
			if isUnused[spec] {
				gone = append(gone, spec)
			}
		}
		if len(gone) == len(imports.Specs) {
			gone = []ast.Node{imports}
		}
		nodes = append(nodes, gone...)
	}
	return nodes
}
