package e2e_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// release is a good manifest, in which a mistake can be put at each of its fields.
const release = `
apiVersion: batch.example.com/v1alpha1
kind: SequentialJob
metadata: {name: release}
spec:
  suspend: false
  startAt: test
  steps:
  - name: build
    onFailure: Fail
    jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: step, image: "step:dev"}]}}}}
  - name: test
    onFailure: Fail
    jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: step, image: "step:dev"}]}}}}
`

// older is the same manifest from before those fields existed, with a field that no longer exists.
var older = strings.NewReplacer("  suspend: false\n", "", "startAt: test", "priority: high", "    onFailure: Fail\n", "").Replace(release)

// failedRule is the start of the API server's message for a rule without a message.
const failedRule = "failed rule: "

// patchStatus are the arguments, all but the patch itself.
var patchStatus = slices.Clip([]string{"patch", "sequentialjob", "release", "--subresource=status", "--type=merge", "--patch"})

// halfDone is the status of a run that is at its second step, and halfDoneShown what kubectl get shows of it.
const halfDone = `{"status": {"observedGeneration": 1, "currentStep": "test", "progress": "1/2",
	"steps": [{"name": "build", "state": "Succeeded"}, {"name": "test", "state": "Running"}],
	"conditions": [
		{"type": "Accepted", "status": "True", "reason": "Accepted", "message": "", "lastTransitionTime": "2030-01-01T00:00:00Z"},
		{"type": "Succeeded", "status": "Unknown", "reason": "Running", "message": "", "lastTransitionTime": "2030-01-01T00:00:00Z"}]}}`

var halfDoneShown = regexp.MustCompile(`^NAME +SUCCEEDED +REASON +STEP +PROGRESS +AGE *\nrelease +Unknown +Running +test +1/2 +(\d+[smhd])+ *\n$`)

func aStep(name, state string) string {
	return fmt.Sprintf(`steps: [{name: %s, state: %s}]`, name, state)
}

func aCondition(kind, status string) string {
	return fmt.Sprintf(`conditions: [{type: %s, status: "%s", reason: Tested, message: "", lastTransitionTime: "2030-01-01T00:00:00Z"}]`, kind, status)
}
