package lesson02

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/checks/crds"
)

// half is the status of a run that has finished one of two steps.
const half = `
status:
  observedGeneration: 1
  startTime: "2030-01-01T00:00:00Z"
  currentStep: test
  progress: 1/2
  steps:
  - {name: build, state: Succeeded, jobName: web-build}
  - {name: test, state: Running, jobName: web-test}
  conditions:
  - {type: Accepted, status: "True", reason: Accepted, message: "", lastTransitionTime: "2030-01-01T00:00:00Z"}
  - {type: Succeeded, status: Unknown, reason: Running, message: Step test runs., lastTransitionTime: "2030-01-01T00:00:00Z"}
`

// In the object that is changed, all fields are set; in the one for additions, only required ones.
var (
	badChanges = []input{
		{name: "another image for a step", yaml: pods(`containers: [{image: "app:v2"}]`), says: "steps"},
		{name: "more labels for a step's Job", yaml: `spec: {steps: [{jobTemplate: {metadata: {labels: {team: web}}}}]}`, says: "steps"},
		{name: "an annotation for a step's Job", yaml: `spec: {steps: [{jobTemplate: {metadata: {annotations: {team: web}}}}]}`, says: "steps"},
		{name: "an annotation for a step's pods", yaml: `spec: {steps: [{jobTemplate: {spec: {template: {metadata: {annotations: {team: web}}}}}}]}`, says: "steps"},
		{name: "another onFailure for a step", yaml: `spec: {steps: [{onFailure: Continue}]}`, says: "steps"},
		{name: "another name for a step", yaml: `spec: {steps: [{name: compile}]}`, says: "steps"},
		{name: "another order of the steps", yaml: `spec: {steps: [{name: test}, {name: build}]}`, says: "steps"},
		{name: "an additional step", yaml: `spec: {steps: [{}, {}, {name: deploy, ` + template + `}]}`, says: "steps"},
		{name: "one step fewer", yaml: `spec: {steps: [null]}`, says: "steps"},
		{name: "another image, together with another status", yaml: pods(`containers: [{image: "app:v2"}]`) + "\nstatus: {progress: 2/2}", says: "steps"},
		{name: "another startAt", yaml: `spec: {startAt: build}`, says: "startAt"},
		{name: "removing startAt", yaml: `spec: {startAt: null}`, says: "startAt"},
		{name: "another managedBy", yaml: `spec: {managedBy: example.com/other}`, says: "managedBy"},
		{name: "removing managedBy", yaml: `spec: {managedBy: null}`, says: "managedBy"},
	}
	goodChanges = []input{
		{name: "suspending it", yaml: `spec: {suspend: true}`},
		{name: "a longer deadline", yaml: `spec: {activeDeadlineSeconds: 2147483647}`},
		{name: "a shorter deadline", yaml: `spec: {activeDeadlineSeconds: 1}`},
		{name: "removing the deadline", yaml: `spec: {activeDeadlineSeconds: null}`},
		{name: "a longer time to live", yaml: `spec: {ttlSecondsAfterFinished: 2147483647}`},
		{name: "a shorter time to live", yaml: `spec: {ttlSecondsAfterFinished: 0}`},
		{name: "removing the time to live", yaml: `spec: {ttlSecondsAfterFinished: null}`},
		{name: "a label", yaml: `metadata: {labels: {team: web}}`},
	}
	resumptions = []input{
		{name: "resuming it", yaml: `spec: {suspend: false}`},
		{name: "removing suspend", yaml: `spec: {suspend: null}`},
		{name: "a longer deadline", yaml: `spec: {activeDeadlineSeconds: 7200}`},
	}
	additions = []input{
		{name: "adding a startAt", yaml: `spec: {startAt: test}`, says: "startAt"},
		{name: "adding a startAt that names the first step", yaml: `spec: {startAt: build}`, says: "startAt"},
		{name: "adding a managedBy", yaml: `spec: {managedBy: example.com/other}`, says: "managedBy"},
		{name: "adding a deadline", yaml: `spec: {activeDeadlineSeconds: 60}`},
		{name: "adding a time to live", yaml: `spec: {ttlSecondsAfterFinished: 60}`},
		{name: "suspending it", yaml: `spec: {suspend: true}`},
	}
)

func guardsChanges(s *crds.Scene) {
	if s.World.Seed != 0 {
		guardsGenerated(s)
		return
	}
	running := withStatus(s, there(s, "running", crds.Full), half)
	waiting := there(s, "waiting", crds.Full)
	suspended := withStatus(s, there(s, "suspended", crds.Full, `spec: {suspend: true}`), half)
	tell(s, slices.Concat(
		change(s, running, "while it runs", badChanges),
		change(s, running, "while it runs", goodChanges),
		change(s, suspended, "while it is suspended", resumptions),
	))
	tell(s, change(s, suspended, "while it is suspended", badChanges))
	tell(s, change(s, withStatus(s, there(s, "over", crds.Full), whole), "after it has ended", badChanges))
	tell(s, change(s, there(s, "from-the-first", crds.Full, `spec: {startAt: build}`), "before it runs", []input{
		{name: "removing a startAt that names the first step", yaml: `spec: {startAt: null}`, says: "startAt"},
	}))
	// Most often the same mistakes, so not in the same list.
	tell(s, slices.Concat(change(s, waiting, "before it runs", badChanges), change(s, waiting, "before it runs", goodChanges)))
	// Types that require every field get no further than this object, so it comes last.
	tell(s, change(s, there(s, "bare", crds.Minimal), "before it runs", additions))
	changesControls(s)
	appliesOne(s)
}

// appliesOne has two programs apply fields of the spec server-side: one all of them, and one suspend alone.
func appliesOne(s *crds.Scene) {
	const name, suspend = "applied", `spec: {suspend: true}`
	const named = `metadata: {name: ` + name + `}`
	refusal := s.Apply(s.Object(crds.Full, named, `spec: {suspend: null}`), "pipeline")
	accepted(s, refusal, "A valid object, applied server-side,", crds.Full)
	if refusal = s.Apply(s.Object(named, suspend), "scheduler"); refusal != nil {
		s.Find("A program named pipeline applied an object server-side, without suspend. Then a program named scheduler applied suspend alone:\n%s\n"+
			"The API server says:\n%s", crds.Quoted(suspend), crds.Quoted(refusal.Message))
	}
	kept(s, s.Object(crds.Full, named, suspend).Object["spec"], s.Get(name).Object["spec"], "A program named pipeline applied an object "+
		"server-side, and one named scheduler applied suspend alone. The object does not contain both")
}

// change tries changes of an object, and returns what the API does wrong.
func change(s *crds.Scene, object *unstructured.Unstructured, when string, changes []input) (mistakes []mistake) {
	for _, input := range changes {
		input.name += ", " + when
		asked := object.DeepCopy()
		crds.Lay(asked, input.yaml)
		changed, refusal := s.Update(asked, metav1.DryRunAll)
		mistakes = append(mistakes, input.mistakes(asked, changed, refusal)...)
	}
	return mistakes
}
