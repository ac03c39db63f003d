package canonical_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/canonical"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/must"
)

const sequence = `
apiVersion: batch.example.com/v1alpha1
kind: SequentialJob
metadata:
  name: web
  namespace: run-1
  uid: 1e9a3c1c-0a5b-4b43-9f3c-2b1a4d5e6f70
  resourceVersion: "12"
  generation: 2
  annotations: {proxy.controller-course.example.com/conflict: "3"}
  managedFields: [{manager: someone}]
spec:
  steps:
  - {name: build}
status:
  observedGeneration: 2
  startTime: "2026-01-01T00:00:00Z"
  suspendedSeconds: 7
  steps:
  - {name: build, state: Running, jobName: web-build, jobUID: 2e9a3c1c-0a5b-4b43-9f3c-2b1a4d5e6f70, startTime: "2026-01-01T00:00:00Z", message: any}
  conditions:
  - {type: Succeeded, status: Unknown, reason: Running, message: any, lastTransitionTime: "2026-01-01T00:00:00Z"}
`

const job = `
apiVersion: batch/v1
kind: Job
metadata:
  name: web-build
  uid: 2e9a3c1c-0a5b-4b43-9f3c-2b1a4d5e6f70
  labels: {job-name: web-build, batch.kubernetes.io/job-name: web-build, example.com/owner: 1e9a3c1c-0a5b-4b43-9f3c-2b1a4d5e6f70, step: build}
  ownerReferences: [{kind: SequentialJob, name: web, uid: 1e9a3c1c-0a5b-4b43-9f3c-2b1a4d5e6f70, controller: true}]
spec:
  selector: {matchLabels: {batch.kubernetes.io/controller-uid: 2e9a3c1c-0a5b-4b43-9f3c-2b1a4d5e6f70}}
  template: {spec: {containers: [{name: build}]}}
status: {}
`

func parse(t *testing.T, text string, replacements ...string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	must.Succeed(t, yaml.Unmarshal([]byte(strings.NewReplacer(replacements...).Replace(text)), &object.Object))
	return object
}

func state(objects ...*unstructured.Unstructured) canonical.State { return canonical.Of(objects) }

func TestOf(t *testing.T) {
	want := `Job web/build
  apiVersion: batch/v1
  kind: Job
  metadata.labels.step: build
  metadata.labels[example.com/owner]: (UID)
  metadata.ownerReferences[web].controller: true
  metadata.ownerReferences[web].kind: SequentialJob
  metadata.ownerReferences[web].name: web
  spec.template.spec.containers[build].name: build
  status: {}
SequentialJob web
  apiVersion: batch.example.com/v1alpha1
  kind: SequentialJob
  metadata.generation: 2
  metadata.name: web
  spec.steps[build].name: build
  status.conditions[Succeeded].reason: Running
  status.conditions[Succeeded].status: Unknown
  status.conditions[Succeeded].type: Succeeded
  status.observedGeneration: 2
  status.startTime: (set)
  status.steps[build].name: build
  status.steps[build].state: Running
`
	assert.Equal(t, "String()", state(parse(t, sequence), parse(t, job)).String(), want)
}

func TestDiff(t *testing.T) {
	const otherUID = "3e9a3c1c-0a5b-4b43-9f3c-2b1a4d5e6f70"
	web := func(replacements ...string) *unstructured.Unstructured { return parse(t, sequence, replacements...) }
	build := func(replacements ...string) *unstructured.Unstructured { return parse(t, job, replacements...) }
	marked := build()
	marked.Object["metadata"].(map[string]any)["deletionTimestamp"] = "2026-01-01T00:00:00Z"

	for name, test := range map[string]struct {
		want, got canonical.State
		lines     []string
	}{
		"the same": {state(web(), build()), state(build(), web()), nil},
		"another run": {
			state(web(), build()),
			state(
				web("run-1", "run-2", "1e9a3c1c", "4e9a3c1c", "web-build", "web-x7k2p", "any", "other", "2026", "2027",
					`"12"`, `"34"`, "7", "0"),
				build("web-build", "web-x7k2p", "1e9a3c1c", "4e9a3c1c", "2e9a3c1c-0a5b-4b43-9f3c-2b1a4d5e6f70", otherUID),
			),
			nil,
		},
		"another state": {
			state(web()), state(web("state: Running", "state: Failed")),
			[]string{`SequentialJob web: status.steps[build].state is "Failed", should be "Running"`},
		},
		"not started": {
			state(web()), state(web(`startTime: "2026-01-01T00:00:00Z"`, "progress: 1/1")),
			[]string{`SequentialJob web: status.progress is "1/1", should not be set`, `SequentialJob web: status.startTime is not set, should be "(set)"`,
				`SequentialJob web: status.steps[build].progress is "1/1", should not be set`},
		},
		"one Job too many": {state(build()), state(build(), build()), []string{"Job web/build: there are 2, should be 1"}},
		"no Job":           {state(web(), build()), state(web()), []string{"Job web/build: there are 0, should be 1"}},
		"being deleted": {
			state(build()), state(marked), []string{`Job web/build: metadata.deletionTimestamp is "(set)", should not be set`},
		},
		"two Jobs of a step, in another order": {state(build(), marked), state(marked, build()), nil},
	} {
		assert.Equal(t, name, canonical.Diff(test.want, test.got), test.lines)
	}
}

func TestCounts(t *testing.T) {
	changes := []history.Change{
		{ResourceVersion: 1, Type: "ADDED", Resource: "jobs", Object: parse(t, job), Initial: true},
		{ResourceVersion: 2, Type: "DELETED", Resource: "jobs", Object: parse(t, job)},
		{ResourceVersion: 3, Type: "ADDED", Resource: "sequentialjobs", Object: parse(t, sequence)},
		{ResourceVersion: 4, Type: "ADDED", Resource: "jobs", Object: parse(t, job, "web-build", "web-x7k2p")},
		{ResourceVersion: 5, Type: "MODIFIED", Resource: "jobs", Object: parse(t, job)},
		{ResourceVersion: 6, Type: "ADDED", Resource: "jobs", Object: parse(t, job)},
		{ResourceVersion: 7, Type: "ADDED", Resource: "jobs", Object: parse(t, job)},
	}
	counts := canonical.CountsOf(changes, 6)
	happened := canonical.Counts{"Job web/build": {Created: 2, Deleted: 1}, "SequentialJob web": {Created: 1}}
	assert.Equal(t, "CountsOf()", counts, happened)
	if lines := canonical.DiffCounts(counts, counts); lines != nil {
		t.Errorf("DiffCounts() of the same = %q, want none", lines)
	}
	others := canonical.Counts{"Job web/build": {Created: 1}, "SequentialJob web": {Created: 1}}
	want := []string{"Job web/build: 2 created and 1 deleted, should be 1 created and 0 deleted"}
	assert.Equal(t, "DiffCounts()", canonical.DiffCounts(others, counts), want)
}
