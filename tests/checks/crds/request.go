package crds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// Refusal is what an API server says to a request that it does not do for a reason that lies in the request.
type Refusal struct {
	Message string
	Causes  []string // each with the field that it is about, where there is one: "spec.steps: Required value"
}

// Cause finds the cause that names all of this. It may be somewhere in a sentence: "a step's" names steps, as
// "Steps" does. Of "name or metadata" one is enough.
func (r Refusal) Cause(words ...string) (cause string, found bool) {
	i := slices.IndexFunc(r.Causes, func(cause string) bool {
		said := strings.ToLower(cause)
		return !slices.ContainsFunc(words, func(word string) bool {
			return !slices.ContainsFunc(strings.Split(strings.ToLower(word), " or "), func(one string) bool {
				return strings.Contains(said, strings.TrimSuffix(one, "s"))
			})
		})
	})
	if i < 0 {
		return "", false
	}
	return r.Causes[i], true
}

// RefusalOf tells whether an error is a refusal. What else goes wrong says nothing about the API.
func RefusalOf(err error) (Refusal, bool) {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return Refusal{}, false
	}
	status := answer.Status()
	if status.Code < http.StatusBadRequest || status.Code >= http.StatusInternalServerError || status.Code == http.StatusTooManyRequests {
		return Refusal{}, false
	}
	refusal := Refusal{Message: status.Message}
	if status.Details != nil {
		for _, cause := range status.Details.Causes {
			refusal.Causes = append(refusal.Causes, strings.TrimPrefix(cause.Field+": "+cause.Message, ": "))
		}
	}
	if refusal.Causes == nil {
		refusal.Causes = []string{status.Message}
	}
	return refusal, true
}

// TryCreate has the API server say what would come of an object. Strict is how kubectl asks, so that fields
// that are not known are refused; otherwise they are dropped.
func (a *API) TryCreate(ctx context.Context, object *unstructured.Unstructured, strict bool) (*unstructured.Unstructured, error) {
	options := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationIgnore}
	if strict {
		options.FieldValidation = metav1.FieldValidationStrict
	}
	return a.Objects.Create(ctx, object, options)
}

// Create creates an object. Fields that are not known are dropped.
func (a *API) Create(ctx context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return a.Objects.Create(ctx, object, metav1.CreateOptions{FieldValidation: metav1.FieldValidationIgnore})
}

// TryUpdate has the API server say what would come of an update. Fields that are not known are dropped.
func (a *API) TryUpdate(ctx context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return a.Objects.Update(ctx, object, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationIgnore})
}

// Update updates an object. Fields that are not known are dropped.
func (a *API) Update(ctx context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return a.Objects.Update(ctx, object, metav1.UpdateOptions{FieldValidation: metav1.FieldValidationIgnore})
}

// UpdateStatus updates an object through its subresource status, whether there is one or not.
func (a *API) UpdateStatus(ctx context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return a.Objects.UpdateStatus(ctx, object, metav1.UpdateOptions{FieldValidation: metav1.FieldValidationIgnore})
}

// Get reads an object.
func (a *API) Get(ctx context.Context, name string) (*unstructured.Unstructured, error) {
	return a.Objects.Get(ctx, name, metav1.GetOptions{})
}

// GiveStatus lays a status over that of an object, whichever way the API has it written.
func (a *API) GiveStatus(ctx context.Context, object *unstructured.Unstructured, layer string) (*unstructured.Unstructured, error) {
	object = object.DeepCopy()
	Lay(object, layer)
	if a.statusApart() {
		return a.UpdateStatus(ctx, object)
	}
	return a.Update(ctx, object)
}

// ApplyStatus applies a status server-side, whichever way the API has it written, for a program that does
// not insist where another one has written.
func (a *API) ApplyStatus(ctx context.Context, object *unstructured.Unstructured, program string) (err error) {
	options := metav1.ApplyOptions{FieldManager: program}
	if a.statusApart() {
		_, err = a.Objects.ApplyStatus(ctx, object.GetName(), object, options)
	} else {
		_, err = a.Objects.Apply(ctx, object.GetName(), object, options)
	}
	return err
}

// statusApart says whether there is a subresource status.
func (a *API) statusApart() bool {
	sub := a.crd.Spec.Versions[0].Subresources
	return sub != nil && sub.Status != nil
}

// Table is what an object looks like in the table that kubectl asks for.
func (a *API) Table(ctx context.Context, name string) (*metav1.Table, error) {
	text, err := a.Discovery.RESTClient().Get().AbsPath(a.path(name)).
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").Do(ctx).Raw()
	if err != nil {
		return nil, err
	}
	table := &metav1.Table{}
	if err := json.Unmarshal(text, table); err != nil {
		return nil, fmt.Errorf("read the table of %s: %w", name, err)
	}
	if len(table.Rows) != 1 {
		return nil, fmt.Errorf("the table of %s has %d rows instead of one", name, len(table.Rows))
	}
	return table, nil
}

// LastApplied is the annotation in which kubectl apply keeps what it has applied.
const LastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// TryLastApplied has the API server say what would come of that annotation on the CRD, and tells its size.
func (a *API) TryLastApplied(ctx context.Context) (size int, err error) {
	applied, err := yaml.YAMLToJSON(a.manifest)
	if err != nil {
		return 0, err
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{LastApplied: string(applied)}}})
	if err != nil {
		return 0, err
	}
	_, err = a.CRDs.Patch(ctx, a.crd.Name, types.MergePatchType, patch, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
	return len(applied), err
}
