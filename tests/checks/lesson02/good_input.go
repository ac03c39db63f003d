package lesson02

import (
	"fmt"
	"strings"

	"example.com/controller-course/tests/checks/crds"
)

// goodInputs are each laid over a good object with the steps build and test.
var goodInputs = []struct {
	name, yaml string
	shown      string // where the YAML is too long to be shown
}{
	{name: "an object that sets only what it must", yaml: `{}`},
	{name: "an object that sets all there is", yaml: crds.Full},
	{name: "an object that is suspended from the beginning", yaml: `spec: {suspend: true}`},
	{name: "an object that is to go at once when it has finished", yaml: `spec: {ttlSecondsAfterFinished: 0}`},
	{name: "the shortest deadline", yaml: `spec: {activeDeadlineSeconds: 1}`},
	{name: "the longest deadline", yaml: `spec: {activeDeadlineSeconds: 2147483647}`},
	{name: "an object for another controller", yaml: `spec: {managedBy: jobs.my-team.example.com/Nightly_runs.v2/main}`},
	{name: "a start at the second step", yaml: `spec: {startAt: test}`},
	{name: "a step that may fail", yaml: `spec: {steps: [{onFailure: Continue}]}`},
	{name: "a step name of one digit", yaml: `spec: {steps: [{name: "1"}]}`},
	{name: "a step name of 40 characters", yaml: `spec: {steps: [{name: ` + strings.Repeat("b", 40) + `}]}`},
	{name: "names that make a Job name of 63 characters", yaml: `metadata: {name: ` + strings.Repeat("a", 57) + `}`},
	{name: "50 steps", yaml: stepsNamed(50), shown: "spec: {steps: [ ...50 of them, s1 to s50... ]}"},
	{name: "labels and annotations for a step's Job and its pods, whatever they say", yaml: `
spec:
  steps:
  - jobTemplate:
      metadata:
        labels: {team: web, batch.example.com/step: something else}
        annotations: {example.com/note: kept, batch.example.com/suspend: "true"}
      spec: {template: {metadata: {labels: {team: web}, annotations: {example.com/scrape: "true"}}}}`},
	{name: "a Job that says how often and how long it tries", yaml: `
spec:
  steps:
  - jobTemplate:
      spec:
        backoffLimit: 0
        activeDeadlineSeconds: 600
        parallelism: 3
        completions: 3
        completionMode: Indexed
        podReplacementPolicy: Failed
        podFailurePolicy:
          rules: [{action: FailJob, onExitCodes: {operator: In, values: [42]}}]`},
	{name: "a pod that needs more than an image", yaml: `
spec:
  steps:
  - jobTemplate:
      spec:
        template:
          spec:
            restartPolicy: OnFailure
            serviceAccountName: migrator
            securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
            tolerations: [{key: example.com/batch, operator: Exists, effect: NoSchedule}]
            initContainers: [{name: wait, image: "wait:v1"}]
            containers:
            - name: main
              command: [migrate, --all]
              env: [{name: PASSWORD, valueFrom: {secretKeyRef: {name: database, key: password}}}]
              ports: [{name: http, containerPort: 8080}]
              startupProbe: {httpGet: {port: http, path: /ready}}
              resources: {requests: {cpu: 100m, memory: 1Gi}, limits: {cpu: 2}}
              volumeMounts: [{name: scratch, mountPath: /scratch}]
            volumes: [{name: scratch, emptyDir: {sizeLimit: 1Gi}}]`},
}

// stepsNamed is YAML of n good steps, s1 and so on.
func stepsNamed(n int) string {
	var steps strings.Builder
	steps.WriteString("spec:\n  startAt: null\n  steps:\n")
	for i := range n {
		fmt.Fprintf(&steps, "  - {name: s%d, jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: \"app:v1\"}]}}}}}\n", i+1)
	}
	return steps.String()
}

// takesGoodInput creates good objects as kubectl does. The answer may have more in it than was asked for,
// defaults for instance, but not less.
func takesGoodInput(s *play) {
	var mistakes []mistake
	for _, input := range goodInputs {
		object, written := s.Object(crds.Minimal, input.yaml), layer(input.yaml, input.shown)
		created, refusal := s.try(object, strict)
		if refusal != nil {
			mistakes = append(mistakes, mistake{input.name, "refused", fmt.Sprintf("%s was refused:\n%s\nThe API server says:\n%s",
				sentence(input.name), written, crds.Quoted(refusal.Message))})
		} else if lost := crds.Lost(object.Object, created.Object); len(lost) > 0 {
			mistakes = append(mistakes, mistake{input.name, "changed", fmt.Sprintf("%s was taken, but not as it is:\n%s\nOf what was written,\n%s",
				sentence(input.name), written, crds.Quoted(strings.Join(lost, "\n")))})
		}
	}
	s.tell(mistakes)
}
