package crds

import (
	"context"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"example.com/controller-course/tests/kit/repo"
)

// strangeMarkers are the places of markers that controller-gen takes for comments, because it doesn't know
// them: those that begin as its own do, and those that only upper and lower case tell from one it knows.
func (t *Types) strangeMarkers(ctx context.Context) ([]string, error) {
	known, err := t.knownMarkers(ctx)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(t.Source, "*.go"))
	if err != nil {
		return nil, err
	}
	var strange []string
	set := token.NewFileSet()
	for _, name := range files {
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, group := range file.Comments {
			for _, comment := range group.List {
				marker, is := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(comment.Text, "//")), "+")
				if is && isStrange(marker, known) {
					place := set.Position(comment.Pos())
					strange = append(strange, fmt.Sprintf("%s:%d: +%s", repo.Short(place.Filename), place.Line, nameOf(marker)))
				}
			}
		}
	}
	return strange, nil
}

// nameOf is a marker without its value: "kubebuilder:validation:Minimum".
func nameOf(marker string) string {
	name, _, _ := strings.Cut(marker, "=")
	return strings.TrimSpace(name)
}

// isStrange says whether a marker looks like a known one and is none. Arguments follow a name after a colon,
// so what is before the last colon may be the name as well.
func isStrange(marker string, known []string) bool {
	name := nameOf(marker)
	shorter := name[:max(strings.LastIndex(name, ":"), 0)]
	if slices.Contains(known, name) || slices.Contains(known, shorter) {
		return false
	}
	return strings.HasPrefix(name, "kubebuilder:") ||
		slices.ContainsFunc(known, func(other string) bool { return strings.EqualFold(other, name) })
}

// knownMarkers are those of all of controller-gen's generators.
func (t *Types) knownMarkers(ctx context.Context) ([]string, error) {
	list, err := t.controllerGen(ctx, "crd", "object", "rbac:roleName=any", "webhook", "applyconfiguration", "-wwww")
	if err != nil {
		return nil, err
	}
	output, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the markers that controller-gen knows: %w", err)
	}
	var categories []struct {
		Markers []struct{ Name string }
	}
	if err := json.Unmarshal(output, &categories); err != nil {
		return nil, fmt.Errorf("list the markers that controller-gen knows: %w", err)
	}
	var known []string
	for _, category := range categories {
		for _, marker := range category.Markers {
			known = append(known, marker.Name)
		}
	}
	return known, nil
}
