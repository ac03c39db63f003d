package lesson02

import (
	"strings"

	"example.com/controller-course/tests/checks/crds"
)

// badInputs are each laid over a valid object with the steps build and test, which sets all fields.
var badInputs = []input{
	{name: "no spec", yaml: `spec: null`, says: "spec"},
	{name: "no steps", yaml: `spec: {steps: null}`, says: "steps"},
	{name: "an empty list of steps", yaml: `spec: {steps: []}`, says: "steps"},
	{name: "an empty list of steps, without startAt, which has a rule of its own", yaml: `spec: {steps: [], startAt: null}`, says: "steps"},
	{name: "a list of 51 steps", yaml: stepsNamed(51), shown: "spec: {steps: [ ...51 of them, s1 to s51... ]}", says: "steps"},
	{name: "two steps with the same name", yaml: step(`name: test`), says: "steps"},

	{name: "a step without a name", yaml: step(`name: null`), says: "steps, name"},
	{name: "a step with an empty name", yaml: step(`name: ""`), says: "steps, name"},
	{name: "a step name with a capital letter", yaml: step(`name: Build`), says: "steps, name"},
	{name: "a step name with a dot", yaml: step(`name: build.1`), says: "steps, name"},
	{name: "a step name that ends with a dash", yaml: step(`name: build-`), says: "steps, name"},
	{name: "a step name that starts with a dash", yaml: step(`name: -build`), says: "steps, name"},
	{name: "a step name of 41 characters", yaml: step(`name: ` + strings.Repeat("b", 41)), says: "steps, name"},
	{name: "names that add up to a Job name of 64 characters", yaml: `metadata: {name: ` + strings.Repeat("a", 58) + `}`, says: "name"},

	{name: "names that are too long together, with a name that the API server generates", yaml: `metadata: {name: null, generateName: ` + strings.Repeat("a", 58) + `}`, says: "name"},

	{name: "an unknown onFailure", yaml: step(`onFailure: Ignore`), says: "steps, onFailure"},
	{name: "an empty onFailure", yaml: step(`onFailure: ""`), says: "steps, onFailure"},
	{name: "a deadline of 0", yaml: `spec: {activeDeadlineSeconds: 0}`, says: "activeDeadlineSeconds"},
	{name: "a deadline of 2147483648 seconds", yaml: `spec: {activeDeadlineSeconds: 2147483648}`, says: "activeDeadlineSeconds"},
	{name: "a deadline of one and a half seconds", yaml: `spec: {activeDeadlineSeconds: 1.5}`, says: "activeDeadlineSeconds"},
	{name: "a negative time to live", yaml: `spec: {ttlSecondsAfterFinished: -1}`, says: "ttlSecondsAfterFinished"},
	{name: "a suspend that is a string", yaml: `spec: {suspend: "yes"}`, says: "suspend"},
	{name: "a startAt that names no step", yaml: `spec: {startAt: deploy}`, says: "startAt"},
	{name: "an empty startAt", yaml: `spec: {startAt: ""}`, says: "startAt"},
	{name: "a managedBy without a path", yaml: `spec: {managedBy: me}`, says: "managedBy"},
	{name: "a managedBy with a space in its domain", yaml: `spec: {managedBy: my team/x}`, says: "managedBy"},
	{name: "an empty managedBy", yaml: `spec: {managedBy: ""}`, says: "managedBy"},
	{name: "a managedBy of 64 characters", yaml: `spec: {managedBy: example.com/` + strings.Repeat("m", 52) + `}`, says: "managedBy"},

	{name: "a step without a template", yaml: step(`jobTemplate: null`), says: "steps, jobTemplate"},
	{name: "a template without a pod", yaml: job(`template: {metadata: {labels: {team: web}}, spec: null}`), says: "steps", crude: true},
	{name: "a template without containers", yaml: pods(`containers: null`), says: "steps, containers"},
	{name: "a template without restartPolicy", yaml: pods(`restartPolicy: null`), says: "steps, restartPolicy"},
	{name: "a template whose pods always restart", yaml: pods(`restartPolicy: Always`), says: "steps, restartPolicy"},
	{name: "a template with an unknown restartPolicy", yaml: pods(`restartPolicy: never`), says: "steps, restartPolicy"},
	{name: "a template with suspend", yaml: job(`suspend: true`), says: "steps, suspend"},
	{name: "a template with suspend: false", yaml: job(`suspend: false`), says: "steps, suspend"},
	{name: "a template with a selector", yaml: job(`selector: {matchLabels: {a: b}}`), says: "steps, selector"},
	{name: "a template with manualSelector", yaml: job(`manualSelector: true`), says: "steps, manualSelector"},
	{name: "a template with manualSelector: false", yaml: job(`manualSelector: false`), says: "steps, manualSelector"},
	{name: "a template with managedBy", yaml: job(`managedBy: example.com/me`), says: "steps, managedBy"},
	{name: "a template with the Job controller's own managedBy", yaml: job(`managedBy: kubernetes.io/job-controller`), says: "steps, managedBy"},
	{name: "a template with an empty selector", yaml: job(`selector: {}`), says: "steps, selector"},
	{name: "a template with a selector of expressions", yaml: job(`selector: {matchExpressions: [{key: a, operator: Exists}]}`), says: "steps, selector"},
	{name: "a template with a time to live", yaml: job(`ttlSecondsAfterFinished: 60`), says: "steps, ttlSecondsAfterFinished"},
	{name: "a template with a name for its Job", yaml: step(`jobTemplate: {metadata: {name: mine}}`), says: "steps, metadata or name"},
	{name: "a template with a namespace", yaml: step(`jobTemplate: {metadata: {namespace: mine}}`), says: "steps, metadata or namespace"},
	{name: "a template with a finalizer", yaml: step(`jobTemplate: {metadata: {finalizers: [example.com/mine]}}`), says: "steps, metadata or finalizers"},

	{name: "a continueOnFailure, an unknown field", yaml: step(`continueOnFailure: true`), says: "continueOnFailure", strict: true},
	{name: "a misspelled field of a step", yaml: step(`onFailur: Continue`), says: "onFailur", strict: true},
	{name: "a label in the place of a template's metadata", yaml: step(`jobTemplate: {labels: {team: web}}`), says: "labels", strict: true},
	{name: "a misspelled field of a template", yaml: job(`backofLimit: 3`), says: "backofLimit", strict: true},
}

func refusesBadInput(s *crds.Scene) {
	_, refusal := s.TryCreate(s.Object(crds.Full), false)
	accepted(s, refusal, "The valid object, from which the invalid ones are made,", crds.Full)
	var mistakes []mistake
	for _, input := range badInputs {
		_, refusal := s.TryCreate(s.Object(crds.Full, input.yaml), input.strict)
		mistakes = append(mistakes, input.mistakes(nil, nil, refusal)...)
	}
	tell(s, mistakes)
	for _, text := range texts {
		tell(s, firstMistake(text.invalid(), func(input input) []mistake {
			_, refusal := s.TryCreate(s.Object(crds.Full, input.yaml), input.strict)
			return input.mistakes(nil, nil, refusal)
		}))
	}
	refusesGenerated(s)
}
