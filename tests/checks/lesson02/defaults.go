package lesson02

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/checks/crds"
)

const (
	// defaultValues are what an object has to show of what it leaves out.
	defaultValues = `spec: {suspend: false, steps: [{onFailure: Fail}, {onFailure: Fail}]}`

	// otherValues must not be replaced by defaults, though one of them is 0.
	otherValues = `spec: {suspend: true, ttlSecondsAfterFinished: 0, steps: [{onFailure: Continue}]}`
)

// withoutDefault are the fields whose absence is a setting of its own: no limit, kept for good.
var withoutDefault = []string{"activeDeadlineSeconds", "ttlSecondsAfterFinished", "startAt", "managedBy"}

func fillsInDefaults(s *play) {
	const asked = "An object that sets only what it must"
	created, refusal := s.try(s.Object(crds.Minimal), lenient)
	if refusal != nil {
		s.Find("%s was refused:\n%s\nThe API server says:\n%s", asked, crds.Quoted(crds.Minimal), crds.Quoted(refusal.Message))
	}
	var wrong []string
	for _, difference := range crds.Differences(crds.Parse(defaultValues), created.Object) {
		wrong = append(wrong, fmt.Sprintf("%s has to be %s there, but is %s", difference.Path, difference.Want, difference.Got))
	}
	for _, field := range withoutDefault {
		if value, found, _ := unstructured.NestedFieldNoCopy(created.Object, "spec", field); found {
			wrong = append(wrong, fmt.Sprintf("spec.%s has to stay unset, but is %v", field, value))
		}
	}
	if len(wrong) > 0 {
		s.Find("%s was taken:\n%s\nIn what became of it,\n%s", asked, crds.Quoted(crds.Minimal), crds.Quoted(strings.Join(wrong, "\n")))
	}

	object := s.Object(crds.Minimal, otherValues)
	created, refusal = s.try(object, lenient)
	if refusal != nil {
		s.Find("An object with other values than the defaults was refused:\n%s\nThe API server says:\n%s", crds.Quoted(otherValues), crds.Quoted(refusal.Message))
	}
	if lost := crds.Lost(object.Object, created.Object); len(lost) > 0 {
		s.Find("Values that were set were replaced:\n%s", crds.Quoted(strings.Join(lost, "\n")))
	}
}
