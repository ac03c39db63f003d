// Package mutation measures how much the checks of a lesson notice. Operators change the lesson's solution in ways that
// nobody has chosen, one place at a time. Each mutant that compiles is judged by the lesson's checks, which must catch it.
// The wrong versions in tests/mutants are different: somebody has thought of each, and of the check that catches it.
package mutation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
	"golang.org/x/tools/go/ast/astutil"

	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/lesson"
)

// Mutant is a solution that one operator has changed in one place.
type Mutant struct {
	// ID is like "L3:observe.go:observe:negate-condition#2": the lesson, the file, the declaration, the operator, and which
	// of its mutants in this declaration. Changes elsewhere leave it as it is.
	ID string

	Lesson   int
	File     string // from the repository's root
	Change   string // the changed text before and after, in a line
	Compiles bool

	text []byte // of the changed file
	of   []byte // of the file before
	mark string // a hash of the changed declaration
}

// Find returns the mutants of a lesson's solution.
func Find(ctx context.Context, l lesson.Lesson) ([]Mutant, error) {
	root, err := repo.Root()
	if err != nil {
		return nil, err
	}
	s, err := load(ctx, filepath.Join(root, l.Solution()))
	if err != nil {
		return nil, fmt.Errorf("read the solution of lesson %d: %w", l.Number, err)
	}
	found := s.mutants(fmt.Sprintf("L%d", l.Number))
	for i := range found {
		found[i].Lesson, found[i].File = l.Number, l.Solution()+"/"+found[i].File
	}
	return found, nil
}

// mutants applies all operators to a source. The IDs begin with the prefix.
func (s *source) mutants(prefix string) (found []Mutant) {
	for _, f := range s.files {
		known := map[string]bool{string(f.text): true}
		for _, operator := range Operators() {
			edits := operator.find(f)
			slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
			count := map[string]int{}
			for _, e := range edits {
				if e.place == "" {
					e.place = f.enclosing(e.from)
				}
				changed := f.with(e)
				if known[string(changed)] {
					continue
				}
				known[string(changed)] = true
				count[e.place]++
				m := Mutant{
					ID:     fmt.Sprintf("%s:%s:%s:%s#%d", prefix, f.name, e.place, operator.Name, count[e.place]),
					File:   f.name,
					Change: f.change(e),
					of:     f.text,
					mark:   f.mark(e),
				}
				m.text, m.Compiles = s.compile(f, e)
				found = append(found, m)
			}
		}
	}
	return found
}

// with is the text of the file with an edit.
func (f *file) with(e edit) []byte {
	return slices.Concat(f.text[:f.offset(e.from)], []byte(e.with), f.text[f.offset(e.to):])
}

// compile returns the file with an edit. The compiler refuses imports and variables that nothing uses. If the edit removes
// the last use of one, compile adds a use that does nothing.
func (s *source) compile(f *file, e edit) (text []byte, compiles bool) {
	text = f.with(e)
	errs := s.checkText(f.name, text)
	if len(errs) == 0 {
		return text, true
	}
	repaired := string(text)
	// From the end to the beginning, so that the offsets stay right. Imports come before all statements.
	uses := ""
	var imports []int
	for _, err := range errs {
		if !err.Soft {
			return text, false
		}
		if name, is := strings.CutPrefix(err.Msg, "declared and not used: "); is {
			uses += "_ = " + name + "; "
		} else {
			imports = append(imports, s.set.Position(err.Pos).Offset)
		}
	}
	at := f.offset(f.statement(e))
	repaired = repaired[:at] + uses + repaired[at:]
	slices.Sort(imports)
	for _, at := range slices.Backward(imports) {
		path := at + strings.Index(repaired[at:], `"`) // after the name, if it has one
		repaired = repaired[:at] + "_ " + repaired[path:]
	}
	return []byte(repaired), len(s.checkText(f.name, []byte(repaired))) == 0
}

func (s *source) checkText(name string, text []byte) []types.Error {
	changed, err := parser.ParseFile(s.set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return []types.Error{{Msg: err.Error()}}
	}
	return s.check(changed, name)
}

// statement is where the statement in a list begins that an edit is in.
func (f *file) statement(e edit) token.Pos {
	path, _ := astutil.PathEnclosingInterval(f.syntax, e.from, e.to)
	for i, node := range path[:len(path)-1] {
		switch path[i+1].(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			if _, is := node.(ast.Stmt); is {
				return node.Pos()
			}
		}
	}
	return e.from
}

// change shows the text of an edit, before and after, in a line.
func (f *file) change(e edit) string {
	from, to := f.offset(e.from), f.offset(e.to)
	begin := strings.LastIndex(string(f.text[:from]), "\n") + 1
	end := len(f.text)
	if i := strings.Index(string(f.text[to:]), "\n"); i >= 0 {
		end = to + i
	}
	const around = 60
	left, right := string(f.text[begin:from]), string(f.text[to:end])
	if cut := []rune(left); len(cut) > around {
		left = "…" + string(cut[len(cut)-around:])
	}
	if cut := []rune(right); len(cut) > around {
		right = string(cut[:around]) + "…"
	}
	was, now := oneLine(left+string(f.text[from:to])+right), oneLine(left+e.with+right)
	switch {
	case now == "" || now == "//":
		return "without " + quoted(was)
	case from == to:
		return quoted(strings.TrimSuffix(e.with, "; ")) + " before " + quoted(was)
	}
	return quoted(was) + " becomes " + quoted(now)
}

// oneLine is a text without its line breaks and without the marks of exercises; only the beginning of what is long.
func oneLine(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//exercise:") {
			words = append(words, strings.Fields(line)...)
		}
	}
	line := strings.Join(words, " ")
	const most = 160
	if whole := []rune(line); len(whole) > most {
		return string(whole[:most]) + "…"
	}
	return line
}

// quoted is code in Markdown.
func quoted(code string) string {
	if strings.Contains(code, "`") {
		return "`` " + code + " ``"
	}
	return "`" + code + "`"
}

// mark is a hash of the declaration around an edit, with the edit.
func (f *file) mark(e edit) string {
	around := f.change(e)
	for _, declaration := range f.syntax.Decls {
		if covers(declaration, e.from) {
			end := f.offset(declaration.End()) + len(e.with) - int(e.to-e.from)
			around = string(f.with(e)[f.offset(declaration.Pos()):end])
		}
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(around)))[:8]
}

// Diff shows the whole change.
func (m Mutant) Diff() (string, error) {
	return difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(string(m.of)), B: difflib.SplitLines(string(m.text)), FromFile: m.File, ToFile: m.ID, Context: 3,
	})
}

// Copy writes the mutant's package to a folder.
func (m Mutant) Copy(folder string) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	files, err := m.files(root)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// files are those of the mutant's package, by their names.
func (m Mutant) files(root string) (map[string][]byte, error) {
	paths, err := repo.Glob(filepath.Join(root, filepath.Dir(m.File)), "*.go")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if files[name], err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	files[filepath.Base(m.File)] = m.text
	return files, nil
}

func (m Mutant) String() string { return m.ID }
