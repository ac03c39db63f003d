package finding

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
)

// Unselected says which object has never reached an instance because of the selectors of its watches: a SequentialJob, or a
// Job that one controls. It is empty if there is none.
func Unselected(run history.Run, instance int) string {
	received := map[string]bool{} // by UID
	for _, frame := range run.Frames {
		if run.Streams[frame.Stream-1].Instance == instance {
			received[frame.UID] = true
		}
	}
	for _, change := range run.Changes {
		owner := metav1.GetControllerOf(change.Object)
		relevant := change.Resource == kinds.SequentialJob.Resource || owner != nil && owner.Kind == kinds.SequentialJob.Kind
		if change.Type != "ADDED" || !relevant || received[string(change.Object.GetUID())] {
			continue
		}
		if scope, is := tooNarrow(run, instance, change); is {
			return fmt.Sprintf("%s %s has never reached your controller, which watches the %s %s. %s has %s.", change.Object.GetKind(), change.Object.GetName(),
				change.Resource, scope, change.Object.GetName(), labelled(change.Object.GetLabels()))
		}
	}
	return ""
}

// tooNarrow returns what an instance's watch asks for that was up to date when an object was created, if all such watches have
// a selector.
func tooNarrow(run history.Run, instance int, created history.Change) (scope history.Scope, is bool) {
	for _, s := range run.Streams {
		open := s.Instance == instance && s.Resource == created.Resource && s.Code == http.StatusOK && s.Ended == 0
		switch {
		case !open:
		case s.UpToDate == 0 || s.UpToDate > created.Seen || s.Scope.Labels == "" && s.Scope.Fields == "":
			return history.Scope{}, false // the object may still be on its way, or has come with the initial state
		default:
			scope, is = s.Scope, true
		}
	}
	return scope, is
}

func labelled(labels map[string]string) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		all = append(all, key+"="+labels[key])
	}
	if len(all) == 0 {
		return "no labels"
	}
	return "the labels " + strings.Join(all, ", ")
}
