package crds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"example.com/controller-course/tests/kit/repo"
)

// usualOption makes the CRD as for the finished operator.
const usualOption = "crd:maxDescLen=0,generateEmbeddedObjectMeta=true"

// generate makes CRDs in the folder dir, with controller-gen's library.
func (t *Types) generate(ctx context.Context, dir string) error {
	var said line
	var err error
	if t.Option, said, err = optionOf(t.Source); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	options := &markers.Registry{}
	if err := errors.Join(options.Define("crd", markers.DescribesPackage, crd.Generator{}), genall.RegisterOptionsMarkers(options)); err != nil {
		return err
	}
	if _, err := genall.RegistryFromOptions(options, []string{t.Option}); err != nil {
		return badOptions(said, err.Error())
	}
	root, err := repo.Root()
	if err != nil {
		return err
	}
	run, err := genall.FromOptionsWithConfig(&packages.Config{Context: ctx, Dir: t.Source}, options, []string{t.Option, "paths=."})
	if err != nil {
		return fmt.Errorf("read the package in %s for controller-gen: %w", t.Source, cmp.Or(context.Cause(ctx), err))
	}
	run.OutputRule = genall.OutputToDirectory(dir)
	err = (*run.Generators[0]).Generate(&run.GenerationContext)
	if said := complaints(run.Roots, root); len(said) > 0 {
		return badMarkers(t.Source, strings.Join(said, "\n"))
	}
	if err != nil {
		return fmt.Errorf("make a CRD from the package in %s: %w", t.Source, err)
	}
	if err := t.choose(dir); err != nil {
		return err
	}
	strange, err := strangeMarkers(run.Roots[0])
	if err == nil && len(strange) > 0 {
		err = unknownMarkers(t.Source, strange)
	}
	return err
}

// line is a line of the judged code.
type line struct{ place, text string }

var (
	// generateLine is a line with which "go generate" runs controller-gen.
	generateLine = regexp.MustCompile(`^//go:generate[ \t](.*\bcontroller-gen(?:@\S+)?[ \t].*)$`)
	// meantLine is a line that should make a CRD, whether "go generate" sees it or not.
	meantLine = regexp.MustCompile(`(?i)^[ \t]*//[ \t+]*go:[ \t]*generate\b.*\bcontroller-gen\b.*\bcrd`)
)

// optionOf is the option with which a package itself makes its CRD, and the line with it; the usual one where there is no
// such line. It returns an *UnjudgeableError where a line looks like one, but is not.
func optionOf(source string) (option string, from line, err error) {
	files, err := repo.Glob(source, "*.go")
	if err != nil {
		return "", line{}, err
	}
	var meant *line
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", line{}, err
		}
		for i, one := range strings.Split(string(text), "\n") {
			one = strings.TrimRight(one, "\r")
			here := line{fmt.Sprintf("%s:%d", repo.Short(file), i+1), one}
			if command := generateLine.FindStringSubmatch(one); command != nil {
				for word := range strings.FieldsSeq(command[1]) {
					if word = strings.Trim(word, `"`); word == "crd" || strings.HasPrefix(word, "crd:") {
						return word, here, nil
					}
				}
			}
			if meant == nil && meantLine.MatchString(one) {
				meant = &here
			}
		}
	}
	if meant != nil {
		return "", line{}, notGenerated(*meant)
	}
	return usualOption, line{}, nil
}

// mostLines is how many lines of controller-gen's output are shown; the first ones matter most.
const mostLines = 20

// complaints are the errors that controller-gen reports, with file:line:column from the repository's root on. Type errors
// don't count: it loads only a part of the types, and the compiler has accepted them.
func complaints(roots []*loader.Package, root string) []string {
	var lines []string
	for _, pkg := range roots {
		packages.Visit([]*packages.Package{pkg.Package}, nil, func(pkg *packages.Package) {
			for _, err := range pkg.Errors {
				if err.Kind != packages.TypeError {
					lines = append(lines, strings.TrimPrefix(err.Error(), root+string(filepath.Separator)))
				}
			}
		})
	}
	lines = slices.Compact(lines)
	if more := len(lines) - mostLines; more > 0 {
		lines = append(lines[:mostLines], fmt.Sprintf("(and %d more lines)", more))
	}
	return lines
}
