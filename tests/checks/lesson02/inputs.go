package lesson02

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/checks/crds"
)

// Whether fields that are not known are refused, as kubectl asks for, or dropped. What is dropped leaves the
// rest to be judged.
const (
	strict  = true
	lenient = false
)

// try has the API server say what would come of creating an object.
func (s *play) try(object *unstructured.Unstructured, strictly bool) (*unstructured.Unstructured, *crds.Refusal) {
	created, err := s.TryCreate(s.Context(), object, strictly)
	return created, s.refusal(err)
}

// refusal is what an error says of the object that was written; nil for no error. Any other error says
// nothing of the API, and ends the check.
func (s *play) refusal(err error) *crds.Refusal {
	if refusal, refused := crds.RefusalOf(err); refused {
		return &refusal
	}
	s.Must(err)
	return nil
}

// there creates an object, or ends the check because it was refused.
func (s *play) there(object *unstructured.Unstructured) *unstructured.Unstructured {
	created, err := s.Create(s.Context(), object)
	if refusal := s.refusal(err); refusal != nil {
		s.Find("An object in which all is right was refused:\n%s\nThe API server says:\n%s", crds.Quoted(crds.YAML(object.Object)), crds.Quoted(refusal.Message))
	}
	return created
}

// withStatus gives an object a status, or ends the check because that was refused.
func (s *play) withStatus(object *unstructured.Unstructured, status string) *unstructured.Unstructured {
	written, err := s.GiveStatus(s.Context(), object, status)
	if refusal := s.refusal(err); refusal != nil {
		s.Find("A status in which all is right was refused:\n%s\nThe API server says:\n%s", crds.Quoted(status), crds.Quoted(refusal.Message))
	}
	return written
}

// A mistake is an input that an API gets wrong.
type mistake struct {
	input string // what it is
	came  string // what came of it, in two or three words
	what  string // both in full
}

// tell ends the check if there are mistakes: the first is told in full, the others in a line each.
func (s *play) tell(mistakes []mistake) {
	if len(mistakes) == 0 {
		return
	}
	what := mistakes[0].what
	if others := mistakes[1:]; len(others) > 0 {
		what += fmt.Sprintf("\nThat is not all (%d more):", len(others))
		for _, other := range others {
			what += "\n  " + other.input + ": " + other.came
		}
	}
	s.Find("%s", what)
}

// layer is the YAML of an input as a finding shows it.
func layer(yaml, instead string) string {
	switch {
	case instead != "":
		yaml = instead
	case yaml == `{}`:
		yaml = crds.Minimal
	}
	return crds.Quoted(yaml)
}

// sentence begins a sentence.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
