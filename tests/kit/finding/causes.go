package finding

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
)

// Cause is something that a controller did, and that may explain what happened later.
type Cause struct {
	What     string   // a sentence
	Names    []string // of the objects that it concerns; none if it may concern any
	Why      string   // why it matters in production; empty where what it explains says that
	Requests []int    // that did it
	At       time.Duration
}

// Unowned is the first Job that the controller created without a SequentialJob as its controller; nil if there is none.
func Unowned(run history.Run) *unstructured.Unstructured {
	authors := history.AuthorsOf(run)
	for _, change := range run.Changes {
		if change.Type == "ADDED" && change.Resource == kinds.Job.Resource && authors.Of(change) != nil && kinds.Unowned(change.Object) != "" {
			return change.Object
		}
	}
	return nil
}

// Deletions are the deletions of Jobs and Workspaces that the controller has asked for.
func Deletions(run history.Run) (causes []Cause) {
	for _, r := range run.Requests {
		kind, known := kinds.OfResource(r.Group, r.Call.Resource)
		if !r.Succeeded() || !known || kind.Kind != kinds.Job.Kind && kind.Kind != kinds.Workspace.Kind {
			continue
		}
		switch r.Call.Verb {
		case "delete":
			causes = append(causes, Cause{
				What:     fmt.Sprintf("Your controller itself deleted %s %s, at %s.", kind.Kind, r.Object.Name, seconds(r.Received)),
				Names:    []string{r.Call.Object.Family(), r.Object.Name},
				Requests: []int{r.ID}, At: r.Received,
			})
		case "deletecollection":
			causes = append(causes, Cause{
				What:     fmt.Sprintf("Your controller itself deleted %ss, at %s (deletecollection %s).", kind.Kind, seconds(r.Received), r.Call.Resource),
				Requests: []int{r.ID}, At: r.Received,
			})
		}
	}
	return causes
}

// Finalizers are the finalizers that the controller has set, and that keep objects which are being deleted.
func Finalizers(run history.Run) (causes []Cause) {
	last := map[string]history.Change{} // by UID
	for _, change := range run.Changes {
		last[string(change.Object.GetUID())] = change
	}
	setBefore := map[string]bool{} // by UID and finalizer
	authors := history.AuthorsOf(run)
	for _, change := range run.Changes {
		now := last[string(change.Object.GetUID())]
		for _, finalizer := range change.Object.GetFinalizers() {
			key := string(change.Object.GetUID()) + " " + finalizer
			if setBefore[key] {
				continue
			}
			setBefore[key] = true
			author := authors.Of(change)
			collector := finalizer == metav1.FinalizerDeleteDependents || finalizer == metav1.FinalizerOrphanDependents
			keeps := now.Type != "DELETED" && now.Object.GetDeletionTimestamp() != nil && slices.Contains(now.Object.GetFinalizers(), finalizer)
			if author == nil || collector || !keeps {
				continue
			}
			causes = append(causes, Cause{
				What: fmt.Sprintf("%s %s is being deleted, and stays until its finalizer %s is removed. Your controller set this finalizer, "+
					"at %s (%s), and has not removed it.", now.Object.GetKind(), now.Object.GetName(), finalizer,
					seconds(author.Received), asked(*author)),
				Names: []string{now.Object.GetName()},
				Why: "An object with a finalizer stays until somebody removes the finalizer. If the controller that sets it does not remove " +
					"it in time, kubectl delete hangs, and so does the deletion of the whole namespace.",
				Requests: []int{author.ID}, At: now.Seen,
			})
		}
	}
	return causes
}

// Unanswered says of the last event that an instance received that it has sent no request since; empty if it has, or if
// it has never written anything, which other words say better.
func Unanswered(run history.Run, instance int) string {
	var last history.Frame
	for _, frame := range run.Frames {
		if run.Streams[frame.Stream-1].Instance == instance && frame.Type != "BOOKMARK" && frame.Delivered > last.Delivered {
			last = frame
		}
	}
	wrote := false
	for _, r := range run.Requests {
		switch {
		case r.Instance != instance || r.Call.Resource == "leases" || r.Call.Resource == "events":
		case r.Received >= last.Delivered:
			return ""
		default:
			wrote = wrote || r.Write()
		}
	}
	if !wrote {
		return ""
	}
	resource := run.Streams[last.Stream-1].Resource
	text := fmt.Sprintf("The last event (%s %s %s) reached your controller at %s. It has sent no request since.",
		last.Type, resource, last.Object.Name, seconds(last.Delivered))
	for _, r := range run.Requests {
		if r.ResourceVersion == last.ResourceVersion && r.Succeeded() && r.Call.Resource == resource+"/status" {
			return text + " It is the event of your controller's own status write. Either a predicate filters it, as " +
				"GenerationChangedPredicate does, and no reconcile followed. Or that reconcile found nothing to do, and " +
				"asked for no later one with RequeueAfter."
		}
	}
	return text
}

// Repeated says of the request that made a change that it repeats a write which met a conflict; empty if it does not.
func Repeated(run history.Run, change history.Change) string {
	author := history.AuthorsOf(run).Of(change)
	if author == nil {
		return ""
	}
	return strings.Join(repeated(run, *author), " ")
}

// repeated describes a write that the controller sent again after a conflict, once it had read the object. That is right
// if it decided again. So it matters only if the write is wrong.
func repeated(run history.Run, r history.Request) []string {
	of := func(other history.Request) bool {
		return other.Instance == r.Instance && other.Object == r.Object && plain(other.Call.Resource) == plain(r.Call.Resource)
	}
	wrote := lastBefore(run, r, func(other history.Request) bool { return of(other) && other.Write() })
	read := lastBefore(run, r, func(other history.Request) bool {
		return of(other) && other.Call.Verb == "get" && other.Returned == http.StatusOK
	})
	if wrote == nil || read == nil || read.ID < wrote.ID || wrote.Returned != http.StatusConflict ||
		wrote.Call.Verb != r.Call.Verb || wrote.Call.Resource != r.Call.Resource {
		return nil
	}
	return []string{fmt.Sprintf("Your controller had sent %s before, at %s, and received 409 Conflict. It then read %s again, at %s, and "+
		"sent the write again. But the object had changed, so it must decide again, not only write again.",
		asked(r), seconds(wrote.Received), r.Object.Name, seconds(read.Received))}
}
