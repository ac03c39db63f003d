package mutation

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
)

// sourceOf is a package of one file, code.go.
func sourceOf(t *testing.T, text string) *source {
	t.Helper()
	s := &source{set: token.NewFileSet(), imported: map[string]*types.Package{}}
	syntax, err := parser.ParseFile(s.set, "code.go", text, parser.ParseComments|parser.SkipObjectResolution)
	must.Succeed(t, err)
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	checked, err := (&types.Config{Importer: importer.ForCompiler(s.set, "source", nil)}).Check("code", s.set, []*ast.File{syntax}, info)
	must.Succeed(t, err)
	for _, one := range checked.Imports() {
		s.imported[one.Path()] = one
	}
	s.files = []*file{{name: "code.go", text: []byte(text), syntax: syntax, types: info, set: s.set}}
	return s
}

// changesBy are the changes that one operator makes, as a mutant shows them.
func changesBy(f *file, name string) (changes []string) {
	for _, operator := range Operators() {
		if operator.Name != name {
			continue
		}
		for _, e := range operator.find(f) {
			changes = append(changes, f.change(e))
		}
	}
	return changes
}

func TestOperators(t *testing.T) {
	cases := map[string]struct {
		code string // without the package clause
		want []string
	}{
		"drop-statement": {
			`func f(a int) int {
	b := 1
	a = b
	if a > 1 {
		return a
	}
	if c := a; c > 2 {
		return c
	}
	return b
}`,
			[]string{"without `a = b`", "without `if a > 1 { return a }`", "without `if c := a; c > 2 { return c }`", "without `return c`"},
		},
		"drop-case": {
			"func f(a int) {\n\tswitch {\n\tcase a > 1:\n\t\tf(1)\n\tdefault:\n\t}\n}",
			[]string{"without `case a > 1: f(1)`", "without `default:`"},
		},
		"negate-condition": {
			"func f(a, b bool, n int) bool {\n\tif a && b {\n\t}\n\tfor n < 3 {\n\t}\n\tswitch {\n\tcase !a:\n\t}\n\treturn n == 2\n}",
			[]string{
				"`if a && b {` becomes `if !(a && b) {`", "`for n < 3 {` becomes `for n >= 3 {`", "`case !a:` becomes `case a:`",
				"`return n == 2` becomes `return n != 2`",
			},
		},
		"drop-condition": {
			"func f(a, b, c bool) bool { return a && b && (b || c) }",
			[]string{
				"`func f(a, b, c bool) bool { return a && b && (b || c) }` becomes `func f(a, b, c bool) bool { return b && (b || c) }`",
				"`func f(a, b, c bool) bool { return a && b && (b || c) }` becomes `func f(a, b, c bool) bool { return a && (b || c) }`",
				"`func f(a, b, c bool) bool { return a && b && (b || c) }` becomes `func f(a, b, c bool) bool { return a && b }`",
				"`func f(a, b, c bool) bool { return a && b && (b || c) }` becomes `func f(a, b, c bool) bool { return a && b && (c) }`",
				"`func f(a, b, c bool) bool { return a && b && (b || c) }` becomes `func f(a, b, c bool) bool { return a && b && (b) }`",
			},
		},
		"swap-border": {
			"var a, b = 1 < 2,\n\t3 != 4",
			[]string{"`var a, b = 1 < 2,` becomes `var a, b = 1 <= 2,`", "`3 != 4` becomes `3 == 4`"},
		},
		"swallow-error": {
			"func f(err error) (int, error) {\n\tif err != nil {\n\t\treturn 1, err\n\t}\n\tif err == nil {\n\t\treturn 2, g()\n\t}\n\treturn 0, nil\n}\n\nfunc g() error",
			[]string{"`return 1, err` becomes `return 1, nil`", "`return 2, g()` becomes `return 2, func() error { _ = g(); return nil }()`"},
		},
		"return-early": {
			"type s struct{}\n\nfunc f() (s, string, bool, error) {\n\ta := \"\"\n\tg()\n\treturn s{}, a, true, nil\n}\n\nfunc g() {\n\tg()\n\tg()\n}",
			[]string{"`return s{}, \"\", false, nil` before `a := \"\"`", "`return s{}, \"\", false, nil` before `return s{}, a, true, nil`", "`return` before `g()`"},
		},
		"drop-field": {
			"type s struct{ a, b int }\n\nvar (\n\tone = s{a: 1, b: 2}\n\ttwo = s{1, 2}\n\tsix = []int{\n\t\t6,\n\t}\n)",
			[]string{"`one = s{a: 1, b: 2}` becomes `one = s{ b: 2}`", "`one = s{a: 1, b: 2}` becomes `one = s{a: 1, }`", "without `6,`"},
		},
		"shallow-copy": {
			"type s struct{}\n\nfunc (*s) DeepCopy() *s\n\nvar (\n\ta = &s{}\n\tb = a.DeepCopy()\n\tc s\n\td = c.DeepCopy()\n)",
			[]string{"`b = a.DeepCopy()` becomes `b = new(*a)`", "`d = c.DeepCopy()` becomes `d = new(c)`"},
		},
		"no-copy": {
			"import \"maps\"\n\ntype s struct{}\n\nfunc (*s) DeepCopy() *s\n\nvar (\n\ta = &s{}\n\tb = a.DeepCopy()\n\tc s\n\td = c.DeepCopy()\n\te = map[int]int{}\n\tf = maps.Clone(e)\n)",
			[]string{"`b = a.DeepCopy()` becomes `b = a`", "`d = c.DeepCopy()` becomes `d = &c`", "`f = maps.Clone(e)` becomes `f = e`"},
		},
		"uid-to-name": {
			`type object struct{ UID, Name string }

func (object) GetName() string

type api struct{}

func (api) IsControlledBy(a, b object) bool

var metav1 api

func f(a, b object) bool {
	if uid := a.UID; uid == b.Name {
	}
	if a.UID == b.UID {
	}
	return metav1.IsControlledBy(a, b)
}`,
			[]string{
				"`if a.UID == b.UID {` becomes `if a.Name == b.Name {`",
				"`if uid := a.UID; uid == b.Name {` becomes `if uid := a.Name; uid == b.Name {`",
				"`return metav1.IsControlledBy(a, b)` becomes " +
					"`return func() bool { owner := metav1.GetControllerOf(a); return owner != nil && owner.Name == b.GetName() }()`",
			},
		},
		"drop-option": {
			"func f(n int, options ...string)\nfunc g(options ...string)\nfunc h(format string, args ...any)\n\nfunc main() {\n\tf(1, \"a\", \"b\")\n\tg(\"a\")\n\tg([]string{}...)\n\th(\"%d\", 1)\n}",
			[]string{"`f(1, \"a\", \"b\")` becomes `f(1, \"b\")`", "`f(1, \"a\", \"b\")` becomes `f(1, \"a\")`", "`g(\"a\")` becomes `g()`"},
		},
		"drop-link": {
			"type builder struct{}\n\nfunc build() builder\nfunc (b builder) Owns(int) builder\nfunc (b builder) Complete() error\n\nvar err = build().\n\tOwns(1).\n\tComplete()",
			[]string{"`var err = build(). Owns(1).` becomes `var err = build().`"},
		},
		"drop-verb": {
			"// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list\n// +kubebuilder:rbac:groups=\"\",resources=events,verbs=create\n\n// +optional\nvar a int",
			[]string{
				"`// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list` becomes `// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=list`",
				"`// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list` becomes `// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get`",
				"without `// +kubebuilder:rbac:groups=\"\",resources=events,verbs=create`",
			},
		},
		"drop-marker": {
			"// +kubebuilder:rbac:verbs=get\n\ntype s struct {\n\t// a is a number.\n\t// +optional\n\ta int\n}",
			[]string{"without `// +optional`"},
		},
		"drop-argument": {
			"// +kubebuilder:validation:XValidation:rule=\"self == 'a, b=c'\",optionalOldSelf=true,message=\"no, no\"\n// +listType=map\n// +kubebuilder:validation:Enum=A;B\ntype s string",
			[]string{
				"`// +kubebuilder:validation:XValidation:rule=\"self == 'a, b=c'\",optionalOldSelf=true,message=\"no, no\"` becomes `// +kubebuilder:validation:XValidation:optionalOldSelf=true,message=\"no, no\"`",
				"`… +kubebuilder:validation:XValidation:rule=\"self == 'a, b=c'\",optionalOldSelf=true,message=\"no, no\"` becomes `… +kubebuilder:validation:XValidation:rule=\"self == 'a, b=c'\",message=\"no, no\"`",
				"`…ion:XValidation:rule=\"self == 'a, b=c'\",optionalOldSelf=true,message=\"no, no\"` becomes `…ion:XValidation:rule=\"self == 'a, b=c'\",optionalOldSelf=true`",
				"`// +kubebuilder:validation:Enum=A;B` becomes `// +kubebuilder:validation:Enum=B`",
				"`// +kubebuilder:validation:Enum=A;B` becomes `// +kubebuilder:validation:Enum=A`",
			},
		},
		"change-number": {
			"type s struct {\n\t// +kubebuilder:validation:Minimum=1\n\ta int\n}",
			[]string{
				"`// +kubebuilder:validation:Minimum=1` becomes `// +kubebuilder:validation:Minimum=0`",
				"`// +kubebuilder:validation:Minimum=1` becomes `// +kubebuilder:validation:Minimum=2`",
			},
		},
	}
	for _, operator := range Operators() {
		t.Run(operator.Name, func(t *testing.T) {
			test := cases[operator.Name]
			if len(test.want) == 0 {
				t.Fatal("no case shows what it does")
			}
			f := sourceOf(t, "package main\n\n"+test.code+"\n").files[0]
			assert.Equal(t, "changes", changesBy(f, operator.Name), test.want)
		})
	}
}

func TestMutantsNeedNothingThatIsNotUsed(t *testing.T) {
	s := sourceOf(t, `package main

import str "strings"

func f(a string) bool {
	b := str.ToUpper(a)
	if b == "" {
		return false
	}
	return a != "" && b != "X"
}
`)
	for id, want := range map[string]string{
		"L:code.go:f:drop-condition#2": "if b ==",
		"L:code.go:f:drop-statement#1": "b := str.ToUpper(a)\n\t\n\treturn",
	} {
		m := byID(t, s, id)
		if !m.Compiles || !strings.Contains(string(m.text), want) {
			t.Errorf("%s: compiles %t:\n%s", id, m.Compiles, m.text)
		}
	}

	s = sourceOf(t, "package main\n\nimport str \"strings\"\n\nfunc f(a string) string {\n\tb := \"\"\n\tif a == \"\" {\n\t\ta = str.ToUpper(b)\n\t\tf(a)\n\t}\n\treturn a\n}\n")
	m := byID(t, s, "L:code.go:f:drop-statement#2")
	want := "package main\n\nimport _ \"strings\"\n\nfunc f(a string) string {\n\tb := \"\"\n\tif a == \"\" {\n\t\t_ = b; \n\t\tf(a)\n\t}\n\treturn a\n}\n"
	if !m.Compiles || string(m.text) != want {
		t.Errorf("compiles %t:\n%s\nwant\n%s", m.Compiles, m.text, want)
	}
}

func TestAMutantThatDoesNotCompile(t *testing.T) {
	s := sourceOf(t, "package main\n\nfunc f(a int) int {\n\tswitch {\n\tdefault:\n\t\treturn a\n\t}\n}\n")
	if m := byID(t, s, "L:code.go:f:drop-case#1"); m.Compiles {
		t.Errorf("it compiles:\n%s", m.text)
	}
}

func byID(t *testing.T, s *source, id string) Mutant {
	t.Helper()
	all := s.mutants("L")
	i := slices.IndexFunc(all, func(m Mutant) bool { return m.ID == id })
	if i < 0 {
		t.Fatalf("there is no %s in %v", id, all)
	}
	return all[i]
}

func TestIDsAndMarksSurviveChangesElsewhere(t *testing.T) {
	const one = "func one(a int) bool {\n\treturn a > 1 && a < 9\n}\n"
	before := sourceOf(t, "package main\n\n"+one).mutants("L")
	after := sourceOf(t, "package main\n\nfunc other(a int) bool {\n\treturn a > 1 && a < 9\n}\n\n"+one).mutants("L")
	marks := map[string]string{}
	for _, m := range after {
		marks[m.ID] = m.mark
	}
	for _, m := range before {
		if marks[m.ID] != m.mark {
			t.Errorf("%s had the mark %s, and has %q now", m.ID, m.mark, marks[m.ID])
		}
	}
	if len(after) != 2*len(before) {
		t.Errorf("%d mutants before, %d after", len(before), len(after))
	}

	changed := byID(t, sourceOf(t, "package main\n\n"+strings.Replace(one, "9", "8", 1)), before[0].ID)
	if changed.mark == before[0].mark {
		t.Error("a mutant of a function that has changed has the mark that it had")
	}
}

func TestNoTwoMutantsAreTheSame(t *testing.T) {
	seen := map[string]string{}
	for _, m := range sourceOf(t, "package main\n\nfunc f(a int) bool {\n\tif a == 1 {\n\t\treturn true\n\t}\n\treturn a == 2\n}\n").mutants("L") {
		if other := seen[string(m.text)]; other != "" {
			t.Errorf("%s and %s are the same", other, m.ID)
		}
		seen[string(m.text)] = m.ID
	}
}
