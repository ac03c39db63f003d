package subject

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/controller-tools/pkg/rbac"

	"example.com/controller-course/tests/kit/repo"
)

// A RoleError reports that there is no role for a controller, for a reason that lies in its markers.
type RoleError struct {
	Dir  string // with the controller
	Said string // each marker that is wrong, with file:line, and what is wrong with it; empty where there is none at all
}

func (e *RoleError) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("%s has no +kubebuilder:rbac markers: a controller may do only what its role allows, "+
			"so it would be refused everything; say above its code what it needs, as in\n%s", e.Dir, Marker)
	}
	return fmt.Sprintf("make a role out of the +kubebuilder:rbac markers in %s:\n%s", e.Dir, e.Said)
}

// Marker is one as it should be.
const Marker = "// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create"

// generateRole generates the role that a controller's markers ask for into dir. It returns a *RoleError if
// the markers make none.
func generateRole(source, dir string) (string, error) {
	files, set, err := parse(source)
	if err != nil {
		return "", fmt.Errorf("look for +kubebuilder:rbac markers: %w", err)
	}
	said, err := wrongMarkers(files, set)
	if err != nil {
		return "", err
	}
	if len(said) > 0 {
		return "", &RoleError{Dir: repo.Short(source), Said: strings.Join(said, "\n")}
	}
	role := filepath.Join(dir, "role.yaml")
	if err := os.RemoveAll(role); err != nil { // of markers that are gone
		return "", err
	}
	generator := rbac.Generator{RoleName: "controller"}
	// controller-gen's own loader asks go for everything that the package imports, which takes half a second at
	// every save. Markers of a role need nothing but the package's files.
	generation := &genall.GenerationContext{
		Collector:  &markers.Collector{Registry: &markers.Registry{}},
		Roots:      []*loader.Package{{Package: &packages.Package{Syntax: files}}},
		OutputRule: genall.OutputToDirectory(dir),
	}
	if err := errors.Join(generator.RegisterMarkers(generation.Collector.Registry), generator.Generate(generation)); err != nil {
		return "", fmt.Errorf("make a role out of the +kubebuilder:rbac markers in %s: %w", source, err)
	}
	if _, err := os.Stat(role); err != nil {
		return "", &RoleError{Dir: repo.Short(source)}
	}
	return role, nil
}

// parse returns the files of which the package in a folder consists.
func parse(source string) (files []*ast.File, set *token.FileSet, err error) {
	found, err := build.ImportDir(source, 0)
	if err != nil {
		return nil, nil, err
	}
	set = token.NewFileSet()
	for _, name := range found.GoFiles {
		file, err := parser.ParseFile(set, filepath.Join(source, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, file)
	}
	return files, set, nil
}

// wrongMarkers quotes each marker that is wrong, with file:line from the repository's root on, and below it
// what is wrong.
func wrongMarkers(files []*ast.File, set *token.FileSet) ([]string, error) {
	known := &markers.Registry{}
	if err := known.Register(rbac.RuleDefinition); err != nil {
		return nil, err
	}
	var said []string
	for _, file := range files {
		for _, group := range file.Comments {
			for _, comment := range group.List {
				text := strings.TrimSpace(strings.TrimPrefix(comment.Text, "//"))
				if !strings.HasPrefix(text, "+") || known.Lookup(text, markers.DescribesPackage) == nil {
					continue
				}
				if problems := wrongWith(text); len(problems) > 0 {
					place := set.Position(comment.Pos())
					said = append(said, fmt.Sprintf("%s:%d:\n  %s\n    %s",
						repo.Short(place.Filename), place.Line, comment.Text, strings.Join(problems, "\n    ")))
				}
			}
		}
	}
	return said, nil
}

// wrongWith is what controller-gen says of a marker or, where it takes it, the API server says of the role.
func wrongWith(marker string) []string {
	var problems []string
	parsed, err := rbac.RuleDefinition.Parse(marker)
	if all, is := errors.AsType[loader.ErrList](err); is {
		for _, err := range all {
			problems = append(problems, withoutPlace(err))
		}
		return problems
	}
	rule := parsed.(rbac.Rule)
	for _, argument := range []struct {
		name  string
		given bool
	}{
		{"groups", len(rule.Groups)+len(rule.URLs) > 0},
		{"resources", len(rule.Resources)+len(rule.URLs) > 0},
		{"verbs", len(rule.Verbs) > 0},
	} {
		if !argument.given {
			problems = append(problems, fmt.Sprintf("missing argument %q", argument.name))
		}
	}
	return problems
}

// withoutPlace is an error without its place within the marker, as the marker is quoted whole.
func withoutPlace(err error) string {
	if scanned, is := errors.AsType[*markers.ScannerError](err); is {
		return scanned.Msg
	}
	return err.Error()
}
