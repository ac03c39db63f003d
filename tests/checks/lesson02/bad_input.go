package lesson02

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/checks/crds"
)

// badInputs are each laid over a valid object with the steps build and test, which sets all fields.
var badInputs = []input{
	{name: "no spec", yaml: `spec: null`, says: []string{"spec"}},
	{name: "no steps", yaml: `spec: {steps: null}`, says: []string{"steps"}},
	{name: "an empty list of steps", yaml: `spec: {steps: []}`, says: []string{"steps"}},
	{name: "a list of 51 steps", yaml: stepsNamed(51), shown: "spec: {steps: [ ...51 of them, s1 to s51... ]}", says: []string{"steps"}},
	{name: "two steps with the same name", yaml: `spec: {steps: [{name: test}]}`, says: []string{"steps"}},

	{name: "a step without a name", yaml: `spec: {steps: [{name: null}]}`, says: []string{"steps", "name"}},
	{name: "a step with an empty name", yaml: `spec: {steps: [{name: ""}]}`, says: []string{"steps", "name"}},
	{name: "a step name with a capital letter", yaml: `spec: {steps: [{name: Build}]}`, says: []string{"steps", "name"}},
	{name: "a step name with a dot", yaml: `spec: {steps: [{name: build.1}]}`, says: []string{"steps", "name"}},
	{name: "a step name that ends with a dash", yaml: `spec: {steps: [{name: build-}]}`, says: []string{"steps", "name"}},
	{name: "a step name that starts with a dash", yaml: `spec: {steps: [{name: -build}]}`, says: []string{"steps", "name"}},
	{name: "a step name of 41 characters", yaml: `spec: {steps: [{name: ` + strings.Repeat("b", 41) + `}]}`, says: []string{"steps", "name"}},
	{name: "names that add up to a Job name of 64 characters", yaml: `metadata: {name: ` + strings.Repeat("a", 58) + `}`, says: []string{"name"}},

	{name: "an unknown onFailure", yaml: `spec: {steps: [{onFailure: Ignore}]}`, says: []string{"steps", "onFailure"}},
	{name: "an empty onFailure", yaml: `spec: {steps: [{onFailure: ""}]}`, says: []string{"steps", "onFailure"}},
	{name: "a deadline of 0", yaml: `spec: {activeDeadlineSeconds: 0}`, says: []string{"activeDeadlineSeconds"}},
	{name: "a deadline of 2147483648 seconds", yaml: `spec: {activeDeadlineSeconds: 2147483648}`, says: []string{"activeDeadlineSeconds"}},
	{name: "a deadline of one and a half seconds", yaml: `spec: {activeDeadlineSeconds: 1.5}`, says: []string{"activeDeadlineSeconds"}},
	{name: "a negative time to live", yaml: `spec: {ttlSecondsAfterFinished: -1}`, says: []string{"ttlSecondsAfterFinished"}},
	{name: "a suspend that is a string", yaml: `spec: {suspend: "yes"}`, says: []string{"suspend"}},
	{name: "a startAt that names no step", yaml: `spec: {startAt: deploy}`, says: []string{"startAt"}},
	{name: "an empty startAt", yaml: `spec: {startAt: ""}`, says: []string{"startAt"}},
	{name: "a managedBy without a path", yaml: `spec: {managedBy: me}`, says: []string{"managedBy"}},
	{name: "a managedBy with a space in its domain", yaml: `spec: {managedBy: my team/x}`, says: []string{"managedBy"}},
	{name: "an empty managedBy", yaml: `spec: {managedBy: ""}`, says: []string{"managedBy"}},
	{name: "a managedBy of 64 characters", yaml: `spec: {managedBy: example.com/` + strings.Repeat("m", 52) + `}`, says: []string{"managedBy"}},

	{name: "a step without a template", yaml: `spec: {steps: [{jobTemplate: null}]}`, says: []string{"steps", "jobTemplate"}},
	{name: "a template without containers", yaml: pods(`containers: null`), says: []string{"steps", "containers"}},
	{name: "a template without restartPolicy", yaml: pods(`restartPolicy: null`), says: []string{"steps", "restartPolicy"}},
	{name: "a template whose pods always restart", yaml: pods(`restartPolicy: Always`), says: []string{"steps", "restartPolicy"}},
	{name: "a template with an unknown restartPolicy", yaml: pods(`restartPolicy: never`), says: []string{"steps", "restartPolicy"}},
	{name: "a template with suspend", yaml: `spec: {steps: [{jobTemplate: {spec: {suspend: true}}}]}`, says: []string{"steps", "suspend"}},
	{name: "a template with suspend: false", yaml: `spec: {steps: [{jobTemplate: {spec: {suspend: false}}}]}`, says: []string{"steps", "suspend"}},
	{name: "a template with a selector", yaml: `spec: {steps: [{jobTemplate: {spec: {selector: {matchLabels: {a: b}}}}}]}`, says: []string{"steps", "selector"}},
	{name: "a template with manualSelector", yaml: `spec: {steps: [{jobTemplate: {spec: {manualSelector: true}}}]}`, says: []string{"steps", "manualSelector"}},
	{name: "a template with manualSelector: false", yaml: `spec: {steps: [{jobTemplate: {spec: {manualSelector: false}}}]}`, says: []string{"steps", "manualSelector"}},
	{name: "a template with managedBy", yaml: `spec: {steps: [{jobTemplate: {spec: {managedBy: example.com/me}}}]}`, says: []string{"steps", "managedBy"}},
	{name: "a template with a time to live", yaml: `spec: {steps: [{jobTemplate: {spec: {ttlSecondsAfterFinished: 60}}}]}`, says: []string{"steps", "ttlSecondsAfterFinished"}},
	{name: "a template with a name for its Job", yaml: `spec: {steps: [{jobTemplate: {metadata: {name: mine}}}]}`, says: []string{"steps", "metadata or name"}},
	{name: "a template with a namespace", yaml: `spec: {steps: [{jobTemplate: {metadata: {namespace: mine}}}]}`, says: []string{"steps", "metadata or namespace"}},
	{name: "a template with a finalizer", yaml: `spec: {steps: [{jobTemplate: {metadata: {finalizers: [example.com/mine]}}}]}`, says: []string{"steps", "metadata or finalizers"}},

	{name: "a continueOnFailure, an unknown field", yaml: `spec: {steps: [{continueOnFailure: true}]}`, says: []string{"continueOnFailure"}, validation: metav1.FieldValidationStrict},
	{name: "a misspelled field of a step", yaml: `spec: {steps: [{onFailur: Continue}]}`, says: []string{"onFailur"}, validation: metav1.FieldValidationStrict},
	{name: "a misspelled field of a template", yaml: `spec: {steps: [{jobTemplate: {spec: {backofLimit: 3}}}]}`, says: []string{"backofLimit"}, validation: metav1.FieldValidationStrict},
}

func refusesBadInput(s *crds.Scene) {
	_, refusal := s.TryCreate(s.Object(crds.Full), "")
	accepted(s, refusal, "The valid object, from which the invalid ones are made,", crds.Full)
	var mistakes []mistake
	for _, input := range badInputs {
		_, refusal := s.TryCreate(s.Object(crds.Full, input.yaml), input.validation)
		mistakes = append(mistakes, input.mistakes(nil, nil, refusal)...)
	}
	tell(s, mistakes)
}
