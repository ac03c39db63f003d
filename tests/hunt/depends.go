package hunt

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/lesson"
)

// hash is short: a proof has one for each check.
func hash(of string) string {
	sum := sha256.Sum256([]byte(of))
	return fmt.Sprintf("%x", sum[:4])
}

// checkHashes are hashes of what a lesson's checks do, by the checks' IDs: how the lesson is judged, and the declarations of the checks'
// package that a check's entry in the descriptor leads to. Comments and the texts about a check decide nothing.
func checkHashes(root string, l lesson.Lesson) (map[string]string, error) {
	declared, entries, err := declarations(filepath.Join(root, fmt.Sprintf("tests/checks/lesson%02d", l.Number)))
	if err != nil {
		return nil, err
	}
	judged := fmt.Sprintln(l.Kind, l.Prompt, l.Reports, l.Store)
	hashes := map[string]string{}
	for _, check := range l.Checks {
		entry := entries[string(check.ID)]
		if entry == nil {
			return nil, fmt.Errorf("no list of checks in tests/checks/lesson%02d has an entry with the ID %s", l.Number, check.ID)
		}
		texts, err := reached(declared, entry)
		if err != nil {
			return nil, err
		}
		if checks.IsGenerated(check.ID) {
			texts = append(texts, fmt.Sprint(l.AllTaught()))
		}
		hashes[string(check.ID)] = hash(judged + strings.Join(texts, "\n"))
	}
	return hashes, nil
}

// declarations are a package's declarations by the names that lead to them, and the entries of its lists of checks by the checks' IDs,
// without the texts about a check.
func declarations(folder string) (declared map[string][]ast.Node, entries map[string]ast.Node, err error) {
	files, err := repo.Glob(folder, "*.go")
	if err != nil {
		return nil, nil, err
	}
	declared, entries = map[string][]ast.Node{}, map[string]ast.Node{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		for _, declaration := range parsed.Decls {
			list := checkList(declaration)
			for _, entry := range list {
				withoutTexts(entry)
				entries[idIn(entry)] = entry
			}
			if list != nil {
				continue // the descriptor, to which no check leads
			}
			for _, name := range namesOf(declaration) {
				declared[name] = append(declared[name], declaration)
			}
		}
	}
	return declared, entries, nil
}

// namesOf are the names that a declaration is found by. One of several constants may count on from the others, so they stay together. A
// method is found by its receiver's type, too: an interface may lead to it.
func namesOf(declaration ast.Decl) (names []string) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		names = append(names, d.Name.Name)
		if d.Recv != nil {
			ast.Inspect(d.Recv, func(node ast.Node) bool {
				if name, is := node.(*ast.Ident); is {
					names = append(names, name.Name)
				}
				return true
			})
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// checkList are the entries of the list of checks in a declaration; nil where there is none.
func checkList(declaration ast.Decl) (entries []ast.Expr) {
	ast.Inspect(declaration, func(node ast.Node) bool {
		if list, is := node.(*ast.CompositeLit); is {
			if array, is := list.Type.(*ast.ArrayType); is {
				if of, is := array.Elt.(*ast.SelectorExpr); is && of.Sel.Name == "Check" {
					entries = list.Elts
				}
			}
		}
		return entries == nil
	})
	return entries
}

// withoutTexts removes from an entry what is only said about the check.
func withoutTexts(entry ast.Expr) {
	ast.Inspect(entry, func(node ast.Node) bool {
		if fields, is := node.(*ast.CompositeLit); is {
			fields.Elts = slices.DeleteFunc(fields.Elts, func(field ast.Expr) bool {
				return slices.Contains([]string{"Title", "Why", "Section", "Concepts"}, keyOf(field))
			})
		}
		return true
	})
}

// idIn is the value of the field ID in an entry of a list of checks.
func idIn(entry ast.Expr) (id string) {
	ast.Inspect(entry, func(node ast.Node) bool {
		if field, is := node.(*ast.KeyValueExpr); is && keyOf(field) == "ID" {
			if value, is := field.Value.(*ast.BasicLit); is {
				id, _ = strconv.Unquote(value.Value)
			}
		}
		return id == ""
	})
	return id
}

// keyOf is the name of a field that an element of a composite literal sets; empty if it sets none by name.
func keyOf(element ast.Node) string {
	if field, is := element.(*ast.KeyValueExpr); is {
		if key, is := field.Key.(*ast.Ident); is {
			return key.Name
		}
	}
	return ""
}

// reached are the texts of a check's entry and of all declarations that it leads to, in an order that doesn't depend on where they are.
func reached(declared map[string][]ast.Node, entry ast.Node) (texts []string, err error) {
	seen := map[ast.Node]bool{}
	var visit func(ast.Node)
	visit = func(from ast.Node) {
		if seen[from] {
			return
		}
		seen[from] = true
		ast.Inspect(from, func(node ast.Node) bool {
			if name, is := node.(*ast.Ident); is {
				for _, declaration := range declared[name.Name] {
					visit(declaration)
				}
			}
			return true
		})
	}
	visit(entry)
	for node := range seen {
		var text bytes.Buffer
		if err := printer.Fprint(&text, token.NewFileSet(), node); err != nil { // without positions, so layout doesn't count
			return nil, err
		}
		texts = append(texts, text.String())
	}
	slices.Sort(texts)
	return texts, nil
}
