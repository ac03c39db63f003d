package generated

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/sample"
)

// The words that an object may have after its steps.
const (
	suspended = "suspended"
	managedBy = "managedBy=another"
	startAt   = "startAt="
	onward    = "continue=" // after a failure of that step

	ownWorkspace  = "workspace"        // of the SequentialJob's own
	usesWorkspace = "workspace=shared" // one that users create
)

// objectOf reads a SequentialJob: "web fetch,build suspended startAt=build continue=build".
func objectOf(words []string) (*v1alpha1.SequentialJob, error) {
	if len(words) < 2 {
		return nil, fmt.Errorf("it needs a name and steps")
	}
	names := strings.Split(words[1], ",")
	object := sample.SequentialJob(words[0], sample.Steps(names...)...)
	for _, word := range words[2:] {
		step := word[strings.Index(word, "=")+1:]
		at := slices.Index(names, step)
		switch {
		case word == suspended:
			object.Spec.Suspend = new(true)
		case word == ownWorkspace:
			object.Spec.Workspace = &v1alpha1.WorkspaceSource{Capacity: new(resource.MustParse(scene.Capacity))}
		case word == usesWorkspace:
			object.Spec.Workspace = &v1alpha1.WorkspaceSource{Name: new(shared)}
		case word == managedBy:
			object.Spec.ManagedBy = new("example.com/another")
		case strings.HasPrefix(word, startAt) && at >= 0:
			object.Spec.StartAt = new(step)
		case strings.HasPrefix(word, onward) && at >= 0:
			object.Spec.Steps[at].OnFailure = v1alpha1.FailurePolicyContinue
		default:
			return nil, fmt.Errorf("%q is none of %s, %s, %s, %s, %sstep, %sstep, with one of its steps", word, suspended, managedBy, ownWorkspace, usesWorkspace, startAt, onward)
		}
	}
	return object, nil
}
