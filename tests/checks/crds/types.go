// Package crds makes an API from Go types: controller-gen makes a CRD from them, and an API server serves it.
package crds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/kit/repo"
)

// Kind is the kind that the types have to make.
const Kind = "SequentialJob"

// Types is a package of Go types, and what was made from it.
type Types struct {
	Source string // the package's folder
	Option string // with which controller-gen makes the CRD
	CRDs   string // the folder with all CRDs that it makes

	manifests []byte // all CRDs that it makes
	manifest  []byte // that of the kind, which is read into crd
	crd       *apiextensionsv1.CustomResourceDefinition
	client    string // a program that reads and writes the Go type
}

// Make compiles the package in the folder source and makes its CRD, in dir. It returns an *UnjudgeableError if nothing
// can be made from the package.
func Make(ctx context.Context, source, dir string) (*Types, error) {
	if info, err := os.Stat(source); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("there is no folder %s; it should contain a Go package with the API's types", source)
	}
	source, err := filepath.Abs(source)
	if err != nil {
		return nil, err
	}
	// The compiler's errors are clearer, so it comes first.
	var broken *process.BuildError
	if err := process.Compile(ctx, source); errors.As(err, &broken) {
		return nil, notCompiled(broken)
	} else if err != nil {
		return nil, err
	}
	types := &Types{Source: source, CRDs: filepath.Join(dir, "crd"), client: filepath.Join(dir, "client")}
	var clientErr error
	var building sync.WaitGroup
	building.Go(func() { clientErr = types.buildClient(ctx, dir) })
	err = types.generate(ctx, types.CRDs)
	building.Wait()
	return types, cmp.Or(err, clientErr)
}

// choose reads the CRDs that were generated, and picks that of the kind.
func (t *Types) choose(crds string) error {
	files, err := repo.Glob(crds, "*.yaml")
	if err != nil {
		return err
	}
	var kinds []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(text, crd); err != nil {
			return fmt.Errorf("read the CRD %s: %w", file, err)
		}
		t.manifests = append(append(t.manifests, "\n---\n"...), text...)
		kinds = append(kinds, crd.Spec.Names.Kind)
		if crd.Spec.Names.Kind == Kind {
			t.manifest, t.crd = text, crd
		}
	}
	if t.crd == nil {
		slices.Sort(kinds)
		return notMade(t.Source, strings.Join(kinds, ", "))
	}
	return nil
}
