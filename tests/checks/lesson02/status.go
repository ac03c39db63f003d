package lesson02

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/checks/crds"
)

// whole is a status with everything in it.
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
`

// separatesStatus writes each part through the other's door.
func separatesStatus(s *play) {
	created := s.there(s.Object(crds.Full, whole, `metadata: {name: apart}`))
	s.mustBeEmpty(created)

	both := created.DeepCopy()
	crds.Lay(both, whole)
	crds.Lay(both, `spec: {suspend: true}`)
	written, err := s.UpdateStatus(s.Context(), both)
	if refusal := s.refusal(err); refusal != nil {
		s.Find("A status was written through the subresource status, and refused:\n%s\nThe API server says:\n%s", crds.Quoted(whole), crds.Quoted(refusal.Message))
	}
	if lost := crds.Lost(both.Object["status"], written.Object["status"]); len(lost) > 0 {
		s.Find("A status was written through the subresource status. Of what it said,\n%s", crds.Quoted(strings.Join(lost, "\n")))
	}
	if lost := crds.Lost(created.Object["spec"], written.Object["spec"]); len(lost) > 0 {
		s.Find("A write through the subresource status changed the spec:\n%s", crds.Quoted(strings.Join(lost, "\n")))
	}
	s.mustHaveGeneration(written, created.GetGeneration(), "its status was written, which nobody wants to see as a new wish")

	both = written.DeepCopy()
	crds.Lay(both, `{metadata: {labels: {team: web}}, status: {progress: 2/2}}`)
	labelled := s.updated(both)
	if lost := crds.Lost(written.Object["status"], labelled.Object["status"]); len(lost) > 0 {
		s.Find("A write to the object itself, as users do it, changed the status:\n%s", crds.Quoted(strings.Join(lost, "\n")))
	}
	s.mustHaveGeneration(labelled, created.GetGeneration(), "it got a label, which is no change of what is wanted")

	crds.Lay(labelled, `spec: {suspend: true}`)
	s.mustHaveGeneration(s.updated(labelled), created.GetGeneration()+1, "spec.suspend was changed once")
}

// updated updates an object, or ends the check because that was refused.
func (s *play) updated(object *unstructured.Unstructured) *unstructured.Unstructured {
	updated, err := s.Update(s.Context(), object)
	if refusal := s.refusal(err); refusal != nil {
		s.Find("A label was added to an object, and then spec.suspend was set. One of these was refused. The API server says:\n%s", crds.Quoted(refusal.Message))
	}
	return updated
}

// mustBeEmpty ends the check if an object that was created with a status has it.
func (s *play) mustBeEmpty(created *unstructured.Unstructured) {
	if status, found, _ := unstructured.NestedMap(created.Object, "status"); found && len(status) > 0 {
		s.Find("An object was created together with a status, as somebody does who copies one:\n%s\n"+
			"The API server took the status. Nobody but the controller has to write it, and the controller does so through the "+
			"subresource status, which is not there.", crds.Quoted("status: {progress: 1/2, ...}"))
	}
}

func (s *play) mustHaveGeneration(object *unstructured.Unstructured, want int64, because string) {
	if got := object.GetGeneration(); got != want {
		s.Find("metadata.generation has to be %d and is %d: %s.", want, got, because)
	}
}
