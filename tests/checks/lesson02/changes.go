package lesson02

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/checks/crds"
)

// half is the status of a run that is half way through.
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

// A change is laid over an object that is there.
type change struct {
	name, yaml string
	says       []string // what a refusal has to name
}

// In the object that is changed all is set; in the one of the second list, only what must be.
var (
	badChanges = []change{
		{"another image for a step", `spec: {steps: [{jobTemplate: {spec: {template: {spec: {containers: [{image: "app:v2"}]}}}}}]}`, []string{"steps"}},
		{"more labels for a step's Job", `spec: {steps: [{jobTemplate: {metadata: {labels: {team: web}}}}]}`, []string{"steps"}},
		{"another onFailure for a step", `spec: {steps: [{onFailure: Continue}]}`, []string{"steps"}},
		{"another name for a step", `spec: {steps: [{name: compile}]}`, []string{"steps"}},
		{"another order of the steps", `spec: {steps: [{name: test}, {name: build}]}`, []string{"steps"}},
		{"one more step", `spec: {steps: [{}, {}, {name: deploy, jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "app:v1"}]}}}}}]}`, []string{"steps"}},
		{"one step less", `spec: {steps: [null]}`, []string{"steps"}},
		{"another image, together with another status", `{spec: {steps: [{jobTemplate: {spec: {template: {spec: {containers: [{image: "app:v2"}]}}}}}]}, status: {progress: 2/2}}`, []string{"steps"}},
		{"another startAt", `spec: {startAt: build}`, []string{"startAt"}},
		{"no startAt any more", `spec: {startAt: null}`, []string{"startAt"}},
		{"another managedBy", `spec: {managedBy: example.com/other}`, []string{"managedBy"}},
		{"no managedBy any more", `spec: {managedBy: null}`, []string{"managedBy"}},
	}
	badAdditions = []change{
		{"a startAt where none was", `spec: {startAt: test}`, []string{"startAt"}},
		{"a managedBy where none was", `spec: {managedBy: example.com/other}`, []string{"managedBy"}},
	}
	goodChanges = []change{
		{name: "suspending it", yaml: `spec: {suspend: true}`},
		{name: "another deadline", yaml: `spec: {activeDeadlineSeconds: 7200}`},
		{name: "no deadline any more", yaml: `spec: {activeDeadlineSeconds: null}`},
		{name: "another time to live", yaml: `spec: {ttlSecondsAfterFinished: 0}`},
		{name: "no time to live any more", yaml: `spec: {ttlSecondsAfterFinished: null}`},
		{name: "a label of its own", yaml: `metadata: {labels: {team: web}}`},
	}
	goodAdditions = []change{
		{name: "a deadline where none was", yaml: `spec: {activeDeadlineSeconds: 60}`},
		{name: "a time to live where none was", yaml: `spec: {ttlSecondsAfterFinished: 60}`},
	}
)

func guardsChanges(s *play) {
	running := s.withStatus(s.there(s.Object(crds.Full, `metadata: {name: running}`)), half)
	s.tell(append(s.mustRefuse(running, "while it runs", badChanges), s.mustTake(running, "while it runs", goodChanges)...))

	waiting := s.there(s.Object(crds.Full, `metadata: {name: waiting}`))
	s.tell(s.mustRefuse(waiting, "before it runs", badChanges))
	bare := s.there(s.Object(crds.Minimal, `metadata: {name: bare}`))
	s.tell(append(s.mustRefuse(bare, "before it runs", badAdditions), s.mustTake(bare, "before it runs", goodAdditions)...))
}

func (s *play) mustRefuse(object *unstructured.Unstructured, when string, changes []change) (mistakes []mistake) {
	for _, change := range changes {
		_, refusal := s.change(object, change)
		if came, what := judgeRefusal(refusal, change.says); came != "" {
			mistakes = append(mistakes, mistake{change.name, came, fmt.Sprintf("An object was changed %s: %s.\n%s\n%s", when, change.name, crds.Quoted(change.yaml), what)})
		}
	}
	return mistakes
}

func (s *play) mustTake(object *unstructured.Unstructured, when string, changes []change) (mistakes []mistake) {
	for _, change := range changes {
		changed, refusal := s.change(object, change)
		if refusal != nil {
			mistakes = append(mistakes, mistake{change.name, "refused", fmt.Sprintf("An object was changed %s: %s.\n%s\nThat has to be possible, but the API server says:\n%s",
				when, change.name, crds.Quoted(change.yaml), crds.Quoted(refusal.Message))})
			continue
		}
		asked := object.DeepCopy()
		crds.Lay(asked, change.yaml)
		if lost := crds.Lost(asked.Object["spec"], changed.Object["spec"]); len(lost) > 0 {
			mistakes = append(mistakes, mistake{change.name, "not done", fmt.Sprintf("An object was changed %s: %s.\n%s\nThe API server took that, but of what was written,\n%s",
				when, change.name, crds.Quoted(change.yaml), crds.Quoted(strings.Join(lost, "\n")))})
		}
	}
	return mistakes
}

// change has the API server say what would come of a change.
func (s *play) change(object *unstructured.Unstructured, change change) (*unstructured.Unstructured, *crds.Refusal) {
	object = object.DeepCopy()
	crds.Lay(object, change.yaml)
	changed, err := s.TryUpdate(s.Context(), object)
	return changed, s.refusal(err)
}
