package lesson02

import (
	"fmt"
	"strings"

	"example.com/controller-course/tests/checks/crds"
)

// badInputs are each laid over a good object with the steps build and test, in which all is set.
var badInputs = []struct {
	name, yaml string
	shown      string   // where the YAML is too long to be shown
	says       []string // what the answer has to name
	strictly   bool
}{
	{name: "no spec", yaml: `spec: null`, says: []string{"spec"}},
	{name: "no steps", yaml: `spec: {steps: null}`, says: []string{"steps"}},
	{name: "an empty list of steps", yaml: `spec: {steps: []}`, says: []string{"steps"}},
	{name: "a list of 51 steps", yaml: stepsNamed(51), shown: "spec: {steps: [ ...51 of them, s1 to s51... ]}", says: []string{"steps"}},
	{name: "two steps of one name", yaml: `spec: {steps: [{name: test}]}`, says: []string{"steps"}},

	{name: "a step without a name", yaml: `spec: {steps: [{name: null}]}`, says: []string{"steps", "name"}},
	{name: "a step with an empty name", yaml: `spec: {steps: [{name: ""}]}`, says: []string{"steps", "name"}},
	{name: "a step name with a capital", yaml: `spec: {steps: [{name: Build}]}`, says: []string{"steps", "name"}},
	{name: "a step name with a dot", yaml: `spec: {steps: [{name: build.1}]}`, says: []string{"steps", "name"}},
	{name: "a step name that ends with a dash", yaml: `spec: {steps: [{name: build-}]}`, says: []string{"steps", "name"}},
	{name: "a step name that begins with a dash", yaml: `spec: {steps: [{name: -build}]}`, says: []string{"steps", "name"}},
	{name: "a step name of 41 characters", yaml: `spec: {steps: [{name: ` + strings.Repeat("b", 41) + `}]}`, says: []string{"steps", "name"}},
	{name: "names that make a Job name of 64 characters", yaml: `metadata: {name: ` + strings.Repeat("a", 58) + `}`, says: []string{"name"}},

	{name: "an onFailure that does not exist", yaml: `spec: {steps: [{onFailure: Ignore}]}`, says: []string{"steps", "onFailure"}},
	{name: "an empty onFailure", yaml: `spec: {steps: [{onFailure: ""}]}`, says: []string{"steps", "onFailure"}},
	{name: "a deadline of 0", yaml: `spec: {activeDeadlineSeconds: 0}`, says: []string{"activeDeadlineSeconds"}},
	{name: "a deadline in 68 years and a second", yaml: `spec: {activeDeadlineSeconds: 2147483648}`, says: []string{"activeDeadlineSeconds"}},
	{name: "a deadline of one and a half seconds", yaml: `spec: {activeDeadlineSeconds: 1.5}`, says: []string{"activeDeadlineSeconds"}},
	{name: "a time to live below 0", yaml: `spec: {ttlSecondsAfterFinished: -1}`, says: []string{"ttlSecondsAfterFinished"}},
	{name: "a suspend that is a text", yaml: `spec: {suspend: "yes"}`, says: []string{"suspend"}},
	{name: "a start at a step that does not exist", yaml: `spec: {startAt: deploy}`, says: []string{"startAt"}},
	{name: "an empty startAt", yaml: `spec: {startAt: ""}`, says: []string{"startAt"}},
	{name: "a managedBy without a path", yaml: `spec: {managedBy: me}`, says: []string{"managedBy"}},
	{name: "a managedBy with a space in its domain", yaml: `spec: {managedBy: my team/x}`, says: []string{"managedBy"}},
	{name: "an empty managedBy", yaml: `spec: {managedBy: ""}`, says: []string{"managedBy"}},
	{name: "a managedBy of 64 characters", yaml: `spec: {managedBy: example.com/` + strings.Repeat("m", 52) + `}`, says: []string{"managedBy"}},

	{name: "a step without a template", yaml: `spec: {steps: [{jobTemplate: null}]}`, says: []string{"steps", "jobTemplate"}},
	{name: "a template without containers", yaml: `spec: {steps: [{jobTemplate: {spec: {template: {spec: {containers: null}}}}}]}`, says: []string{"steps", "containers"}},
	{name: "a template without restartPolicy", yaml: `spec: {steps: [{jobTemplate: {spec: {template: {spec: {restartPolicy: null}}}}}]}`, says: []string{"steps", "restartPolicy"}},
	{name: "a template whose pods always restart", yaml: `spec: {steps: [{jobTemplate: {spec: {template: {spec: {restartPolicy: Always}}}}}]}`, says: []string{"steps", "restartPolicy"}},
	{name: "a template with a restartPolicy that does not exist", yaml: `spec: {steps: [{jobTemplate: {spec: {template: {spec: {restartPolicy: never}}}}}]}`, says: []string{"steps", "restartPolicy"}},
	{name: "a template that suspends", yaml: `spec: {steps: [{jobTemplate: {spec: {suspend: true}}}]}`, says: []string{"steps", "suspend"}},
	{name: "a template with a suspend that is false", yaml: `spec: {steps: [{jobTemplate: {spec: {suspend: false}}}]}`, says: []string{"steps", "suspend"}},
	{name: "a template with a selector", yaml: `spec: {steps: [{jobTemplate: {spec: {selector: {matchLabels: {a: b}}}}}]}`, says: []string{"steps", "selector"}},
	{name: "a template with manualSelector", yaml: `spec: {steps: [{jobTemplate: {spec: {manualSelector: true}}}]}`, says: []string{"steps", "manualSelector"}},
	{name: "a template with a manualSelector that is false", yaml: `spec: {steps: [{jobTemplate: {spec: {manualSelector: false}}}]}`, says: []string{"steps", "manualSelector"}},
	{name: "a template with managedBy", yaml: `spec: {steps: [{jobTemplate: {spec: {managedBy: example.com/me}}}]}`, says: []string{"steps", "managedBy"}},
	{name: "a template with a time to live", yaml: `spec: {steps: [{jobTemplate: {spec: {ttlSecondsAfterFinished: 60}}}]}`, says: []string{"steps", "ttlSecondsAfterFinished"}},
	{name: "a template that names its Job", yaml: `spec: {steps: [{jobTemplate: {metadata: {name: mine}}}]}`, says: []string{"steps", "metadata or name"}},
	{name: "a template that names a namespace", yaml: `spec: {steps: [{jobTemplate: {metadata: {namespace: mine}}}]}`, says: []string{"steps", "metadata or namespace"}},
	{name: "a template with a finalizer", yaml: `spec: {steps: [{jobTemplate: {metadata: {finalizers: [example.com/mine]}}}]}`, says: []string{"steps", "metadata or finalizers"}},

	{name: "a continueOnFailure, which onFailure replaces", yaml: `spec: {steps: [{continueOnFailure: true}]}`, says: []string{"continueOnFailure"}, strictly: strict},
	{name: "a misspelt field of a step", yaml: `spec: {steps: [{onFailur: Continue}]}`, says: []string{"onFailur"}, strictly: strict},
	{name: "a misspelt field of a template", yaml: `spec: {steps: [{jobTemplate: {spec: {backofLimit: 3}}}]}`, says: []string{"backofLimit"}, strictly: strict},
}

// defaultMessage begins what the API server says of a rule that has no message of its own.
const defaultMessage = "failed rule: "

func refusesBadInput(s *play) {
	if _, refusal := s.try(s.Object(crds.Full), lenient); refusal != nil {
		s.Find("The good object, which the bad ones are made of, was refused:\n%s\nThe API server says:\n%s", crds.Quoted(crds.Full), crds.Quoted(refusal.Message))
	}
	var mistakes []mistake
	for _, input := range badInputs {
		_, refusal := s.try(s.Object(crds.Full, input.yaml), input.strictly)
		if came, what := judgeRefusal(refusal, input.says); came != "" {
			mistakes = append(mistakes, mistake{input.name, came, fmt.Sprintf("%s:\n%s\n%s", sentence(input.name), layer(input.yaml, input.shown), what)})
		}
	}
	s.tell(mistakes)
}

// judgeRefusal says what is wrong with the answer to something that has to be refused, in short and in full;
// empty if nothing is.
func judgeRefusal(refusal *crds.Refusal, words []string) (came, what string) {
	named := strings.Join(words, " and ")
	if refusal == nil {
		return "taken", "The API server took it. It has to refuse it, with a message about " + named + "."
	}
	cause, found := refusal.Cause(words...)
	switch {
	case !found:
		return "refused for another reason", "The API server refused it, but said nothing of " + named + ":\n" + crds.Quoted(refusal.Message)
	case strings.Contains(cause, defaultMessage):
		return "refused without a message", "The API server refused it, but could say only which rule failed, not what is allowed:\n" + crds.Quoted(cause)
	default:
		return "", ""
	}
}
