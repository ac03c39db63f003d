package lesson02

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/checks/crds"
)

// whole is a status that sets all fields.
const whole = `
status:
  observedGeneration: 1
  startTime: "2030-01-01T00:00:00Z"
  completionTime: "2030-01-01T01:00:00Z"
  suspendedSeconds: 5
  currentStep: test
  progress: 1/2
  steps:
  - name: build
    state: Failed
    jobName: web-build
    jobUID: 9e0b1f4e-5c1c-4d4e-9a53-0d2f0b8d9a11
    startTime: "2030-01-01T00:00:00Z"
    completionTime: "2030-01-01T00:30:00Z"
    reason: BackoffLimitExceeded
    message: Job has reached the specified backoff limit
  - {name: test, state: Succeeded}
  - {name: third, state: Running}
  - {name: fourth, state: Pending}
  - {name: fifth, state: Skipped}
  conditions:
  - {type: Accepted, status: "True", reason: Accepted, message: "", observedGeneration: 1, lastTransitionTime: "2030-01-01T00:00:00Z"}
  - {type: Succeeded, status: Unknown, reason: Running, message: Step test runs., observedGeneration: 1, lastTransitionTime: "2030-01-01T00:00:00Z"}
  - {type: Suspended, status: "False", reason: NotSuspended, message: "", observedGeneration: 1, lastTransitionTime: "2030-01-01T00:00:00Z"}
  - {type: example.com/Paid, status: "True", reason: Paid, message: "", lastTransitionTime: "2030-01-01T00:00:00Z"}
  - {type: example.com/Audited, status: "True", reason: Audited, message: "", lastTransitionTime: "2030-01-01T00:00:00Z"}
  - {type: kueue.x-k8s.io/Admitted, status: "True", reason: Admitted, message: "", lastTransitionTime: "2030-01-01T00:00:00Z"}
`

// reports are what a controller may write about a run, one after the other. It may see a step for the first time when that has
// ended, and the API server may have refused a step's Job.
var reports = []string{
	`status: {steps: [{name: build, state: Pending}, {name: test, state: Pending}, {name: lint, state: Pending}, {name: ship, state: Pending}, {name: tell, state: Pending}]}`,
	`status: {steps: [{state: Running, jobName: web-build}]}`,
	`status: {steps: [{jobUID: 9e0b1f4e-5c1c-4d4e-9a53-0d2f0b8d9a11}]}`,
	`status: {steps: [{state: Succeeded}, {state: Succeeded, jobName: web-test}, {state: Running}]}`,
	`status: {steps: [{}, {}, {state: Failed, reason: BackoffLimitExceeded}, {state: Failed, reason: Invalid}, {state: Skipped}]}`,
}

// separatesStatus writes the status through the object, and the spec through the subresource.
func separatesStatus(s *crds.Scene) {
	created := there(s, "apart", crds.Full, whole)
	if status, found, _ := unstructured.NestedMap(created.Object, "status"); found && len(status) > 0 {
		s.Find("An object was created together with a status, as if copied from another one:\n%s\n"+
			"The API server accepted the status. Only the controller should write it, through the status subresource, which is missing.",
			crds.Quoted("status: {progress: 1/2, ...}"))
	}

	both := created.DeepCopy()
	crds.Lay(both, whole)
	crds.Lay(both, `spec: {suspend: true}`)
	written, refusal := s.UpdateStatus(both)
	accepted(s, refusal, "A valid status", whole)
	kept(s, both.Object["status"], written.Object["status"], "A status was written through the status subresource, but not all of it was stored")
	kept(s, created.Object["spec"], written.Object["spec"], "A write through the status subresource changed the spec")
	mustHaveGeneration(s, written, created.GetGeneration(), "Only the status was written, which does not change the desired state")

	both = written.DeepCopy()
	const labelled = `{metadata: {labels: {team: web}}, status: {progress: 2/2}}`
	crds.Lay(both, labelled)
	updated, refusal := s.Update(both)
	accepted(s, refusal, "A label", labelled)
	kept(s, written.Object["status"], updated.Object["status"], "A write to the object itself, as a user makes it, changed the status")
	mustHaveGeneration(s, updated, created.GetGeneration(), "Only a label was added, which does not change the desired state")

	const suspend = `spec: {suspend: true}`
	crds.Lay(updated, suspend)
	updated, refusal = s.Update(updated)
	accepted(s, refusal, "A change of spec.suspend", suspend)
	mustHaveGeneration(s, updated, created.GetGeneration()+1, "spec.suspend was changed once")

	object := there(s, "reported", crds.Full)
	for n, report := range reports {
		reported, refusal := s.GiveStatus(object, report)
		accepted(s, refusal, fmt.Sprintf("Valid status number %d of a run (each changes the one before)", n+1), strings.Join(reports[:n+1], "\n"))
		object = reported
	}
}

func mustHaveGeneration(s *crds.Scene, object *unstructured.Unstructured, want int64, because string) {
	if got := object.GetGeneration(); got != want {
		s.Find("%s. So metadata.generation should be %d, but it is %d.", because, want, got)
	}
}
