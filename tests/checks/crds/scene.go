package crds

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"example.com/controller-course/tests/checks/script"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/lesson"
)

// Play is a check that is played with an API.
type Play func(*Scene)

// Judges says that it can be played with APIs alone.
func (Play) Judges(kind lesson.Kind) bool { return kind == lesson.API }

// Scene is where a check of an API is played. Its methods write and read objects. They return a refusal, which may be
// what the check wants, and end the check on any other error.
type Scene struct {
	*API
	script.Script
	World worlds.World
}

// Play plays a check with the API, in a world. The error is the judge's own.
func (a *API) Play(ctx context.Context, play Play, world worlds.World) (script.Outcome, error) {
	return script.Play(func() { play(&Scene{a, script.New(ctx), world}) })
}

// came is the result of a request.
func (s *Scene) came(object *unstructured.Unstructured, err error) (*unstructured.Unstructured, *Refusal) {
	if refusal, refused := RefusalOf(err); refused {
		return nil, &refusal
	}
	s.Must(err)
	return object, nil
}

// TryCreate returns what would come of creating an object. Unknown fields are refused if strict, as kubectl does it, and
// dropped otherwise.
func (s *Scene) TryCreate(object *unstructured.Unstructured, strict bool) (*unstructured.Unstructured, *Refusal) {
	options := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	if strict {
		options.FieldValidation = metav1.FieldValidationStrict
	}
	return s.came(s.Objects.Create(s.Context(), object, options))
}

// Create creates an object.
func (s *Scene) Create(object *unstructured.Unstructured) (*unstructured.Unstructured, *Refusal) {
	return s.came(s.Objects.Create(s.Context(), object, metav1.CreateOptions{}))
}

// Update updates an object, or, as a dry run, returns what would come of it.
func (s *Scene) Update(object *unstructured.Unstructured, dryRun ...string) (*unstructured.Unstructured, *Refusal) {
	return s.came(s.Objects.Update(s.Context(), object, metav1.UpdateOptions{DryRun: dryRun}))
}

// UpdateStatus updates an object through its status subresource, whether it has one or not.
func (s *Scene) UpdateStatus(object *unstructured.Unstructured) (*unstructured.Unstructured, *Refusal) {
	return s.came(s.Objects.UpdateStatus(s.Context(), object, metav1.UpdateOptions{}))
}

// Get reads an object.
func (s *Scene) Get(name string) *unstructured.Unstructured {
	object, err := s.Objects.Get(s.Context(), name, metav1.GetOptions{})
	s.Must(err)
	return object
}

// GiveStatus lays a status over that of an object, through the subresource if there is one.
func (s *Scene) GiveStatus(object *unstructured.Unstructured, layer string) (*unstructured.Unstructured, *Refusal) {
	object = object.DeepCopy()
	Lay(object, layer)
	if s.hasStatusSubresource() {
		return s.UpdateStatus(object)
	}
	return s.Update(object)
}

// Apply applies an object server-side, without force.
func (s *Scene) Apply(object *unstructured.Unstructured, program string) *Refusal {
	_, refusal := s.came(s.Objects.Apply(s.Context(), object.GetName(), object, metav1.ApplyOptions{FieldManager: program}))
	return refusal
}

// ApplyStatus applies a status server-side, without force, through the subresource if there is one.
func (s *Scene) ApplyStatus(object *unstructured.Unstructured, program string) *Refusal {
	if !s.hasStatusSubresource() {
		return s.Apply(object, program)
	}
	_, refusal := s.came(s.Objects.ApplyStatus(s.Context(), object.GetName(), object, metav1.ApplyOptions{FieldManager: program}))
	return refusal
}

// Table is an object in the table that kubectl requests. It has one row.
func (s *Scene) Table(name string) *metav1.Table {
	text, err := s.Discovery.RESTClient().Get().AbsPath(s.path(name)).
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").Do(s.Context()).Raw()
	s.Must(err)
	table := &metav1.Table{}
	s.Must(json.Unmarshal(text, table))
	if len(table.Rows) != 1 {
		s.Must(fmt.Errorf("the table of %s has %d rows instead of one", name, len(table.Rows)))
	}
	return table
}

// LastApplied is the annotation in which kubectl apply stores what it has applied.
const LastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// TryLastApplied returns what would come of adding that annotation to the CRD, and its size.
func (s *Scene) TryLastApplied() (size int, _ *Refusal) {
	applied, err := yaml.YAMLToJSON(s.manifest)
	s.Must(err)
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{LastApplied: string(applied)}}})
	s.Must(err)
	options := metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}
	_, refusal := s.came(s.CRDs.Patch(s.Context(), s.crd.Name, types.MergePatchType, patch, options))
	return len(applied), refusal
}
