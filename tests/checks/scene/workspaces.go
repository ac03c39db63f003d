package scene

import (
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/stage"
)

// WorkspaceStatus is the resource of the status of Workspaces.
var WorkspaceStatus = kinds.Workspace.Resource + "/status"

// Capacity is that of the Workspaces which checks create.
const Capacity = "1Mi"

// CreateWorkspace has a user create a Workspace, and returns it. Change may change it before.
func (s *Scene) CreateWorkspace(name string, change ...func(*v1alpha1.Workspace)) *v1alpha1.Workspace {
	object := &v1alpha1.Workspace{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: name},
		Spec:       v1alpha1.WorkspaceSpec{Capacity: resource.MustParse(Capacity)},
	}
	for _, one := range change {
		one(object)
	}
	s.User("creates Workspace %s", name)
	s.Must(s.Client.Create(s.Context(), object))
	return object
}

// ChangeWorkspace has a user change a Workspace.
func (s *Scene) ChangeWorkspace(name, what string, change func(*v1alpha1.Workspace)) {
	current := s.WorkspaceNow(name)
	if current == nil {
		s.WatchOver() // a rule that was broken says more
		s.FindAbout(name, "Workspace %s is gone.", name)
	}
	s.Must(s.patchWorkspace(current, what, change))
}

func (s *Scene) patchWorkspace(current *v1alpha1.Workspace, what string, change func(*v1alpha1.Workspace)) error {
	changed := current.DeepCopy()
	change(changed)
	s.User("%s", what)
	return s.Client.Patch(s.Context(), changed, client.MergeFrom(current))
}

// Resize has a user change the capacity of a Workspace.
func (s *Scene) Resize(name, capacity string) {
	s.ChangeWorkspace(name, fmt.Sprintf("changes spec.capacity of Workspace %s to %s", name, capacity), func(object *v1alpha1.Workspace) {
		object.Spec.Capacity = resource.MustParse(capacity)
	})
}

// DeleteWorkspace has a user delete a Workspace.
func (s *Scene) DeleteWorkspace(name string) {
	s.User("deletes Workspace %s", name)
	object := &v1alpha1.Workspace{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: name}}
	s.Must(s.Client.Delete(s.Context(), object))
}

// WorkspaceNow reads a Workspace; nil where there is none.
func (s *Scene) WorkspaceNow(name string) *v1alpha1.Workspace {
	object := &v1alpha1.Workspace{}
	err := s.Client.Get(s.Context(), client.ObjectKey{Namespace: s.Namespace, Name: name}, object)
	if apierrors.IsNotFound(err) {
		return nil
	}
	s.Must(err)
	return object
}

// AwaitWorkspace waits until a Workspace is as it should be. Until then wanting says what is wrong, as the second half of a sentence.
// Meanwhile looks for what must not happen.
func (s *Scene) AwaitWorkspace(name string, wanting func(*v1alpha1.Workspace) string, meanwhile ...func()) {
	const times = 3
	s.Sync()
	s.Await(name, s.bounded(times*s.Patience, func(w stage.World) string {
		for _, look := range meanwhile {
			look()
		}
		if w.Workspace == nil {
			return fmt.Sprintf("Workspace %s is gone", name)
		}
		if what := wanting(w.Workspace); what != "" {
			return fmt.Sprintf("%s. %s", what, SaysOfWorkspace(w.Workspace))
		}
		return ""
	}))
}

// bounded is wanting, and ends the check after a while: a controller that retries all along would be waited for much longer. After an
// outage of the store, its next try may come later.
func (s *Scene) bounded(most time.Duration, wanting func(stage.World) string) func(stage.World) string {
	from := s.Log.Now()
	return func(w stage.World) string {
		what := wanting(w)
		if what == "" {
			return ""
		}
		if s.Had(from) > most+s.AfterOutage() {
			s.findStalled()
			s.stuck(what)
		}
		return what
	}
}

// WorkspaceReady waits until a Workspace is ready for its current generation, and returns it.
func (s *Scene) WorkspaceReady(name string) *v1alpha1.Workspace {
	var ready *v1alpha1.Workspace
	s.AwaitWorkspace(name, func(object *v1alpha1.Workspace) string {
		ready = object
		if IsReady(object) {
			return ""
		}
		return fmt.Sprintf("Workspace %s is not ready for its generation %d", name, object.Generation)
	})
	return ready
}

// IsReady says whether a Workspace says that it is ready for its current generation.
func IsReady(object *v1alpha1.Workspace) bool {
	ready := meta.FindStatusCondition(object.Status.Conditions, v1alpha1.ConditionReady)
	return ready != nil && ready.Status == metav1.ConditionTrue && ready.ObservedGeneration == object.Generation
}

// NotReady waits until a Workspace says that it is not ready, with a reason: about its current generation, unless it is being
// deleted. Because says why it is not, as the first half of a sentence. Meanwhile looks for what must not happen.
func (s *Scene) NotReady(name, because string, meanwhile ...func()) {
	s.AwaitWorkspace(name, func(object *v1alpha1.Workspace) string {
		ready := meta.FindStatusCondition(object.Status.Conditions, v1alpha1.ConditionReady)
		switch {
		case ready == nil || ready.Status == metav1.ConditionTrue:
			return fmt.Sprintf("%s, and the status of Workspace %s does not say that it is not ready", because, name)
		case ready.ObservedGeneration != object.Generation && object.DeletionTimestamp == nil:
			return fmt.Sprintf("%s, and the condition Ready of Workspace %s is not about its generation %d yet", because, name, object.Generation)
		}
		return ""
	}, meanwhile...)
}

// WorkspaceIs waits until a condition of a Workspace has a status, and a reason where one is given.
func (s *Scene) WorkspaceIs(name, conditionType string, want metav1.ConditionStatus, reason ...string) {
	wanted := fmt.Sprintf("%s=%s", conditionType, want)
	if len(reason) > 0 {
		wanted += " with the reason " + reason[0]
	}
	s.AwaitWorkspace(name, func(object *v1alpha1.Workspace) string {
		condition := meta.FindStatusCondition(object.Status.Conditions, conditionType)
		if condition == nil || condition.Status != want || len(reason) > 0 && condition.Reason != reason[0] {
			return fmt.Sprintf("the status of Workspace %s does not say %s", name, wanted)
		}
		return ""
	})
}

// WorkspaceGone waits until a Workspace is gone.
func (s *Scene) WorkspaceGone(name string) {
	s.Sync()
	s.Await(name, s.bounded(s.Patience, func(w stage.World) string {
		if w.Workspace == nil {
			return ""
		}
		return fmt.Sprintf("Workspace %s is being deleted, and is still there. %s", name, SaysOfWorkspace(w.Workspace))
	}))
}

// SaysOfWorkspace is what the status of a Workspace says, as a sentence without a full stop.
func SaysOfWorkspace(object *v1alpha1.Workspace) string {
	const most = 120 // characters of a message
	var parts []string
	said := map[string]bool{}
	for _, condition := range object.Status.Conditions {
		part := fmt.Sprintf("%s=%s", condition.Type, condition.Status)
		if condition.ObservedGeneration != object.Generation {
			part += fmt.Sprintf(" about generation %d", condition.ObservedGeneration)
		}
		message := strings.Join(strings.Fields(condition.Message), " ")
		if len(message) > most {
			message = strings.ToValidUTF8(message[:most], "") + "…"
		}
		if said[message] {
			message = "likewise"
		}
		said[message] = true
		parts = append(parts, fmt.Sprintf("%s (%s: %s)", part, condition.Reason, message))
	}
	if bucket := object.Status.Bucket; bucket != nil {
		parts = append(parts, fmt.Sprintf("status.bucket.generation is %d", bucket.Generation))
	}
	if len(parts) == 0 {
		parts = []string{"nothing"}
	}
	return fmt.Sprintf("Its generation is %d. Its status says: %s", object.Generation, strings.Join(parts, "; "))
}

// WorkspaceWrites are the controller's requests to write a Workspace, and not its status, since a moment.
func (s *Scene) WorkspaceWrites(name string, from time.Duration) []history.Request {
	return s.Requests(func(r history.Request) bool {
		return r.Write() && r.Call.Resource == kinds.Workspace.Resource && r.Object.Name == name && r.Received >= from
	})
}

// workspaceVersion is a Workspace as one write made it.
type workspaceVersion struct {
	*v1alpha1.Workspace
	Change history.Change
}

// WorkspaceVersions are the states of a Workspace, in order.
func (s *Scene) WorkspaceVersions(name string) (versions []workspaceVersion) {
	s.Sync()
	for change, object := range Seen[v1alpha1.Workspace](s, kinds.Workspace.Resource) {
		if object.Name == name && change.Type != "DELETED" {
			versions = append(versions, workspaceVersion{object, change})
		}
	}
	return versions
}
