package lesson02

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"example.com/controller-course/tests/kit/repo"
)

// later is the field of spec and status that the reference has for lesson 9. This lesson's API has no such field.
const later = "workspace"

// schema is a part of the reference's schema.
type schema = apiextensionsv1.JSONSchemaProps

// reference returns the schema of the reference's CRD, without what later lessons add.
var reference = sync.OnceValues(func() (*schema, error) {
	root, err := repo.Root()
	if err != nil {
		return nil, err
	}
	all, err := schemaIn(filepath.Join(root, "sequentialjob", "config", "crd", "batch.example.com_sequentialjobs.yaml"))
	if err != nil {
		return nil, fmt.Errorf("read the reference's CRD: %w", err)
	}
	for _, name := range []string{"spec", "status"} {
		part := all.Properties[name]
		delete(part.Properties, later)
		part.XValidations = slices.DeleteFunc(part.XValidations, func(rule apiextensionsv1.ValidationRule) bool {
			return strings.Contains(rule.Rule, "self."+later)
		})
		all.Properties[name] = part
	}
	return all, nil
})

// schemaIn reads the schema of the CRD in a file.
func schemaIn(file string) (*schema, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(text, crd); err != nil {
		return nil, err
	}
	return crd.Spec.Versions[0].Schema.OpenAPIV3Schema, nil
}
