package mutation

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// marker is a comment that a generator reads, as in "// +kubebuilder:validation:Minimum=1".
type marker struct {
	*ast.Comment
	place string // what it is about: "SequentialJobSpec.Suspend", or the resource of a role
}

const rolePrefix = "// +kubebuilder:rbac:"

// markers are those of a file, with what each is about.
func (f *file) markers() (found []marker) {
	about := map[*ast.CommentGroup]string{}
	for _, declaration := range f.syntax.Decls {
		types, is := declaration.(*ast.GenDecl)
		if !is || types.Tok != token.TYPE {
			continue
		}
		for _, spec := range types.Specs {
			named := spec.(*ast.TypeSpec)
			if structure, is := named.Type.(*ast.StructType); is {
				for _, field := range structure.Fields.List {
					about[field.Doc] = named.Name.Name + "." + fieldName(field)
				}
			}
		}
	}
	for _, group := range f.syntax.Comments {
		place := about[group]
		if place == "" {
			place = f.following(group.End())
		}
		for _, comment := range group.List {
			if strings.HasPrefix(comment.Text, "// +") {
				found = append(found, marker{comment, place})
			}
		}
	}
	return found
}

// following is the name of the first declaration after a position.
func (f *file) following(pos token.Pos) string {
	for _, declaration := range f.syntax.Decls {
		if declaration.End() > pos && f.syntax.Package < pos {
			return declared(declaration)
		}
	}
	return "package"
}

func fieldName(field *ast.Field) string {
	if len(field.Names) > 0 {
		return field.Names[0].Name
	}
	switch embedded := field.Type.(type) {
	case *ast.SelectorExpr:
		return embedded.Sel.Name
	case *ast.Ident:
		return embedded.Name
	}
	return "embedded"
}

// within returns the edit of a part of the marker's text.
func (m marker) within(from, to int, with string) edit {
	return edit{from: m.Pos() + token.Pos(from), to: m.Pos() + token.Pos(to), with: with, place: m.place}
}

// gone is the edit that leaves out the marker.
func (m marker) gone() edit { return m.within(0, len(m.Text), "//") }

var (
	verbs     = regexp.MustCompile(`verbs=([^,]*)`)
	resources = regexp.MustCompile(`resources=([^,]*)`)
)

func dropVerb(f *file) (edits []edit) {
	for _, m := range f.markers() {
		at := verbs.FindStringSubmatchIndex(m.Text)
		if !strings.HasPrefix(m.Text, rolePrefix) || at == nil {
			continue
		}
		if of := resources.FindStringSubmatch(m.Text); of != nil {
			m.place = of[1]
		}
		edits = append(edits, m.withoutEach(at[2], at[3])...)
	}
	return edits
}

// withoutEach leaves out each item of a list, a;b;c, that is a part of the marker's text, or the marker if it has but one.
func (m marker) withoutEach(from, to int) (edits []edit) {
	items := strings.Split(m.Text[from:to], ";")
	if len(items) == 1 {
		return []edit{m.gone()}
	}
	for i := range items {
		var others []string
		others = append(append(others, items[:i]...), items[i+1:]...)
		edits = append(edits, m.within(from, to, strings.Join(others, ";")))
	}
	return edits
}

// ofAPI are the markers that say something about an API.
func (f *file) ofAPI() (found []marker) {
	for _, m := range f.markers() {
		if !strings.HasPrefix(m.Text, rolePrefix) {
			found = append(found, m)
		}
	}
	return found
}

func dropMarker(f *file) (edits []edit) {
	for _, m := range f.ofAPI() {
		edits = append(edits, m.gone())
	}
	return edits
}

var (
	// An argument of a marker that has several, with its comma: `,optionalOldSelf=true`, `,message="a, b"`.
	argument = regexp.MustCompile("[,:]([a-zA-Z]+=(?:\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`|[^,\"`]*))")
	enum     = regexp.MustCompile(`Enum=(.*)`)
	number   = regexp.MustCompile(`=(\d+)$`)
)

func dropArgument(f *file) (edits []edit) {
	for _, m := range f.ofAPI() {
		if values := enum.FindStringSubmatchIndex(m.Text); values != nil {
			edits = append(edits, m.withoutEach(values[2], values[3])...)
			continue
		}
		arguments := argument.FindAllStringSubmatchIndex(m.Text, -1)
		for i, at := range arguments {
			switch {
			case len(arguments) == 1: // without it, nothing is left of the marker
			case i == 0:
				edits = append(edits, m.within(at[2], arguments[1][2], ""))
			default:
				edits = append(edits, m.within(at[0], at[1], ""))
			}
		}
	}
	return edits
}

func changeNumber(f *file) (edits []edit) {
	for _, m := range f.ofAPI() {
		at := number.FindStringSubmatchIndex(m.Text)
		if at == nil {
			continue
		}
		n, err := strconv.ParseInt(m.Text[at[2]:at[3]], 10, 64)
		if err != nil {
			continue
		}
		for _, by := range []int64{-1, 1} {
			edits = append(edits, m.within(at[2], at[3], strconv.FormatInt(n+by, 10)))
		}
	}
	return edits
}
