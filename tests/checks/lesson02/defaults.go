package lesson02

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/checks/crds"
)

const (
	// defaultValues are what an object has to show for omitted fields.
	defaultValues = `spec: {suspend: false, steps: [{onFailure: Fail}, {onFailure: Fail}]}`

	// otherValues must not be replaced by defaults, although one of them is 0.
	otherValues = `spec: {suspend: true, ttlSecondsAfterFinished: 0, steps: [{onFailure: Continue}]}`
)

// withoutDefault are the fields whose absence has a meaning of its own, such as no limit.
var withoutDefault = []string{"activeDeadlineSeconds", "ttlSecondsAfterFinished", "startAt", "managedBy"}

func fillsInDefaults(s *crds.Scene) {
	const minimal = "An object that sets only required fields"
	created, refusal := s.TryCreate(s.Object(crds.Minimal), false)
	accepted(s, refusal, minimal, crds.Minimal)
	var wrong []string
	for _, difference := range crds.Differences(crds.Parse(defaultValues), created.Object) {
		wrong = append(wrong, fmt.Sprintf("%s should be %s, but is %s", difference.Path, difference.Want, difference.Got))
	}
	for _, field := range withoutDefault {
		if value, found, _ := unstructured.NestedFieldNoCopy(created.Object, "spec", field); found {
			wrong = append(wrong, fmt.Sprintf("spec.%s should stay unset, but is %v", field, value))
		}
	}
	if len(wrong) > 0 {
		s.Find("%s was accepted:\n%s\nIn the object that the API server returned:\n%s", minimal, crds.Quoted(crds.Minimal),
			crds.Quoted(strings.Join(wrong, "\n")))
	}

	nullIsUnset(s)

	object := s.Object(crds.Minimal, otherValues)
	created, refusal = s.TryCreate(object, false)
	accepted(s, refusal, "An object with other values than the defaults", otherValues)
	kept(s, object.Object, created.Object, "The API server replaced values that were set")
}

// nullIsUnset creates an object whose optional fields are null, as tools for templates write a value that is not set.
func nullIsUnset(s *crds.Scene) {
	object := s.Object(crds.Minimal)
	spec := object.Object["spec"].(map[string]any)
	shown := "spec:"
	for _, field := range append([]string{"suspend"}, withoutDefault...) {
		spec[field] = nil
		shown += "\n  " + field + ": null"
	}
	created, refusal := s.TryCreate(object, false)
	accepted(s, refusal, "An object whose optional fields are null", shown)
	if suspend, _, _ := unstructured.NestedFieldNoCopy(created.Object, "spec", "suspend"); suspend != false {
		s.Find("An object whose optional fields are null was accepted:\n%s\nNull means not set, so spec.suspend should be false, by its default, but is %v.",
			crds.Quoted(shown), suspend)
	}
	for _, field := range withoutDefault {
		if value, found, _ := unstructured.NestedFieldNoCopy(created.Object, "spec", field); found {
			s.Find("An object whose optional fields are null was accepted:\n%s\nNull means not set, but the API server stored spec.%s: %v. "+
				"So there are two ways to say that it is not set, and a change from one to the other is a change.", crds.Quoted(shown), field, value)
		}
	}
}
