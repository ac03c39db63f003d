package crds

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/applyconfiguration"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/controller-tools/pkg/rbac"
	"sigs.k8s.io/controller-tools/pkg/webhook"

	"example.com/controller-course/tests/kit/repo"
)

// strangeMarkers are the places of markers that controller-gen ignores because it doesn't know them: those with its own
// prefix, and those that differ from a known one only in upper and lower case.
func strangeMarkers(pkg *loader.Package) ([]string, error) {
	known, err := knownMarkers()
	if err != nil {
		return nil, err
	}
	pkg.NeedSyntax()
	var strange []string
	for _, file := range pkg.Syntax {
		for _, group := range file.Comments {
			for _, comment := range group.List {
				marker := strings.TrimSpace(strings.TrimPrefix(comment.Text, "//"))
				if strings.HasPrefix(marker, "+") && isStrange(marker, known) {
					place := pkg.Fset.Position(comment.Pos())
					said := fmt.Sprintf("%s:%d: %s", repo.Short(place.Filename), place.Line, nameOf(marker))
					if meant := meantBy(marker, known); meant != "" {
						said += ": did you mean " + meant + "?"
					}
					strange = append(strange, said)
				}
			}
		}
	}
	return strange, nil
}

// nameOf is a marker without its value: "+kubebuilder:validation:Minimum".
func nameOf(marker string) string {
	name, _, _ := strings.Cut(marker, "=")
	return strings.TrimSpace(name)
}

// isStrange says whether a marker looks like a known one, but is not.
func isStrange(marker string, known *markers.Registry) bool {
	for _, target := range []markers.TargetType{markers.DescribesPackage, markers.DescribesType, markers.DescribesField} {
		if known.Lookup(marker, target) != nil {
			return false
		}
	}
	name := nameOf(marker)
	return strings.HasPrefix(name, "+kubebuilder:") ||
		slices.ContainsFunc(known.AllDefinitions(), func(other *markers.Definition) bool { return strings.EqualFold("+"+other.Name, name) })
}

// meantBy is the known marker that differs from a strange one only in upper and lower case; empty if there is none.
func meantBy(marker string, known *markers.Registry) string {
	for _, other := range known.AllDefinitions() {
		if name := "+" + other.Name; strings.EqualFold(name, nameOf(marker)) && name != nameOf(marker) {
			return name
		}
	}
	return ""
}

// knownMarkers are the markers of all generators of controller-gen.
func knownMarkers() (*markers.Registry, error) {
	known := &markers.Registry{}
	var problems []error
	for _, generator := range []genall.Generator{
		crd.Generator{}, deepcopy.Generator{}, rbac.Generator{}, webhook.Generator{}, applyconfiguration.Generator{},
	} {
		problems = append(problems, generator.RegisterMarkers(known))
	}
	return known, errors.Join(problems...)
}
