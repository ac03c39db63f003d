package mutation

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// An Operator makes one kind of mistake wherever it can be made.
type Operator struct {
	Name string
	Does string

	find func(*file) []edit
}

// Operators are all there are. If two of them change a program in the same way, the mutant is the first one's.
func Operators() []Operator {
	return []Operator{
		{"drop-statement", "leaves out a statement, with all that is inside it", dropStatement},
		{"drop-case", "leaves out a case of a switch", dropCase},
		{"negate-condition", "negates a condition, or what a predicate returns", negateCondition},
		{"drop-condition", "leaves out an operand of `&&` or `||`", dropCondition},
		{"swap-border", "swaps `<` and `<=`, `>` and `>=`, `==` and `!=`", swapBorder},
		{"swallow-error", "returns nil in place of an error", swallowError},
		{"return-early", "returns zero values before a statement of a function", returnEarly},
		{"drop-field", "leaves out a field or an element of a composite literal", dropField},
		{"shallow-copy", "copies the struct alone, where everything that it refers to must be copied too", shallowCopy},
		{"no-copy", "changes the original, where a copy must be changed", noCopy},
		{"uid-to-name", "relies on a name, where a UID must be relied on", uidToName},
		{"drop-option", "leaves out an optional argument", dropOption},
		{"drop-link", "leaves out a call of a chain, such as a watch", dropLink},
		{"drop-verb", "leaves out a verb of a marker of the role", dropVerb},
		{"drop-marker", "leaves out a marker of the API, such as a limit or a rule", dropMarker},
		{"drop-argument", "leaves out an argument of a marker of the API, or a value of an enumeration", dropArgument},
		{"change-number", "makes a number in a marker of the API greater or less by one", changeNumber},
	}
}

// edit replaces the text from one position up to another.
type edit struct {
	from, to token.Pos
	with     string
	place    string // what it is in; empty for the declaration around it
}

// all returns the edits that find proposes for the nodes of a type.
func all[N ast.Node](f *file, find func(node N, at inspector.Cursor) []edit) (edits []edit) {
	var kind N
	for at := range inspector.New([]*ast.File{f.syntax}).Root().Preorder(kind) {
		edits = append(edits, find(at.Node().(N), at)...)
	}
	return edits
}

// statements returns the edits that find proposes for the lists of statements.
func statements(f *file, find func(list []ast.Stmt, of ast.Node, at inspector.Cursor) []edit) (edits []edit) {
	for at := range inspector.New([]*ast.File{f.syntax}).Root().Preorder((*ast.BlockStmt)(nil), (*ast.CaseClause)(nil), (*ast.CommClause)(nil)) {
		switch node := at.Node().(type) {
		case *ast.BlockStmt:
			edits = append(edits, find(node.List, node, at)...)
		case *ast.CaseClause:
			edits = append(edits, find(node.Body, node, at)...)
		case *ast.CommClause:
			edits = append(edits, find(node.Body, node, at)...)
		}
	}
	return edits
}

func drop(node ast.Node) edit { return edit{from: node.Pos(), to: node.End()} }

func replace(node ast.Node, with string) edit {
	return edit{from: node.Pos(), to: node.End(), with: with}
}

func dropStatement(f *file) []edit {
	return statements(f, func(list []ast.Stmt, _ ast.Node, at inspector.Cursor) (edits []edit) {
		if branch, is := at.Parent().Node().(*ast.IfStmt); is && branch.Init == nil && len(list) == 1 {
			return nil // to leave out the whole if does the same
		}
		for i, statement := range list {
			_, returns := statement.(*ast.ReturnStmt)
			ends := returns && i == len(list)-1 && isFunction(at.Parent().Node())
			if droppable(statement) && !ends {
				edits = append(edits, drop(statement))
			}
		}
		return edits
	})
}

// droppable says whether a function can do without a statement: it declares nothing.
func droppable(statement ast.Stmt) bool {
	switch s := statement.(type) {
	case *ast.AssignStmt:
		return s.Tok != token.DEFINE
	case *ast.DeclStmt, *ast.EmptyStmt, *ast.LabeledStmt, *ast.CaseClause, *ast.CommClause:
		return false
	default:
		return true
	}
}

func isFunction(node ast.Node) bool {
	switch node.(type) {
	case *ast.FuncDecl, *ast.FuncLit:
		return true
	}
	return false
}

func dropCase(f *file) []edit {
	return all(f, func(clause *ast.CaseClause, _ inspector.Cursor) []edit { return []edit{drop(clause)} })
}

func negateCondition(f *file) []edit {
	edits := all(f, func(s *ast.IfStmt, _ inspector.Cursor) []edit { return []edit{f.negated(s.Cond)} })
	edits = append(edits, all(f, func(s *ast.ForStmt, _ inspector.Cursor) []edit {
		if s.Cond == nil {
			return nil
		}
		return []edit{f.negated(s.Cond)}
	})...)
	edits = append(edits, all(f, func(s *ast.SwitchStmt, _ inspector.Cursor) (cases []edit) {
		if s.Tag != nil {
			return nil
		}
		for _, clause := range s.Body.List {
			for _, condition := range clause.(*ast.CaseClause).List {
				cases = append(cases, f.negated(condition))
			}
		}
		return cases
	})...)
	return append(edits, all(f, func(s *ast.ReturnStmt, _ inspector.Cursor) (returned []edit) {
		for _, result := range s.Results {
			if _, literal := result.(*ast.Ident); !literal && f.isBool(result) {
				returned = append(returned, f.negated(result))
			}
		}
		return returned
	})...)
}

func (f *file) isBool(expression ast.Expr) bool {
	of := f.types.TypeOf(expression)
	if of == nil {
		return false
	}
	basic, is := of.Underlying().(*types.Basic)
	return is && basic.Info()&types.IsBoolean != 0
}

var inverse = map[token.Token]string{
	token.EQL: "!=", token.NEQ: "==", token.LSS: ">=", token.GEQ: "<", token.GTR: "<=", token.LEQ: ">",
}

func (f *file) negated(condition ast.Expr) edit {
	switch c := condition.(type) {
	case *ast.BinaryExpr:
		if operator, is := inverse[c.Op]; is {
			return f.withOperator(c, operator)
		}
	case *ast.UnaryExpr:
		if c.Op == token.NOT {
			return replace(c, f.code(c.X))
		}
	}
	return replace(condition, "!("+f.code(condition)+")")
}

func (f *file) withOperator(e *ast.BinaryExpr, operator string) edit {
	return edit{from: e.OpPos, to: e.OpPos + token.Pos(len(e.Op.String())), with: operator}
}

func dropCondition(f *file) []edit {
	return all(f, func(e *ast.BinaryExpr, at inspector.Cursor) (edits []edit) {
		if e.Op != token.LAND && e.Op != token.LOR {
			return nil
		}
		if parent, is := at.Parent().Node().(*ast.BinaryExpr); is && parent.Op == e.Op {
			return nil // it is a part of that chain
		}
		operands := chained(e, e.Op)
		edits = append(edits, edit{from: operands[0].Pos(), to: operands[1].Pos()})
		for i, operand := range operands[1:] {
			edits = append(edits, edit{from: operands[i].End(), to: operand.End()})
		}
		return edits
	})
}

// chained are a, b and c of a && b && c.
func chained(e ast.Expr, operator token.Token) []ast.Expr {
	if chain, is := e.(*ast.BinaryExpr); is && chain.Op == operator {
		return append(chained(chain.X, operator), chained(chain.Y, operator)...)
	}
	return []ast.Expr{e}
}

var border = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
}

func swapBorder(f *file) []edit {
	return all(f, func(e *ast.BinaryExpr, _ inspector.Cursor) []edit {
		if other, is := border[e.Op]; is {
			return []edit{f.withOperator(e, other)}
		}
		return nil
	})
}

// results are the types of the results of the function around a node.
func results(at inspector.Cursor) []*ast.Field {
	for function := range at.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		return resultsOf(function.Node())
	}
	return nil
}

func resultsOf(function ast.Node) []*ast.Field {
	var signature *ast.FuncType
	switch function := function.(type) {
	case *ast.FuncDecl:
		signature = function.Type
	case *ast.FuncLit:
		signature = function.Type
	}
	if signature == nil || signature.Results == nil {
		return nil
	}
	var each []*ast.Field
	for _, field := range signature.Results.List {
		for range max(1, len(field.Names)) {
			each = append(each, field)
		}
	}
	return each
}

func swallowError(f *file) []edit {
	return all(f, func(s *ast.ReturnStmt, at inspector.Cursor) []edit {
		types := results(at)
		if len(types) == 0 || len(types) != len(s.Results) || f.code(types[len(types)-1].Type) != "error" {
			return nil
		}
		switch err := s.Results[len(s.Results)-1].(type) {
		case *ast.Ident:
			if err.Name == "nil" {
				return nil
			}
			return []edit{replace(err, "nil")}
		default: // what is called is called all the same
			return []edit{replace(err, "func() error { _ = "+f.code(err)+"; return nil }()")}
		}
	})
}

func returnEarly(f *file) []edit {
	return statements(f, func(list []ast.Stmt, _ ast.Node, at inspector.Cursor) (edits []edit) {
		function := at.Parent().Node()
		if !isFunction(function) {
			return nil
		}
		var zeros []string
		for _, result := range resultsOf(function) {
			zeros = append(zeros, f.zero(result.Type))
		}
		early := strings.TrimSpace("return " + strings.Join(zeros, ", "))
		for i, statement := range list {
			last := i == len(list)-1
			if last && (len(zeros) == 0 && droppable(statement) || f.code(statement) == early) {
				continue // to leave it out does the same, or nothing would change
			}
			if i > 0 && !droppable(list[i-1]) {
				continue // to return before a declaration, or after it, is the same
			}
			edits = append(edits, edit{from: statement.Pos(), to: statement.Pos(), with: early + "; "})
		}
		return edits
	})
}

// zero is the zero value of a type, as somebody would write it.
func (f *file) zero(of ast.Expr) string {
	switch t := f.types.TypeOf(of).Underlying().(type) {
	case *types.Struct, *types.Array:
		return f.code(of) + "{}"
	case *types.Basic:
		switch {
		case t.Info()&types.IsString != 0:
			return `""`
		case t.Info()&types.IsBoolean != 0:
			return "false"
		}
		return "0"
	default:
		return "nil"
	}
}

func dropField(f *file) []edit {
	return all(f, func(literal *ast.CompositeLit, _ inspector.Cursor) (edits []edit) {
		if of := f.types.TypeOf(literal); of != nil && len(literal.Elts) > 0 {
			_, named := literal.Elts[0].(*ast.KeyValueExpr)
			if _, structured := of.Underlying().(*types.Struct); structured && !named {
				return nil // such a literal must have them all
			}
		}
		for _, element := range literal.Elts {
			whole := drop(element)
			if rest := f.between(element.End(), literal.Rbrace); strings.HasPrefix(strings.TrimLeft(rest, " \t\n"), ",") {
				whole.to += token.Pos(strings.Index(rest, ",") + 1)
			}
			edits = append(edits, whole)
		}
		return edits
	})
}

func shallowCopy(f *file) []edit {
	return f.deepCopies(func(original ast.Expr, pointer bool) string {
		if pointer {
			return "new(*" + f.code(original) + ")"
		}
		return "new(" + f.code(original) + ")"
	})
}

func noCopy(f *file) []edit {
	edits := f.deepCopies(func(original ast.Expr, pointer bool) string {
		if pointer {
			return f.code(original)
		}
		return "&" + f.code(original)
	})
	return append(edits, all(f, func(call *ast.CallExpr, _ inspector.Cursor) []edit {
		if name := f.code(call.Fun); name == "maps.Clone" || name == "slices.Clone" {
			return []edit{replace(call, f.code(call.Args[0]))}
		}
		return nil
	})...)
}

// deepCopies replaces the calls of DeepCopy.
func (f *file) deepCopies(with func(original ast.Expr, pointer bool) string) []edit {
	return all(f, func(call *ast.CallExpr, _ inspector.Cursor) []edit {
		method, is := call.Fun.(*ast.SelectorExpr)
		if !is || method.Sel.Name != "DeepCopy" {
			return nil
		}
		_, pointer := f.types.TypeOf(method.X).Underlying().(*types.Pointer)
		return []edit{replace(call, with(method.X, pointer))}
	})
}

// names are what to write for what has a UID.
var names = strings.NewReplacer("GetUID", "GetName", "UID", "Name")

func uidToName(f *file) []edit {
	edits := all(f, func(e *ast.BinaryExpr, _ inspector.Cursor) []edit {
		if renamed := names.Replace(f.code(e)); (e.Op == token.EQL || e.Op == token.NEQ) && renamed != f.code(e) {
			return []edit{replace(e, renamed)}
		}
		return nil
	})
	edits = append(edits, all(f, func(s *ast.IfStmt, _ inspector.Cursor) []edit {
		if s.Init == nil {
			return nil
		}
		header := f.between(s.Init.Pos(), s.Cond.End())
		if renamed := names.Replace(header); renamed != header {
			return []edit{{from: s.Init.Pos(), to: s.Cond.End(), with: renamed}}
		}
		return nil
	})...)
	return append(edits, all(f, func(call *ast.CallExpr, _ inspector.Cursor) []edit {
		if f.code(call.Fun) != "metav1.IsControlledBy" || len(call.Args) != 2 {
			return nil
		}
		return []edit{replace(call, fmt.Sprintf("func() bool { owner := metav1.GetControllerOf(%s); return owner != nil && owner.Name == %s.GetName() }()",
			f.code(call.Args[0]), f.code(call.Args[1])))}
	})...)
}

func dropOption(f *file) []edit {
	return all(f, func(call *ast.CallExpr, _ inspector.Cursor) (edits []edit) {
		signature, is := f.types.TypeOf(call.Fun).(*types.Signature)
		if !is || !signature.Variadic() || call.Ellipsis.IsValid() {
			return nil
		}
		fixed := signature.Params().Len() - 1
		if list, is := signature.Params().At(fixed).Type().(*types.Slice); !is || isAny(list.Elem()) {
			return nil // these are parts of a message
		}
		for i := fixed; i < len(call.Args); i++ {
			one := drop(call.Args[i])
			switch {
			case i > 0:
				one.from = call.Args[i-1].End()
			case len(call.Args) > 1:
				one.to = call.Args[1].Pos()
			}
			edits = append(edits, one)
		}
		return edits
	})
}

func isAny(t types.Type) bool {
	empty, is := t.Underlying().(*types.Interface)
	return is && empty.Empty()
}

func dropLink(f *file) []edit {
	return all(f, func(call *ast.CallExpr, _ inspector.Cursor) []edit {
		method, is := call.Fun.(*ast.SelectorExpr)
		if !is {
			return nil
		}
		if _, chain := method.X.(*ast.CallExpr); !chain || !types.Identical(f.types.TypeOf(call), f.types.TypeOf(method.X)) {
			return nil
		}
		return []edit{{from: method.X.End(), to: call.End()}}
	})
}

// covers says whether a node has a position in it.
func covers(node ast.Node, pos token.Pos) bool { return node.Pos() <= pos && pos < node.End() }

// enclosing returns the name of the declaration around a position.
func (f *file) enclosing(pos token.Pos) string {
	i := slices.IndexFunc(f.syntax.Decls, func(d ast.Decl) bool { return covers(d, pos) })
	if i < 0 {
		return "file"
	}
	return declared(f.syntax.Decls[i])
}

// declared is the name of what a declaration declares first.
func declared(declaration ast.Decl) string {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		return d.Name.Name
	case *ast.GenDecl:
		switch spec := d.Specs[0].(type) {
		case *ast.TypeSpec:
			return spec.Name.Name
		case *ast.ValueSpec:
			return spec.Names[0].Name
		}
	}
	return "file"
}
