package lesson02

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/checks/crds"
)

// input is YAML that is laid over a valid object.
type input struct {
	name, yaml string
	shown      string // instead of YAML that is too long
	says       string // what the refusal has to name: "steps, name"; empty for valid input
	strict     bool   // whether unknown fields are refused, not dropped
	crude      bool   // whether a rule that can't be evaluated may refuse it, as long as it has a message
}

// mistake is an input that an API handles wrongly.
type mistake struct {
	input string
	came  string // what came of it, in two or three words
	what  string // in full
}

// mistakes says what is wrong with what came of an input. Asked is the object as it was written.
func (in input) mistakes(asked, came *unstructured.Unstructured, refusal *crds.Refusal) []mistake {
	short, what := "", ""
	switch {
	case in.says != "":
		short, what = in.wronglyRefused(refusal)
	case refusal != nil:
		short, what = "refused", "This is valid, but the API server says:\n"+crds.Quoted(refusal.Message)
	default:
		if lost := lostOf(asked, came); len(lost) > 0 {
			short, what = "changed", "The API server accepted it, but changed it:\n"+crds.Quoted(strings.Join(lost, "\n"))
		}
	}
	if short == "" {
		return nil
	}
	shown := in.yaml
	switch {
	case in.shown != "":
		shown = in.shown
	case in.yaml == `{}`:
		shown = crds.Minimal
	}
	return []mistake{{in.name, short, fmt.Sprintf("%s:\n%s\n%s", sentence(in.name), crds.Quoted(shown), what)}}
}

// The API server's own messages: for a rule without a message, and for a rule that could not be evaluated.
const (
	noMessage    = "failed rule: "
	notEvaluated = " evaluating rule: "
)

// wronglyRefused says what is wrong with the response to invalid input, in short and in full; empty if nothing is.
func (in input) wronglyRefused(refusal *crds.Refusal) (short, what string) {
	words := strings.Split(in.says, ", ")
	named := strings.Join(words, " and ")
	if refusal == nil {
		return "accepted", "The API server accepted it. It should refuse it, with a message that names " + named + "."
	}
	causes := refusal.Naming(words...)
	if len(causes) == 0 {
		return "refused for another reason", "The API server refused it, but its message does not name " + named + ":\n" + crds.Quoted(refusal.Message)
	}
	for _, cause := range causes {
		switch {
		case strings.Contains(cause, notEvaluated) && !in.crude:
			short, what = "refused by a rule that can't be evaluated", "The API server refused it because it could not evaluate a rule, "+
				"not because the rule refuses it:\n"+crds.Quoted(cause)
		case strings.Contains(cause, noMessage):
			short, what = "refused without a message", "The API server refused it, but its message only shows the rule that failed, not what is allowed:\n"+
				crds.Quoted(cause)
		default:
			return "", ""
		}
	}
	return short, what
}

// tell ends the check if there are mistakes. It shows the first one in full, and each of the others in a line.
func tell(s *crds.Scene, mistakes []mistake) {
	if len(mistakes) == 0 {
		return
	}
	what := mistakes[0].what
	if others := mistakes[1:]; len(others) > 0 {
		what += fmt.Sprintf("\nThe other mistakes (%d):", len(others))
		for _, other := range others {
			what += "\n  " + other.input + ": " + other.came
		}
	}
	s.Find("%s", what)
}

// lostOf are the differences between a valid object as it was written and as it is, a line for each.
func lostOf(asked, came *unstructured.Unstructured) []string {
	want := map[string]any{"spec": asked.Object["spec"]}
	if labels := asked.GetLabels(); labels != nil {
		want["metadata"] = map[string]any{"labels": asked.Object["metadata"].(map[string]any)["labels"]}
	}
	return crds.Lost(want, came.Object)
}

// accepted ends the check if something valid was refused.
func accepted(s *crds.Scene, refusal *crds.Refusal, what, yaml string) {
	if refusal != nil {
		s.Find("%s was refused:\n%s\nThe API server says:\n%s", what, crds.Quoted(yaml), crds.Quoted(refusal.Message))
	}
}

// kept ends the check if values are not as they should be. What introduces the differences.
func kept(s *crds.Scene, want, got any, what string) {
	if lost := crds.Lost(want, got); len(lost) > 0 {
		s.Find("%s:\n%s", what, crds.Quoted(strings.Join(lost, "\n")))
	}
}

// there creates a valid object out of layers of YAML, with this name.
func there(s *crds.Scene, name string, layers ...string) *unstructured.Unstructured {
	created, refusal := s.Create(s.Object(append(layers, `metadata: {name: `+name+`}`)...))
	accepted(s, refusal, "A valid object", strings.Join(layers, ""))
	return created
}

// withStatus gives an object a valid status.
func withStatus(s *crds.Scene, object *unstructured.Unstructured, status string) *unstructured.Unstructured {
	written, refusal := s.GiveStatus(object, status)
	accepted(s, refusal, "A valid status", status)
	return written
}

// sentence capitalizes a text.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
