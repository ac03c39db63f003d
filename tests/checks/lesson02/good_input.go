package lesson02

import (
	"fmt"
	"strings"

	"example.com/controller-course/tests/checks/crds"
)

var longName = strings.Repeat("b", 40)

// goodInputs are each laid over a valid object with the steps build and test.
var goodInputs = []input{
	{name: "an object that sets only required fields", yaml: `{}`},
	{name: "an object that sets all fields", yaml: crds.Full},
	{name: "an object that is created suspended", yaml: `spec: {suspend: true}`},
	{name: "an object that is deleted as soon as it has finished", yaml: `spec: {ttlSecondsAfterFinished: 0}`},
	{name: "the shortest deadline", yaml: `spec: {activeDeadlineSeconds: 1}`},
	{name: "the longest deadline", yaml: `spec: {activeDeadlineSeconds: 2147483647}`},
	{name: "a time to live of 2147483647 seconds", yaml: `spec: {ttlSecondsAfterFinished: 2147483647}`},
	{name: "an object for another controller", yaml: `spec: {managedBy: jobs.my-team.example.com/Nightly_runs.v2/main}`},
	{name: "a managedBy with a domain and a path of one character", yaml: `spec: {managedBy: e/c}`},
	{name: "a managedBy of 63 characters, most of them in its path", yaml: `spec: {managedBy: example.com/` + strings.Repeat("m", 51) + `}`},
	{name: "a managedBy of 63 characters, most of them in its domain", yaml: `spec: {managedBy: ` + strings.Repeat("d", 57) + `.com/c}`},
	{name: "a startAt that names the second step", yaml: `spec: {startAt: test}`},
	{name: "a startAt of one character", yaml: `spec: {startAt: b, steps: [{name: b}]}`},
	{name: "a startAt of 40 characters", yaml: `spec: {startAt: ` + longName + `, steps: [{name: ` + longName + `}]}`},
	{name: "a step that may fail", yaml: `spec: {steps: [{onFailure: Continue}]}`},
	{name: "a step name of one digit", yaml: `spec: {steps: [{name: "1"}]}`},
	{name: "a step name of 40 characters", yaml: `spec: {steps: [{name: ` + longName + `}]}`},
	{name: "names that add up to a Job name of 63 characters", yaml: `metadata: {name: ` + strings.Repeat("a", 57) + `}`},
	{name: "50 steps", yaml: stepsNamed(50), shown: "spec: {steps: [ ...50 of them, s1 to s50... ]}"},
	{name: "any labels and annotations for a step's Job and its pods", yaml: `
spec:
  steps:
  - jobTemplate:
      metadata:
        labels: {team: web, batch.example.com/step: something else}
        annotations: {example.com/note: kept, batch.example.com/suspend: "true"}
      spec: {template: {metadata: {labels: {team: web}, annotations: {example.com/scrape: "true"}}}}`},
	{name: "a Job with limits for its retries and its duration", yaml: `
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

// template is what a step needs besides its name.
const template = `jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "app:v1"}]}}}}`

// stepsNamed is YAML with n valid steps: s1, s2 and so on.
func stepsNamed(n int) string {
	steps := "spec:\n  startAt: null\n  steps:\n"
	for i := range n {
		steps += fmt.Sprintf("  - {name: s%d, %s}\n", i+1, template)
	}
	return steps
}

// step, job and pods are YAML that changes the first step, its Job's spec, and that of its pods.
func step(fields string) string { return `spec: {steps: [{` + fields + `}]}` }
func job(spec string) string    { return step(`jobTemplate: {spec: {` + spec + `}}`) }
func pods(spec string) string   { return job(`template: {spec: {` + spec + `}}`) }

// takesGoodInput creates valid objects as kubectl does. The API server may add fields, such as defaults.
func takesGoodInput(s *crds.Scene) {
	var mistakes []mistake
	for _, input := range goodInputs {
		asked := s.Object(crds.Minimal, input.yaml)
		created, refusal := s.TryCreate(asked, true)
		mistakes = append(mistakes, input.mistakes(asked, created, refusal)...)
	}
	tell(s, mistakes)
	for _, text := range texts {
		tell(s, firstMistake(text.valid(), func(input input) []mistake {
			asked := s.Object(crds.Minimal, input.yaml)
			created, refusal := s.TryCreate(asked, true)
			return input.mistakes(asked, created, refusal)
		}))
	}
	takesGenerated(s)
}
